// See estimate.h.
#include "krylov/estimate.h"

#include <math.h>

// An error counts as known when what is left is at most this part of the square of what has been seen of it.
static const double uncertainty = 0.25;
// S is looked for among the terms of iterates whose squared errors are up to so many times the one in question.
static const double history = 1e4;
enum { HISTORY_MOST = 1000 }; // terms

void mus_estimate_begin(mus_estimate *estimate, double *term, double before) {
  *estimate = (mus_estimate){.term = term, .before = before, .square = HUGE_VAL};
}

static double largest_ratio(const mus_estimate *e) {
  double sum = 0, largest = 1;
  for (int j = e->count - 1; j >= 0 && j > e->count - HISTORY_MOST && !(sum > history * e->since); --j) {
    double size = fabs(e->term[j]);
    sum += size;
    if (size > 0)
      largest = fmax(largest, sum / size);
  }
  return largest;
}

// Summed afresh: a sum that terms are taken out of would lose the digits of the small ones.
static double sum_of(const mus_estimate *e, int first, int end) {
  double sum = 0;
  for (int j = end - 1; j >= first; --j)
    sum += e->term[j];
  return sum;
}

void mus_estimate_add(mus_estimate *e, double term) {
  double seen = e->since; // without the last term
  int last = e->count++;
  e->term[last] = term;
  e->gained += term;
  e->since += term;
  double ratio = largest_ratio(e);
  e->rest = ratio * fabs(term);
  while (e->next < last && e->rest <= uncertainty * seen) {
    e->square = (1 + uncertainty) * seen;
    seen = sum_of(e, ++e->next, last);
    e->since = seen + term;
  }
  if (last > 0 && e->next == last && ratio <= 1 + uncertainty) // so fast that no term is needed to judge this one
    e->square = (1 + uncertainty) * e->rest;
}

double mus_estimate_solution(const mus_estimate *e) { return sqrt(fmax(e->before + e->gained, 0)); }

int mus_estimate_is_below(const mus_estimate *e, double tolerance) {
  return sqrt(e->square) <= tolerance * mus_estimate_solution(e);
}

void mus_estimate_end(mus_estimate *e) {
  double sum = fmin(e->rest, e->square);
  for (int j = e->count; j >= 0; --j) {
    double term = j > 0 ? e->term[j - 1] : 0;
    e->term[j] = sqrt(fmax(sum, 0));
    sum += term;
  }
}
