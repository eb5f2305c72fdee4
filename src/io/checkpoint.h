// Checkpoints: the state of a run as named arrays of bytes, from which it resumes bit for bit.
//
// A file is in the byte order of the machine that wrote it:
//
//     head     64 bytes: "MUSLINCP", 0x01020304, version, frame, sections, length of the file, sum of the table, sum of
//              the head before it
//     table    64 bytes per section: name (40 bytes, zeros behind it), offset, bytes, sum
//     data     of each section, from its offset, which is a multiple of 64
//
// Sums are those of base/checksum.h. A file that is truncated, damaged or from elsewhere is rejected. A folder holds
// checkpoint_000120.bin and the one before it: the new one is whole and on the disk before an older one goes.
#ifndef MUS_IO_CHECKPOINT_H
#define MUS_IO_CHECKPOINT_H

#include <stddef.h>

#include "base/memory.h"
#include "muslin/status.h"

enum { MUS_CHECKPOINT_NAME = 40, MUS_CHECKPOINT_SECTIONS = 1024 }; // bytes of a name with its zero; most sections

typedef struct mus_checkpoint_section {
  const char *name; // "positions"; unique
  const void *data;
  size_t bytes;
} mus_checkpoint_section;

typedef struct mus_checkpoint {
  int frame; // the run had finished this frame
  int count;
  mus_checkpoint_section *sections;
} mus_checkpoint;

// Writes under a temporary name and renames once it is on the disk.
mus_status mus_checkpoint_write(const char *path, const mus_checkpoint *checkpoint);
// All memory is from the arena, data aligned as it always is. `out` is written only on success.
mus_status mus_checkpoint_read(const char *path, mus_arena *arena, mus_checkpoint *out);
// The section of that name: MUS_BAD_INPUT if there is none, or if it does not hold `bytes` bytes.
mus_status mus_checkpoint_find(const mus_checkpoint *checkpoint, const char *name, size_t bytes, const void **data);

// Removes all that are older than that of `frame` but the one before it. What cannot be removed costs only space.
void mus_checkpoint_prune(const char *folder, int frame);
// FOLDER/checkpoint_FRAME.bin, and prunes.
mus_status mus_checkpoint_save(const char *folder, const mus_checkpoint *checkpoint);
// The newest intact checkpoint of a frame up to `most`. Damaged ones are skipped; mus_last_error() then still describes
// the last of them. MUS_IO_ERROR if there is none.
mus_status mus_checkpoint_newest(const char *folder, int most, mus_arena *arena, mus_checkpoint *out);
// Removes those after `frame` (-1: all), and what writing has left unfinished: a run that starts again, or resumes from
// an earlier frame, must not meet them again.
mus_status mus_checkpoint_forget(const char *folder, int frame);

#endif
