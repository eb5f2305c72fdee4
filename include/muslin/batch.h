/// Batches: many simulations of one small scene, with other numbers in each, stepped together. For learning and
/// fitting, which try many fabrics, winds and starts at once.
///
///     const mus_scene *scenes[64]; // of the same meshes; fabrics, densities, winds, pins' motions may differ
///     mus_batch_options options = mus_default_batch_options();
///     mus_batch *batch = NULL;
///     mus_batch_create(64, scenes, &options, &batch);
///     mus_sim_set_wind(mus_batch_member(batch, 3), (double[]){2, 0, 0});
///     for (int frame = 1; frame <= frames; ++frame) {
///       mus_batch_frame(batch);
///       const double *x = mus_sim_positions(mus_batch_member(batch, 3));
///     }
///     mus_batch_free(batch);
///
/// On the CPU, members are dealt out to threads, and each has the same bits as if it had been simulated alone. On a
/// GPU, the systems of up to 128 members are blocks of one, which is assembled, solved and measured there in one go;
/// members then agree with what each does alone within the solver's tolerance. docs/cuda.md says what runs there.
#ifndef MUSLIN_BATCH_H
#define MUSLIN_BATCH_H

#include "muslin/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mus_batch mus_batch;

typedef struct mus_batch_options {
  mus_device_choice device; ///< in place of the scenes' own (MUS_DEVICE_CPU)
  int threads;              ///< members that are simulated at once on the CPU; 0: as many as there are cores (0)
  unsigned cookie;          ///< set by mus_default_batch_options(); options without it are rejected
} mus_batch_options;

MUS_API mus_batch_options mus_default_batch_options(void);

/// A member for each scene, which must outlive the batch; the same scene may come more than once. With MUS_DEVICE_CUDA,
/// MUS_UNSUPPORTED says what keeps members from being stepped together there: meshes or lists of elements that differ,
/// contact and whatever else docs/cuda.md names.
MUS_API mus_status mus_batch_create(int members, const mus_scene *const *scenes, const mus_batch_options *options,
                                    mus_batch **batch);
MUS_API void mus_batch_free(mus_batch *batch);

MUS_API int mus_batch_members(const mus_batch *batch);
/// To read it, and to change it between steps, as muslin/sim.h allows; its solver stays the batch's. NULL out of range.
MUS_API mus_sim *mus_batch_member(mus_batch *batch, int member);

/// One step of each member, halved by itself where that is necessary, or steps up to the end of its frame. Members that
/// fail are left as they were before their step, or their frame's last good one; the others go on. The status is that
/// of the first that failed, and the text names it. A member's records are those of this call.
MUS_API mus_status mus_batch_step(mus_batch *batch);
MUS_API mus_status mus_batch_frame(mus_batch *batch);
/// How the last call ended for a member.
MUS_API mus_status mus_batch_status(const mus_batch *batch, int member);

/// The GPU that members are stepped on, if any; `steps` counts those of all members.
MUS_API mus_sim_device mus_batch_device_used(const mus_batch *batch);

#ifdef __cplusplus
}
#endif
#endif
