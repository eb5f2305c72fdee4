// Pictures of a run in progress: FOLDER/preview.png is the latest frame, FOLDER/preview.mp4 all of them, once the run
// has ended. Private to run/.
//
// Nothing that goes wrong here ends a run: it is reported once, and that part of the preview is left out from then on.
// The simulator is only read. The camera follows cloth that moves away, and backs off if it would leave the picture.
#ifndef MUS_RUN_PREVIEW_H
#define MUS_RUN_PREVIEW_H

#include "muslin/sim.h"

typedef struct mus_preview mus_preview;

// Removes what an earlier run has shown in this folder, or has left unfinished.
void mus_preview_forget(const char *folder);

// Forgets an earlier preview. `scene` must outlive the preview.
mus_status mus_preview_create(const mus_sim *sim, const mus_scene *scene, const char *folder, mus_preview **out);
// Draws the current state. A failure is returned the first time; calls after that return MUS_OK.
mus_status mus_preview_draw(mus_preview *preview, const mus_sim *sim);
// Ends the video and frees the preview; NULL is fine.
mus_status mus_preview_close(mus_preview *preview);

#endif
