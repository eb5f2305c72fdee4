// The list of smoothers, and which a level has. See smoother.h.
#include "multigrid/smoother.h"

#include <string.h>

#include "base/error.h"

static const mus_smoother *const smoothers[] = {&mus_chebyshev_smoother, &mus_gauss_seidel_smoother,
                                                &mus_jacobi_smoother, &mus_sweep_smoother};
enum { SMOOTHERS = sizeof smoothers / sizeof *smoothers };

const char *mus_smoother_name(int index) { return index >= 0 && index < SMOOTHERS ? smoothers[index]->name : NULL; }

enum { ORDER_MAXIMUM = 16 };

static mus_status refuse(int length, const char *text) {
  char list[200] = "";
  for (int k = 0; k < SMOOTHERS; ++k) {
    size_t used = strlen(list);
    const char *before = k == 0 ? "" : k + 1 < SMOOTHERS ? ", " : " or ";
    snprintf(list + used, sizeof list - used, "%s%s", before, smoothers[k]->name);
  }
  return mus_fail(MUS_BAD_INPUT,
                  "there is no smoother \"%.*s\": take %s, with sweeps from 1 to %d after a colon if need be", length,
                  text, list, ORDER_MAXIMUM);
}

// One of the list: NAME or NAME:SWEEPS.
static mus_status read_one(int length, const char *text, mus_level_smoother *out) {
  const char *colon = memchr(text, ':', (size_t)length);
  size_t name = colon ? (size_t)(colon - text) : (size_t)length;
  out->kind = NULL;
  for (int k = 0; k < SMOOTHERS; ++k)
    if (strlen(smoothers[k]->name) == name && memcmp(smoothers[k]->name, text, name) == 0)
      out->kind = smoothers[k];
  int sweeps = 0;
  for (const char *c = colon ? colon + 1 : text + length; c < text + length; ++c)
    sweeps = *c >= '0' && *c <= '9' && sweeps <= ORDER_MAXIMUM ? 10 * sweeps + *c - '0' : ORDER_MAXIMUM + 1;
  if (colon)
    out->options.smoother_order = sweeps;
  return out->kind && (!colon || (sweeps >= 1 && sweeps <= ORDER_MAXIMUM)) ? MUS_OK : refuse(length, text);
}

mus_status mus_smoothers_read(const mus_multigrid_options *options, int levels, mus_level_smoother *out) {
  const char *text = options->smoother, *end = text + strlen(text);
  mus_status status = MUS_OK;
  for (int k = 0; k < levels && !status; ++k) {
    const char *begin = end; // what is left is read from its end; the first of the list also holds for coarser levels
    while (begin > text && begin[-1] != '/')
      --begin;
    out[k].options = *options;
    status = read_one((int)(end - begin), begin, &out[k]);
    if (begin > text)
      end = begin - 1;
  }
  return status;
}

void mus_level_note(mus_level_report *report, const char *name, double value) {
  if (report->numbers < MUS_LEVEL_NUMBERS)
    report->number[report->numbers++] = (mus_level_number){name, value};
}
