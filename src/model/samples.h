// A mesh's positions over time from files: a PC2 or MDD, or a sequence of OBJ files. Private to model/.
//
// The first sample is at 0 s, whatever its number or time in the file is. Between two samples positions are linear in
// time; before the first and after the last they are held. Samples are read when they are needed and two are kept.
#ifndef MUS_MODEL_SAMPLES_H
#define MUS_MODEL_SAMPLES_H

#include <stddef.h>

#include "muslin/status.h"

typedef struct mus_samples mus_samples;

// A PC2, whose samples are `rate` frames a second, or an MDD, which has the times of its own. Errors name the file.
mus_status mus_samples_open(const char *path, double rate, mus_samples **out);

// 1 for the name of a sequence, which has # in it: each run of them stands for a number of at least as many digits.
int mus_samples_is_sequence(const char *path);
// All files of that name, in the order of their numbers; numbers that are missing are taken from their neighbours.
mus_status mus_samples_open_sequence(const char *pattern, double rate, mus_samples **out);
// The path of a sequence's first file; NULL for a PC2 or MDD.
const char *mus_samples_first_file(const mus_samples *samples);

void mus_samples_free(mus_samples *samples); // NULL is fine
size_t mus_samples_bytes(const mus_samples *samples);
int mus_samples_count(const mus_samples *samples);
int mus_samples_vertices(const mus_samples *samples);

// vertices * 3 numbers, as they are in the files. Fails when a file cannot be read or has another number of vertices.
mus_status mus_samples_at(mus_samples *samples, double time, double *position);

#endif
