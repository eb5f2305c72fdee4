// Videos, by running ffmpeg and feeding it frame after frame.
//
//   mus_video *video;
//   status = mus_video_open("out.mp4", 960, 540, 24, &video);
//   for each frame: status = mus_video_add(video, &picture);
//   status = mus_video_close(video, status);
//
// ffmpeg writes to a temporary name; the file is renamed only if everything went well.
#ifndef MUS_RENDER_VIDEO_H
#define MUS_RENDER_VIDEO_H

#include "render/picture.h"

typedef struct mus_video mus_video;

// MUS_UNSUPPORTED if there is no ffmpeg.
mus_status mus_video_open(const char *path, int width, int height, double frames_per_second, mus_video **out);
// Adds a picture of the video's size.
mus_status mus_video_add(mus_video *video, const mus_picture *picture);
// Ends the video and frees it. Where `status` is not MUS_OK, the file is dropped and `status` answered.
mus_status mus_video_close(mus_video *video, mus_status status);

#endif
