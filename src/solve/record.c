// The level report as a table. See muslin/solver.h.
#include "muslin/solver.h"

#include <string.h>

// 0 where there is none of that name.
static double number_of(const mus_level_report *level, const char *name) {
  for (int k = 0; k < level->numbers; ++k)
    if (strcmp(level->number[k].name, name) == 0)
      return level->number[k].value;
  return 0;
}

void mus_solve_record_print_levels(const mus_solve_record *record, FILE *file) {
  if (!record || !file)
    return;
  if (record->levels == 0) {
    const char *name = mus_method_name(record->method);
    fprintf(file, "no hierarchy: %s has one level only\n", name ? name : "this method");
    return;
  }
  fprintf(file, "level      rows  block     nonzeros  special  dropped   radius  colours      MiB\n");
  for (int k = 0; k < record->levels; ++k) {
    const mus_level_report *l = &record->level[k];
    fprintf(file, "%5d %9d %6d %12lld %8d %8d", k, l->rows, l->block, l->nonzeros, l->special, l->dropped);
    if (l->spectral_radius > 0)
      fprintf(file, " %7.3f%c", l->spectral_radius, l->radius_converged ? ' ' : '?');
    else
      fprintf(file, k + 1 == record->levels ? "  direct " : "       - ");
    double colours = number_of(l, "colours");
    if (colours > 0)
      fprintf(file, " %7.0f", colours);
    else
      fprintf(file, "       -");
    fprintf(file, " %8.2f\n", (double)l->bytes / (1024.0 * 1024.0));
  }
  fprintf(file, "operator complexity %.2f\n", record->operator_complexity);
}
