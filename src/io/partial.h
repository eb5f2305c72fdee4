// Files that grow while a program runs, and are intact whenever it is killed.
//
// A file grows as PATH.partial and takes its name when it is finished, so PATH is always whole. Bytes are put, and
// count from the next commit on: a record that was cut short by a kill or a full disk lies behind the last commit, and
// is cut off at the latest when the file is opened again. Formats that need something after the last record to be valid
// (a closing bracket) give it as the tail: it follows every commit, and the next record overwrites it.
//
// While it is open a file is locked against other processes that would write it.
#ifndef MUS_IO_PARTIAL_H
#define MUS_IO_PARTIAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "muslin/status.h"

typedef struct mus_partial {
  char *path;       // the finished file
  char *beside;     // path.partial, where it grows
  const char *tail; // what follows the last record; may be changed before a commit
  int open;         // 1: the descriptor is
  int descriptor;
  int settled;  // what was opened is the finished file; it becomes path.partial before it is first changed
  uint64_t end; // what is whole ends here, and the tail follows
  uint64_t at;  // where the buffer goes
  char *buffer; // what was put and not yet written
  size_t used;
} mus_partial;

// An empty file; what an earlier run left under path.partial is lost. `tail` must outlive the file, memory is taken
// from the arena.
mus_status mus_partial_create(mus_partial *file, mus_arena *arena, const char *path, const char *tail);
// What an earlier run left: path.partial or, if there is none, the finished file. Nothing is changed yet, and no byte
// counts as whole until mus_partial_cut() says which do.
mus_status mus_partial_reopen(mus_partial *file, mus_arena *arena, const char *path, const char *tail);

// Bytes in the file as it is.
mus_status mus_partial_length(const mus_partial *file, uint64_t *length);
// MUS_BAD_INPUT when the file ends before.
mus_status mus_partial_read(const mus_partial *file, uint64_t offset, void *data, size_t bytes);
// Where the line that holds `offset` ends: at its newline, or at the end of the file.
mus_status mus_partial_line_end(const mus_partial *file, uint64_t offset, uint64_t *end);

// Only the first `end` bytes are whole: what follows is cut off.
mus_status mus_partial_cut(mus_partial *file, uint64_t end);
// Bytes after those put before.
mus_status mus_partial_put(mus_partial *file, const void *data, size_t bytes);
// Everything put so far is whole. When this or a put fails, the file is again as it was after the last commit.
mus_status mus_partial_commit(mus_partial *file);
// Writes over bytes that have been committed (a count in the header).
mus_status mus_partial_patch(mus_partial *file, uint64_t offset, const void *data, size_t bytes);

// Waits until what was committed is on the disk, safe from a loss of power.
mus_status mus_partial_sync(mus_partial *file);
// Gives the file its name, after a sync; it stays open.
mus_status mus_partial_settle(mus_partial *file);
// Closes the file and leaves it as it is; one that is not open is fine.
void mus_partial_close(mus_partial *file);
// Closes and removes a file that has not been finished; one that is not open is fine.
void mus_partial_abandon(mus_partial *file);

#endif
