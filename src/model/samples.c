// Positions over time from files. See samples.h.
#include "model/samples.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "base/memory.h"
#include "base/order.h"
#include "io/cache.h"
#include "io/mesh_file.h"

enum { KEPT = 2, DIGITS_MAXIMUM = 9 };

struct mus_samples {
  mus_arena arena;
  int count, vertices;
  double *time; // count, s, ascending from 0
  double *kept[KEPT];
  int kept_sample[KEPT]; // which ones they are; -1: none yet
  int oldest;            // of the kept ones
  mus_cache_reader *reader;
  // Of a sequence: the path before and after its number, the number's digits, and which there are.
  char *before, *after, *path;
  size_t path_size;
  int digits;
  mus_list numbers;
};

// --- sequences -------------------------------------------------------------------------------------------------------

int mus_samples_is_sequence(const char *path) { return strchr(path, '#') != NULL; }

static void write_path(mus_samples *samples, int sample) {
  snprintf(samples->path, samples->path_size, "%s%0*d%s", samples->before, samples->digits,
           ((const int *)samples->numbers.items)[sample], samples->after);
}

const char *mus_samples_first_file(const mus_samples *samples) {
  if (samples->reader)
    return NULL;
  write_path((mus_samples *)samples, 0);
  return samples->path;
}

// Cuts the pattern at its run of #.
static mus_status cut_pattern(mus_samples *samples, const char *pattern) {
  const char *hash = strchr(pattern, '#');
  size_t before = (size_t)(hash - pattern), digits = strspn(hash, "#"), size = strlen(pattern) + DIGITS_MAXIMUM + 3;
  if (digits > DIGITS_MAXIMUM || strpbrk(hash + digits, "#/"))
    return mus_fail(MUS_BAD_INPUT, "%.200s: give one run of at most %d # in the name of the files", pattern,
                    DIGITS_MAXIMUM);
  samples->before = mus_arena_alloc_zero(&samples->arena, size, 1);
  samples->after = mus_arena_alloc_zero(&samples->arena, size, 1);
  samples->path = mus_arena_alloc_zero(&samples->arena, size, 1);
  if (!samples->before || !samples->after || !samples->path)
    return mus_fail_memory();
  memcpy(samples->before, pattern, before);
  strcpy(samples->after, hash + digits);
  samples->digits = (int)digits;
  samples->path_size = size;
  return MUS_OK;
}

// The number in a file's name; -1 when it is none of the sequence.
static int number_in(const char *name, const char *before, const char *after, int digits) {
  size_t length = strlen(before);
  if (strncmp(name, before, length) != 0)
    return -1;
  const char *number = name + length;
  size_t found = strspn(number, "0123456789");
  if (found < (size_t)digits || found > DIGITS_MAXIMUM || strcmp(number + found, after) != 0)
    return -1;
  if (found > (size_t)digits && number[0] == '0')
    return -1; // "00010" is not how ## says 10
  return atoi(number);
}

static mus_status list_numbers(mus_samples *samples, const char *pattern) {
  const char *slash = strrchr(samples->before, '/'), *name = slash ? slash + 1 : samples->before;
  size_t length = (size_t)(name - samples->before);
  memcpy(samples->path, samples->before, length);
  samples->path[length] = 0;
  DIR *folder = opendir(length > 0 ? samples->path : ".");
  if (!folder)
    return mus_fail(MUS_IO_ERROR, "%.200s: its folder cannot be read: check the name and the permissions", pattern);
  mus_status status = MUS_OK;
  for (struct dirent *entry = readdir(folder); entry && !status; entry = readdir(folder)) {
    int number = number_in(entry->d_name, name, samples->after, samples->digits);
    int *item = number >= 0 ? mus_list_add(&samples->numbers, sizeof *item) : NULL;
    if (item)
      *item = number;
    else if (number >= 0)
      status = mus_fail_memory();
  }
  closedir(folder);
  if (!status && samples->numbers.count == 0)
    status = mus_fail(MUS_IO_ERROR, "%.200s: there is no file of such a name: check it, # stands for a digit", pattern);
  if (!status)
    qsort(samples->numbers.items, samples->numbers.count, sizeof(int), mus_ascending);
  return status;
}

static mus_status read_mesh_sample(mus_samples *samples, int sample, double *position) {
  mus_arena scratch = {0};
  mus_mesh_file file;
  write_path(samples, sample);
  mus_status status = mus_mesh_file_read(samples->path, &scratch, &file);
  if (!status && file.mesh.vertices != samples->vertices)
    status =
        mus_fail(MUS_BAD_INPUT, "%.200s: it has %d vertices, but the first of the sequence has %d: they must agree",
                 samples->path, file.mesh.vertices, samples->vertices);
  if (!status)
    memcpy(position, file.mesh.position, 3 * (size_t)samples->vertices * sizeof *position);
  mus_arena_clear(&scratch);
  return status;
}

static mus_status count_vertices(mus_samples *samples) {
  mus_arena scratch = {0};
  mus_mesh_file file;
  write_path(samples, 0);
  mus_status status = mus_mesh_file_read(samples->path, &scratch, &file);
  if (!status)
    samples->vertices = file.mesh.vertices;
  mus_arena_clear(&scratch);
  return status;
}

