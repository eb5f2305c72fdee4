// Checkpoints. See checkpoint.h.
#include "io/checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/error.h"
#include "base/list.h"
#include "io/partial.h"
#include "io/source.h"

enum { VERSION = 1, ORDER = 0x01020304, ALIGNMENT = 64 };
static const char magic[8] = {'M', 'U', 'S', 'L', 'I', 'N', 'C', 'P'};

typedef struct head {
  char magic[8];
  uint32_t order, version;
  int64_t frame;
  uint64_t sections, length, zero, table_sum;
  uint64_t sum; // of all before it
} head;
typedef struct entry {
  char name[MUS_CHECKPOINT_NAME];
  uint64_t offset, bytes, sum;
} entry;
_Static_assert(sizeof(head) == 64 && sizeof(entry) == 64, "both are written as they are");

static uint64_t align(uint64_t offset) { return (offset + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }
static uint64_t head_sum(const head *h) { return mus_checksum(0, h, offsetof(head, sum)); }

// --- writing -------------------------------------------------------------------------------------------------------

static mus_status check(const mus_checkpoint *checkpoint) {
  if (checkpoint->frame < 0)
    return mus_fail(MUS_BAD_INPUT, "a checkpoint of frame %d: frames count from 0", checkpoint->frame);
  if (checkpoint->count < 1 || checkpoint->count > MUS_CHECKPOINT_SECTIONS)
    return mus_fail(MUS_BAD_INPUT, "a checkpoint of %d sections: give 1 to %d", checkpoint->count,
                    MUS_CHECKPOINT_SECTIONS);
  for (int i = 0; i < checkpoint->count; ++i) {
    const char *name = checkpoint->sections[i].name;
    if (strlen(name) < 1 || strlen(name) >= MUS_CHECKPOINT_NAME)
      return mus_fail(MUS_BAD_INPUT, "a section called \"%.80s\": a name has 1 to %d bytes", name,
                      MUS_CHECKPOINT_NAME - 1);
    for (int k = 0; k < i; ++k)
      if (strcmp(name, checkpoint->sections[k].name) == 0)
        return mus_fail(MUS_BAD_INPUT, "two sections are called \"%s\": rename one", name);
  }
  return MUS_OK;
}

static head make_table(const mus_checkpoint *checkpoint, entry *table) {
  uint64_t end = sizeof(head) + (uint64_t)checkpoint->count * sizeof(entry);
  for (int i = 0; i < checkpoint->count; ++i) {
    const mus_checkpoint_section *section = &checkpoint->sections[i];
    table[i] = (entry){.offset = align(end), .bytes = section->bytes};
    memcpy(table[i].name, section->name, strlen(section->name));
    table[i].sum = mus_checksum(0, section->data, section->bytes);
    end = table[i].offset + section->bytes;
  }
  head h = {.order = ORDER,
            .version = VERSION,
            .frame = checkpoint->frame,
            .sections = (uint64_t)checkpoint->count,
            .length = end,
            .table_sum = mus_checksum(0, table, (size_t)checkpoint->count * sizeof(entry))};
  memcpy(h.magic, magic, sizeof magic);
  h.sum = head_sum(&h);
  return h;
}

static mus_status put_all(mus_partial *file, const mus_checkpoint *checkpoint, const entry *table, const head *h) {
  static const char zeros[ALIGNMENT] = {0};
  uint64_t end = sizeof *h + (uint64_t)checkpoint->count * sizeof *table;
  mus_status status = mus_partial_put(file, h, sizeof *h);
  if (status == MUS_OK)
    status = mus_partial_put(file, table, (size_t)checkpoint->count * sizeof *table);
  for (int i = 0; i < checkpoint->count && status == MUS_OK; ++i) {
    status = mus_partial_put(file, zeros, (size_t)(table[i].offset - end));
    if (status == MUS_OK)
      status = mus_partial_put(file, checkpoint->sections[i].data, checkpoint->sections[i].bytes);
    end = table[i].offset + table[i].bytes;
  }
  return status == MUS_OK ? mus_partial_commit(file) : status;
}

static mus_status write_file(mus_arena *arena, const char *path, const mus_checkpoint *checkpoint) {
  mus_partial file;
  entry *table = mus_arena_alloc(arena, (size_t)checkpoint->count, sizeof *table);
  if (!table)
    return mus_fail_memory();
  head h = make_table(checkpoint, table);
  mus_status status = mus_partial_create(&file, arena, path, "");
  if (status != MUS_OK)
    return status;
  status = put_all(&file, checkpoint, table, &h);
  if (status == MUS_OK)
    status = mus_partial_settle(&file);
  mus_partial_abandon(&file);
  return status;
}

mus_status mus_checkpoint_write(const char *path, const mus_checkpoint *checkpoint) {
  mus_status status = check(checkpoint);
  if (status != MUS_OK)
    return mus_fail_prefix(status, "%.200s", path);
  mus_arena scratch = {0};
  status = write_file(&scratch, path, checkpoint);
  mus_arena_clear(&scratch);
  return status;
}

// --- reading -------------------------------------------------------------------------------------------------------

static mus_status fail_damaged(const mus_source *from, uint64_t offset, const char *what) {
  return mus_source_fail(from, offset, "%s: resume from another checkpoint", what);
}

static mus_status read_head(const mus_source *from, head *h) {
  mus_status status = mus_source_read(from, 0, h, sizeof *h);
  if (status != MUS_OK)
    return status;
  if (memcmp(h->magic, magic, sizeof magic) != 0)
    return fail_damaged(from, 0, "not a checkpoint");
  if (h->order == 0x04030201)
    return fail_damaged(from, offsetof(head, order), "written on a machine of the other byte order");
  if (h->order != ORDER)
    return fail_damaged(from, offsetof(head, order), "the byte order is damaged");
  if (h->version != VERSION)
    return mus_fail(MUS_UNSUPPORTED, "%.200s: byte %zu: version %u of checkpoints: this program reads version %d only",
                    from->path, offsetof(head, version), h->version, VERSION);
  if (h->sum != head_sum(h))
    return fail_damaged(from, offsetof(head, sum), "the header is damaged");
  if (h->sections < 1 || h->sections > MUS_CHECKPOINT_SECTIONS || h->frame < 0 || h->frame > INT_MAX || h->zero != 0)
    return fail_damaged(from, offsetof(head, frame), "the header is impossible");
  if (h->length != from->length)
    return fail_damaged(from, from->length < h->length ? from->length : h->length,
                        from->length < h->length ? "the file is truncated" : "something follows the checkpoint");
  return MUS_OK;
}

// Sections must follow each other as they are written, so none can lie outside the file or in another.
static mus_status check_table(const mus_source *from, const head *h, const entry *table) {
  uint64_t end = sizeof *h + h->sections * sizeof *table;
  if (h->table_sum != mus_checksum(0, table, (size_t)h->sections * sizeof *table))
    return fail_damaged(from, sizeof *h, "the table of sections is damaged");
  for (uint64_t i = 0; i < h->sections; ++i) {
    uint64_t at = sizeof *h + i * sizeof *table;
    if (table[i].name[0] == 0 || table[i].name[MUS_CHECKPOINT_NAME - 1] != 0)
      return fail_damaged(from, at, "a section has no name");
    if (table[i].offset != align(end) || table[i].offset > h->length || table[i].bytes > h->length - table[i].offset)
      return fail_damaged(from, at, "a section is out of place");
    end = table[i].offset + table[i].bytes;
  }
  return end == h->length ? MUS_OK : fail_damaged(from, end, "something follows the last section");
}

static mus_status read_sections(const mus_source *from, mus_arena *arena, const head *h, mus_checkpoint *out) {
  size_t count = (size_t)h->sections;
  entry *table = mus_arena_alloc(arena, count, sizeof *table);
  mus_checkpoint_section *sections = mus_arena_alloc(arena, count, sizeof *sections);
  if (!table || !sections)
    return mus_fail_memory();
  mus_status status = mus_source_read(from, sizeof *h, table, count * sizeof *table);
  if (status == MUS_OK)
    status = check_table(from, h, table);
  for (size_t i = 0; i < count && status == MUS_OK; ++i) {
    void *data = mus_arena_alloc(arena, (size_t)table[i].bytes, 1);
    if (!data)
      return mus_fail_memory();
    status = mus_source_read(from, table[i].offset, data, (size_t)table[i].bytes);
    if (status == MUS_OK && mus_checksum(0, data, (size_t)table[i].bytes) != table[i].sum)
      return mus_source_fail(from, table[i].offset, "section \"%s\" is damaged: resume from another checkpoint",
                             table[i].name);
    sections[i] = (mus_checkpoint_section){.name = table[i].name, .data = data, .bytes = (size_t)table[i].bytes};
  }
  if (status == MUS_OK)
    *out = (mus_checkpoint){.frame = (int)h->frame, .count = (int)count, .sections = sections};
  return status;
}

mus_status mus_checkpoint_read(const char *path, mus_arena *arena, mus_checkpoint *out) {
  mus_source from;
  head h;
  mus_status status = mus_source_open(&from, path);
  if (status != MUS_OK)
    return status;
  mus_arena_mark before = mus_arena_here(arena);
  status = read_head(&from, &h);
  if (status == MUS_OK)
    status = read_sections(&from, arena, &h, out);
  if (status != MUS_OK)
    mus_arena_rewind(arena, before);
  mus_source_close(&from);
  return status;
}

mus_status mus_checkpoint_find(const mus_checkpoint *checkpoint, const char *name, size_t bytes, const void **data) {
  for (int i = 0; i < checkpoint->count; ++i) {
    const mus_checkpoint_section *section = &checkpoint->sections[i];
    if (strcmp(section->name, name) != 0)
      continue;
    if (section->bytes != bytes)
      return mus_fail(
          MUS_BAD_INPUT,
          "the checkpoint of frame %d has %zu bytes of %s where %zu are needed: it belongs to another scene",
          checkpoint->frame, section->bytes, name, bytes);
    *data = section->data;
    return MUS_OK;
  }
  return mus_fail(MUS_BAD_INPUT, "the checkpoint of frame %d has no %s: it belongs to another scene", checkpoint->frame,
                  name);
}

// --- folders -------------------------------------------------------------------------------------------------------

static const char prefix[] = "checkpoint_", suffix[] = ".bin";

static char *file_path(mus_arena *arena, const char *folder, const char *name) {
  size_t size = strlen(folder) + strlen(name) + 2;
  char *path = mus_arena_alloc(arena, size, 1);
  if (path)
    snprintf(path, size, "%s/%s", folder, name);
  return path;
}

static char *frame_path(mus_arena *arena, const char *folder, int frame) {
  char name[64];
  snprintf(name, sizeof name, "%s%06d%s", prefix, frame, suffix);
  return file_path(arena, folder, name);
}

// The frame of a name like checkpoint_000120.bin, or -1. What follows is in `rest`.
static int frame_of(const char *name, const char **rest) {
  if (strncmp(name, prefix, sizeof prefix - 1) != 0)
    return -1;
  const char *digits = name + sizeof prefix - 1;
  size_t count = strspn(digits, "0123456789");
  long frame = count >= 6 && count <= 10 ? strtol(digits, NULL, 10) : -1;
  *rest = digits + count;
  if (frame > INT_MAX || strncmp(*rest, suffix, sizeof suffix - 1) != 0)
    return -1;
  *rest += sizeof suffix - 1;
  return (int)frame;
}

static int descending(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x < y) - (x > y);
}

