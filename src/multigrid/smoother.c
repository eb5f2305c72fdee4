// The list of smoothers. See smoother.h.
#include "multigrid/smoother.h"

#include <string.h>

#include "base/error.h"

static const mus_smoother *const smoothers[] = {&mus_chebyshev_smoother};
enum { SMOOTHERS = sizeof smoothers / sizeof *smoothers };

const char *mus_smoother_name(int index) { return index >= 0 && index < SMOOTHERS ? smoothers[index]->name : NULL; }

mus_status mus_smoother_find(const char *name, const mus_smoother **out) {
  char list[200] = "";
  for (int k = 0; k < SMOOTHERS; ++k) {
    if (name && strcmp(name, smoothers[k]->name) == 0) {
      *out = smoothers[k];
      return MUS_OK;
    }
    size_t length = strlen(list);
    snprintf(list + length, sizeof list - length, "%s%s",
             k == 0              ? ""
             : k + 1 < SMOOTHERS ? ", "
                                 : " or ",
             smoothers[k]->name);
  }
  return mus_fail(MUS_BAD_INPUT, "there is no smoother \"%s\": take %s", name ? name : "", list);
}

void mus_level_note(mus_level_report *report, const char *name, double value) {
  if (report->numbers < MUS_LEVEL_NUMBERS)
    report->number[report->numbers++] = (mus_level_number){name, value};
}
