// A result folder searched for intersections while a run writes it: what muslin/check.h finds, frame by frame.
#ifndef MUS_RESULT_CHECKER_H
#define MUS_RESULT_CHECKER_H

#include "muslin/check.h"

typedef struct mus_checker mus_checker;

// Opens the folder and searches frame 0. MUS_BAD_INPUT if it holds no cache that can be read.
mus_status mus_checker_open(const char *folder, int places, int threads, mus_checker **out);
void mus_checker_close(mus_checker *checker); // NULL is fine

// What mus_check() tells of a frame: its counts, and the first `places` of its pairs, those at seams last. They stay
// valid until the next call.
typedef struct mus_checked_frame {
  mus_check_counts counts;
  int pair_count;
  const mus_check_pair *pairs;
} mus_checked_frame;

mus_status mus_checker_search(mus_checker *checker, int frame, mus_checked_frame *out);

#endif
