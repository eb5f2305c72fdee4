// Videos by ffmpeg. See video.h.
//
// ffmpeg's standard input is a socket, not a pipe: writing to one whose reader has died can be told not to raise
// SIGPIPE, which would end the caller's program. What ffmpeg complains of goes to a nameless file and into the error
// text. No shell is involved, so paths may hold any character.
#include "render/video.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

extern char **environ;

struct mus_video {
  mus_arena arena;
  const char *path, *beside;
  const char *url; // `beside` as ffmpeg must be told, lest it take a colon or a dash in it for something else
  int width, height;
  long frames;
  pid_t ffmpeg; // 0: not running
  int feed;     // its standard input; -1: closed
  FILE *complaints;
};

static mus_status fail_writing(const mus_video *video, const char *why) {
  return mus_fail(MUS_IO_ERROR,
                  "%.200s: the video cannot be written (%s): check the folder, its permissions and the free space",
                  video->path, why);
}

static char *join(mus_arena *arena, const char *a, const char *b) {
  size_t n = strlen(a), m = strlen(b);
  char *joined = mus_arena_alloc(arena, n + m + 1, 1);
  if (joined) {
    memcpy(joined, a, n);
    memcpy(joined + n, b, m + 1);
  }
  return joined;
}

// Its arguments: raw frames in; H.264 out, in the colours of high-definition television, which players assume.
static int start_ffmpeg(mus_video *video, double rate, int input) {
  char size[32], frames[32];
  snprintf(size, sizeof size, "%dx%d", video->width, video->height);
  snprintf(frames, sizeof frames, "%.6g", rate);
  // 4:2:0 needs an even number of columns and rows: an odd last one is cut off.
  const char *filter = "crop=trunc(iw/2)*2:trunc(ih/2)*2:0:0,scale=out_color_matrix=bt709:out_range=tv";
  const char *const arguments[] = {"ffmpeg",       "-nostdin",   "-loglevel",   "error",     "-y",
                                   "-f",           "rawvideo",   "-pix_fmt",    "rgb24",     "-video_size",
                                   size,           "-framerate", frames,        "-i",        "pipe:0",
                                   "-vf",          filter,       "-c:v",        "libx264",   "-preset",
                                   "medium",       "-crf",       "18",          "-pix_fmt",  "yuv420p",
                                   "-color_range", "tv",         "-colorspace", "bt709",     "-color_primaries",
                                   "bt709",        "-color_trc", "bt709",       "-movflags", "+faststart",
                                   "-f",           "mp4",        video->url,    NULL};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error)
    return error;
  error = posix_spawnattr_init(&attributes);
  if (error) {
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  // In a process group of its own: Ctrl-C is for the caller, who may want to finish the video.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  error = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  if (!error)
    error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (!error)
    error = posix_spawn_file_actions_adddup2(&actions, fileno(video->complaints), STDERR_FILENO);
  if (!error)
    error = posix_spawnp(&video->ffmpeg, "ffmpeg", &actions, &attributes, (char *const *)arguments, environ);
  if (error)
    video->ffmpeg = 0;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

static mus_status open_video(mus_video *video, const char *path, double rate) {
  char suffix[32];
  snprintf(suffix, sizeof suffix, ".tmp%ld", (long)getpid());
  video->path = join(&video->arena, path, "");
  video->beside = join(&video->arena, path, suffix);
  video->url = video->beside ? join(&video->arena, "file:", video->beside) : NULL;
  if (!video->path || !video->url)
    return mus_fail_memory();
  // ffmpeg would find out only later that it may not write there.
  int probe = open(video->beside, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (probe < 0)
    return fail_writing(video, strerror(errno));
  close(probe);
  unlink(video->beside);
  int ends[2];
  video->complaints = tmpfile();
  if (!video->complaints || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
    return fail_writing(video, strerror(errno));
  video->feed = ends[1];
  // A child that inherited our end would never see the end of its input.
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  fcntl(fileno(video->complaints), F_SETFD, FD_CLOEXEC);
  int error = start_ffmpeg(video, rate, ends[0]);
  close(ends[0]);
  if (error == ENOENT)
    return mus_fail(MUS_UNSUPPORTED, "%.200s: videos are made by ffmpeg, which was not found: install it", path);
  return error ? fail_writing(video, strerror(error)) : MUS_OK;
}

static void free_video(mus_video *video) {
  if (video->feed >= 0)
    close(video->feed);
  if (video->complaints)
    fclose(video->complaints);
  mus_arena_clear(&video->arena);
  mus_free(video);
}

mus_status mus_video_open(const char *path, int width, int height, double frames_per_second, mus_video **out) {
  *out = NULL;
  if (width < 2 || height < 2 || width > 16384 || height > 16384 || !(frames_per_second > 0) ||
      !(frames_per_second <= 1000))
    return mus_fail(MUS_BAD_INPUT,
                    "a video of %d x %d pixels and %g frames per second: give 2 to 16384, and up to 1000", width,
                    height, frames_per_second);
  mus_video *video = mus_alloc_zero(1, sizeof *video);
  if (!video)
    return mus_fail_memory();
  video->feed = -1;
  video->width = width;
  video->height = height;
  mus_status status = open_video(video, path, frames_per_second);
  if (status) {
    free_video(video);
    return status;
  }
  *out = video;
  return MUS_OK;
}

mus_status mus_video_add(mus_video *video, const mus_picture *picture) {
  if (picture->width != video->width || picture->height != video->height)
    return mus_fail(MUS_BAD_INPUT, "a frame of %d x %d pixels in a video of %d x %d", picture->width, picture->height,
                    video->width, video->height);
  const unsigned char *bytes = picture->pixel;
  size_t left = (size_t)video->width * (size_t)video->height * 3;
  while (left > 0) {
    ssize_t sent = send(video->feed, bytes, left, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent < 0)
      return fail_writing(video, errno == EPIPE || errno == ECONNRESET ? "ffmpeg ended early" : strerror(errno));
    bytes += sent;
    left -= (size_t)sent;
  }
  ++video->frames;
  return MUS_OK;
}

// The first line that ffmpeg complained with, or what became of it.
static void read_complaint(mus_video *video, int state, char *text, size_t size) {
  rewind(video->complaints);
  if (fgets(text, (int)size, video->complaints))
    text[strcspn(text, "\n")] = 0;
  else if (WIFSIGNALED(state))
    snprintf(text, size, "ffmpeg was killed by signal %d", WTERMSIG(state));
  else
    snprintf(text, size, "ffmpeg ended with status %d", WEXITSTATUS(state));
}

// Ends the input and waits. Returns 0, or -1 with the reason in `why`.
static int end_ffmpeg(mus_video *video, char *why, size_t size) {
  close(video->feed);
  video->feed = -1;
  int state = 0;
  pid_t answer;
  do
    answer = waitpid(video->ffmpeg, &state, 0);
  while (answer < 0 && errno == EINTR);
  if (answer >= 0 && WIFEXITED(state) && WEXITSTATUS(state) == 0)
    return 0;
  if (answer < 0)
    snprintf(why, size, "ffmpeg cannot be waited for: %s", strerror(errno));
  else
    read_complaint(video, state, why, size);
  return -1;
}

mus_status mus_video_close(mus_video *video, mus_status status) {
  char why[256];
  int failed = end_ffmpeg(video, why, sizeof why);
  if (status == MUS_OK && video->frames == 0)
    status = mus_fail(MUS_BAD_INPUT, "%.200s: a video needs at least one frame", video->path);
  else if (failed && (status == MUS_OK || status == MUS_IO_ERROR)) // why feeding it failed, it knows best itself
    status = fail_writing(video, why);
  if (status == MUS_OK && rename(video->beside, video->path) != 0)
    status = fail_writing(video, strerror(errno));
  if (status)
    unlink(video->beside);
  free_video(video);
  return status;
}