// --- life ------------------------------------------------------------------------------------------------------------

// Room for the times and the samples that are kept.
static mus_status allocate(mus_samples *samples, int count, int vertices) {
  samples->count = count;
  samples->vertices = vertices;
  samples->time = mus_arena_alloc(&samples->arena, (size_t)count, sizeof *samples->time);
  if (!samples->time)
    return mus_fail_memory();
  for (int k = 0; k < KEPT; ++k) {
    samples->kept_sample[k] = -1;
    samples->kept[k] = mus_arena_alloc(&samples->arena, 3 * (size_t)vertices, sizeof(double));
    if (!samples->kept[k])
      return mus_fail_memory();
  }
  return MUS_OK;
}

static mus_status open_cache(mus_samples *samples, const char *path, double rate) {
  mus_status status = mus_cache_open(path, &samples->reader);
  if (status)
    return status;
  const mus_cache_info *about = mus_cache_about(samples->reader);
  if (about->frames == 0)
    return mus_fail(MUS_BAD_INPUT, "%.200s: there is no sample in it: write it again", path);
  status = allocate(samples, about->frames, about->points);
  for (int k = 0; k < about->frames && !status; ++k) {
    samples->time[k] = about->time ? (double)about->time[k] - (double)about->time[0] : k * about->rate / rate;
    if (k > 0 && !(samples->time[k] > samples->time[k - 1]))
      status =
          mus_fail(MUS_BAD_INPUT, "%.200s: sample %d is not after the one before it: write the file again", path, k);
  }
  return status;
}

static mus_status open_sequence(mus_samples *samples, const char *pattern, double rate) {
  mus_status status = cut_pattern(samples, pattern);
  if (!status)
    status = list_numbers(samples, pattern);
  if (!status)
    status = count_vertices(samples);
  if (!status)
    status = allocate(samples, (int)samples->numbers.count, samples->vertices);
  const int *number = samples->numbers.items;
  for (int k = 0; k < samples->count && !status; ++k)
    samples->time[k] = (number[k] - number[0]) / rate;
  return status;
}

static mus_status create(mus_status (*open)(mus_samples *, const char *, double), const char *path, double rate,
                         mus_samples **out) {
  mus_samples *samples = mus_alloc_zero(1, sizeof *samples);
  if (!samples)
    return mus_fail_memory();
  mus_status status = open(samples, path, rate);
  if (status)
    mus_samples_free(samples);
  else
    *out = samples;
  return status;
}

mus_status mus_samples_open(const char *path, double rate, mus_samples **out) {
  return create(open_cache, path, rate, out);
}

mus_status mus_samples_open_sequence(const char *pattern, double rate, mus_samples **out) {
  return create(open_sequence, pattern, rate, out);
}

void mus_samples_free(mus_samples *samples) {
  if (!samples)
    return;
  mus_cache_reader_free(samples->reader);
  mus_free(samples->numbers.items);
  mus_arena_clear(&samples->arena);
  mus_free(samples);
}

size_t mus_samples_bytes(const mus_samples *samples) {
  return sizeof *samples + samples->arena.bytes + samples->numbers.capacity * sizeof(int);
}
int mus_samples_count(const mus_samples *samples) { return samples->count; }
int mus_samples_vertices(const mus_samples *samples) { return samples->vertices; }

// --- over time -------------------------------------------------------------------------------------------------------

// A sample, from those kept where it is one of them. The sample asked for before stays.
static mus_status fetch(mus_samples *samples, int sample, const double **position) {
  for (int k = 0; k < KEPT; ++k)
    if (samples->kept_sample[k] == sample) {
      *position = samples->kept[k];
      samples->oldest = 1 - k;
      return MUS_OK;
    }
  int slot = samples->oldest;
  samples->kept_sample[slot] = -1;
  mus_status status = samples->reader ? mus_cache_read(samples->reader, sample, samples->kept[slot])
                                      : read_mesh_sample(samples, sample, samples->kept[slot]);
  if (status)
    return status;
  samples->kept_sample[slot] = sample;
  samples->oldest = 1 - slot;
  *position = samples->kept[slot];
  return MUS_OK;
}

// The last sample that is not after the time, or the first.
static int find_sample(const mus_samples *samples, double time) {
  int low = 0, high = samples->count - 1;
  while (low < high) {
    int middle = high - (high - low) / 2;
    if (samples->time[middle] <= time)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

mus_status mus_samples_at(mus_samples *samples, double time, double *position) {
  int sample = find_sample(samples, time);
  size_t numbers = 3 * (size_t)samples->vertices;
  const double *from = NULL, *to = NULL;
  mus_status status = fetch(samples, sample, &from);
  if (status)
    return status;
  if (sample + 1 == samples->count || time <= samples->time[sample]) {
    memcpy(position, from, numbers * sizeof *position);
    return MUS_OK;
  }
  status = fetch(samples, sample + 1, &to);
  if (status)
    return status;
  double part = (time - samples->time[sample]) / (samples->time[sample + 1] - samples->time[sample]);
  for (size_t i = 0; i < numbers; ++i)
    position[i] = from[i] + part * (to[i] - from[i]);
  return MUS_OK;
}
