/// Recordings: read, frame by frame, what mus_run() has left in a folder or is still writing.
///
///     mus_recording *recording = NULL;
///     mus_recording_open("out/drooping", &recording);
///     double *x = malloc(3 * (size_t)mus_recording_vertices(recording) * sizeof *x);
///     for (int frame = 0; frame < mus_recording_frames(recording); ++frame)
///       mus_recording_positions(recording, frame, x);
///     mus_recording_close(recording);
///
/// All parts follow one after the other, cloths and then solids, and so do all bodies. Of solids, recordings have the
/// surface: other vertices than in muslin/sim.h, which has those inside too.
#ifndef MUSLIN_RECORDING_H
#define MUSLIN_RECORDING_H

#include "muslin/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mus_recording mus_recording;

/// `path` is a result folder. `out` is written only on success.
MUS_API mus_status mus_recording_open(const char *path, mus_recording **out);
MUS_API void mus_recording_close(mus_recording *recording); ///< NULL is fine

MUS_API int mus_recording_frames(const mus_recording *recording); ///< the start is frame 0; at least 1
/// Frames of the complete run: more than mus_recording_frames() if it still runs or has stopped early.
MUS_API int mus_recording_planned(const mus_recording *recording);
/// Looks for frames that have been written since.
MUS_API mus_status mus_recording_refresh(mus_recording *recording);
MUS_API double mus_recording_rate(const mus_recording *recording); ///< Hz
MUS_API mus_up mus_recording_up(const mus_recording *recording);   ///< in all positions
MUS_API int mus_recording_vertices(const mus_recording *recording);
MUS_API int mus_recording_triangles(const mus_recording *recording);
MUS_API const int *mus_recording_triangle_list(const mus_recording *recording);
MUS_API int mus_recording_parts(const mus_recording *recording);
/// First vertex of a part; the number of vertices for mus_recording_parts().
MUS_API int mus_recording_first_vertex(const mus_recording *recording, int part);
MUS_API const char *mus_recording_part_name(const mus_recording *recording, int part);
MUS_API int mus_recording_is_solid(const mus_recording *recording, int part);
MUS_API int mus_recording_cloths(const mus_recording *recording); ///< which come first
MUS_API const char *mus_recording_cloth_name(const mus_recording *recording, int cloth);
MUS_API const char *mus_recording_cloth_fabric(const mus_recording *recording, int cloth);
/// vertices * 3 numbers, m.
MUS_API mus_status mus_recording_positions(mus_recording *recording, int frame, double *position);

MUS_API int mus_recording_bodies(const mus_recording *recording);
MUS_API int mus_recording_first_body_vertex(const mus_recording *recording, int body);
MUS_API int mus_recording_body_vertices(const mus_recording *recording);
MUS_API int mus_recording_body_triangles(const mus_recording *recording);
MUS_API const int *mus_recording_body_triangle_list(const mus_recording *recording);
MUS_API mus_status mus_recording_body_positions(mus_recording *recording, int frame, double *position);

/// 1 if the recording has what the field needs: residuals are there after a run that recorded them, stress and volume
/// where there are solids; contact never is.
MUS_API int mus_recording_has_field(const mus_recording *recording, mus_field field);
/// vertices numbers; MUS_UNSUPPORTED if the recording has none.
MUS_API mus_status mus_recording_field(mus_recording *recording, mus_field field, int frame, double *value);

#ifdef __cplusplus
}
#endif
#endif