// The frames of all checkpoints in the folder, newest first, as a list of int. Unfinished ones are left, or removed.
static mus_status list_frames(const char *folder, mus_list *frames, int remove_unfinished) {
  DIR *open_folder = opendir(folder);
  if (!open_folder)
    return mus_fail(MUS_IO_ERROR, "%.200s: cannot be read (%s): check the folder and its permissions", folder,
                    strerror(errno));
  mus_status status = MUS_OK;
  mus_arena scratch = {0};
  for (struct dirent *item; status == MUS_OK && (item = readdir(open_folder));) {
    const char *rest = "";
    int frame = frame_of(item->d_name, &rest);
    if (frame >= 0 && *rest == 0) {
      int *place = mus_list_add(frames, sizeof *place);
      status = place ? MUS_OK : mus_fail_memory();
      if (place)
        *place = frame;
    } else if (frame >= 0 && remove_unfinished && strcmp(rest, ".partial") == 0) {
      char *path = file_path(&scratch, folder, item->d_name);
      status = path ? MUS_OK : mus_fail_memory();
      if (path)
        unlink(path);
    }
  }
  mus_arena_clear(&scratch);
  closedir(open_folder);
  if (status == MUS_OK && frames->count > 1)
    qsort(frames->items, frames->count, sizeof(int), descending);
  return status;
}

