// What a cache format must provide, for those who add one: a table of functions, listed in cache.c.
//
// What formats have in common is in cache.c: checks, the count of frames, the choice of format, floats to bytes.
#ifndef MUS_IO_CACHE_FORMAT_H
#define MUS_IO_CACHE_FORMAT_H

#include <locale.h>
#include <stdint.h>
#include <string.h>

#include "io/cache.h"
#include "io/partial.h"
#include "io/source.h"

struct mus_cache_writer {
  const mus_cache_format *format;
  mus_cache_definition definition;
  mus_arena arena; // for the path, and what the format needs
  char *path;
  mus_partial file;
  int frames;           // whole ones
  int unchosen;         // reopened: mus_cache_keep() has to say which frames stay
  int laid_out;         // MDD: frames that the file is laid out for
  size_t last_frame;    // USDA: where the number of the last frame stands
  uint64_t samples;     // USDA: where the first frame begins
  locale_t plain;       // USDA: in whose numbers the decimal sign is a point
  char *frame_path;     // of a sequence: buffer for the path of a frame's file, ...
  size_t folder_length; // ... of which so much is the folder's
  int synced;           // of a sequence: frames that are known to be on the disk
};

struct mus_cache_reader {
  mus_cache_info info;
  mus_arena arena;
  char *path;
  mus_arena_mark opened; // the arena before the head was read
  mus_source source;
  uint64_t head; // bytes before the first frame
  int growing;   // the file may be shorter or longer than it says
};

struct mus_cache_format {
  const char *name, *extension;
  const char *folder, *frame; // of a sequence: what its folder's name ends in, instead of the extension, and its files'
  int needs_mesh;
  int takes_grid; // it writes the definition's grid, where there is one
  // Writes what stands before the first frame into an empty file.
  mus_status (*create)(mus_cache_writer *writer);
  // Opens what is there, compares it with the definition and counts its whole frames into writer->frames.
  mus_status (*reopen)(mus_cache_writer *writer);
  // Cuts off all but the first `frames`, which is at most writer->frames.
  mus_status (*keep)(mus_cache_writer *writer, int frames);
  // Writes frame number writer->frames. The positions are finite and few enough.
  mus_status (*write)(mus_cache_writer *writer, const double *positions);
  mus_status (*sync)(mus_cache_writer *writer);
  mus_status (*finish)(mus_cache_writer *writer);
  void (*close)(mus_cache_writer *writer);
  // Reading, where it is offered: whether the file is of this format by its first bytes (zeros past its end) or its
  // name, its head (everything in info but the format, and reader->head), and the bits of a float.
  int (*recognise)(const unsigned char first[32], const char *path);
  mus_status (*read_head)(mus_cache_reader *reader);
  uint32_t (*get)(const unsigned char *p);
};

extern const mus_cache_format mus_cache_pc2, mus_cache_mdd, mus_cache_obj, mus_cache_usda, mus_cache_vtu;

// --- for formats ---------------------------------------------------------------------------------------------------

// Numbers as bytes, whatever the machine's order.
static inline void mus_put_little(unsigned char *p, uint32_t value) {
  for (int i = 0; i < 4; ++i)
    p[i] = (unsigned char)(value >> 8 * i);
}
static inline void mus_put_big(unsigned char *p, uint32_t value) {
  for (int i = 0; i < 4; ++i)
    p[i] = (unsigned char)(value >> (24 - 8 * i));
}
static inline uint32_t mus_get_little(const unsigned char *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static inline uint32_t mus_get_big(const unsigned char *p) {
  return (uint32_t)p[3] | (uint32_t)p[2] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[0] << 24;
}
static inline uint32_t mus_float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
static inline float mus_bits_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Puts a frame's floats, as `put` (little or big) writes them, into the file; no commit.
mus_status mus_cache_put_floats(mus_cache_writer *writer, const double *positions,
                                void (*put)(unsigned char *p, uint32_t bits));
// Commits a frame that has been put behind `before`, and has the file tell how many there are now; where it cannot, the
// frame goes again.
mus_status mus_cache_commit_frame(mus_cache_writer *writer, uint64_t before,
                                  mus_status (*tell_count)(mus_cache_writer *writer, int frames));
// Bytes of a frame in a binary file.
static inline uint64_t mus_cache_frame_bytes(int points) { return (uint64_t)points * 12; }

// For formats that keep to one file.
mus_status mus_cache_sync_file(mus_cache_writer *writer);
mus_status mus_cache_settle_file(mus_cache_writer *writer);
void mus_cache_close_file(mus_cache_writer *writer);

// For formats that are a folder of frames (sequence.c): the functions of their tables, but for `write`, ...
mus_status mus_sequence_create(mus_cache_writer *writer);
mus_status mus_sequence_reopen(mus_cache_writer *writer);
mus_status mus_sequence_keep(mus_cache_writer *writer, int frames);
mus_status mus_sequence_sync(mus_cache_writer *writer);
mus_status mus_sequence_finish(mus_cache_writer *writer);
void mus_sequence_close(mus_cache_writer *writer);
// ... the path of a frame's file, valid until the next call of any of these, ...
char *mus_sequence_frame(mus_cache_writer *writer, int frame);
// ... and what waits until a file, or with O_DIRECTORY a folder, is on the disk.
mus_status mus_sequence_sync_path(const char *path, int flags);

// For a cache that cannot be resumed, because it holds something other than what the definition says.
mus_status mus_cache_fail_other(const mus_cache_writer *writer, const char *what, double there, double wanted);
// Compares the file's length with what its head says and sets info.frames, given `frames` as declared.
mus_status mus_cache_count_frames(mus_cache_reader *reader, int frames);

#endif