static mus_status remove_frame(const char *folder, int frame) {
  mus_arena scratch = {0};
  char *path = frame_path(&scratch, folder, frame);
  mus_status status = path ? MUS_OK : mus_fail_memory();
  if (path && unlink(path) != 0 && errno != ENOENT)
    status = mus_fail(MUS_IO_ERROR, "%.200s: cannot be removed (%s): check the folder and its permissions", path,
                      strerror(errno));
  mus_arena_clear(&scratch);
  return status;
}

void mus_checkpoint_prune(const char *folder, int frame) {
  mus_list frames = {0};
  int older = 0;
  if (list_frames(folder, &frames, 0) == MUS_OK)
    for (size_t i = 0; i < frames.count; ++i) {
      int other = ((int *)frames.items)[i];
      older += other < frame;
      if (other < frame && older > 1)
        remove_frame(folder, other);
    }
  mus_free(frames.items);
}

mus_status mus_checkpoint_save(const char *folder, const mus_checkpoint *checkpoint) {
  mus_arena scratch = {0};
  char *path = frame_path(&scratch, folder, checkpoint->frame);
  mus_status status = path ? mus_checkpoint_write(path, checkpoint) : mus_fail_memory();
  mus_arena_clear(&scratch);
  if (status == MUS_OK)
    mus_checkpoint_prune(folder, checkpoint->frame);
  return status;
}

mus_status mus_checkpoint_newest(const char *folder, int most, mus_arena *arena, mus_checkpoint *out) {
  mus_list frames = {0};
  mus_arena scratch = {0};
  mus_status status = list_frames(folder, &frames, 0);
  int found = 0, damaged = 0;
  for (size_t i = 0; i < frames.count && !found && status == MUS_OK; ++i) {
    int frame = ((int *)frames.items)[i];
    if (frame > most)
      continue;
    char *path = frame_path(&scratch, folder, frame);
    mus_status read = path ? mus_checkpoint_read(path, arena, out) : mus_fail_memory();
    if (read == MUS_OK && out->frame != frame)
      read = mus_fail(MUS_BAD_INPUT, "%.200s: holds frame %d: rename it accordingly", path, out->frame);
    found = read == MUS_OK;
    damaged += !found;
    status = read == MUS_OUT_OF_MEMORY ? read : MUS_OK;
  }
  mus_free(frames.items);
  mus_arena_clear(&scratch);
  if (status != MUS_OK || found)
    return status;
  if (damaged > 0)
    return mus_fail_prefix(MUS_IO_ERROR, "%.100s: holds no intact checkpoint", folder);
  return mus_fail(MUS_IO_ERROR, "%.200s: holds no checkpoint of frame %d or earlier: start again", folder, most);
}

mus_status mus_checkpoint_forget(const char *folder, int frame) {
  mus_list frames = {0};
  mus_status status = list_frames(folder, &frames, 1);
  for (size_t i = 0; i < frames.count && status == MUS_OK; ++i)
    if (((int *)frames.items)[i] > frame)
      status = remove_frame(folder, ((int *)frames.items)[i]);
  mus_free(frames.items);
  return status;
}
