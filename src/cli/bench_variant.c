// See bench_variant.h.
#include "bench_variant.h"

#include <stdio.h>
#include <string.h>

#include "failure.h"
#include "preset.h"

static int refuse(const char *program, const char *word, mus_status status) {
  char about[64];
  snprintf(about, sizeof about, "--solvers: %.40s", word);
  return failure_status(program, about, status);
}

static int parse_part(const char *program, const char *part, bench_variant *variant) {
  mus_preset preset;
  if (strcmp(part, "filtered") == 0) {
    variant->filtered = 1;
    return 0;
  }
  for (int device = 0; mus_device_name((mus_device_choice)device); ++device)
    if (strcmp(part, mus_device_name((mus_device_choice)device)) == 0) {
      variant->device = device;
      return 0;
    }
  mus_status status = mus_preset_from_name(part, &preset);
  if (status)
    return refuse(program, variant->name, status);
  variant->preset = (int)preset;
  return 0;
}

int bench_variant_parse(const char *program, const char *word, bench_variant *variant) {
  char parts[sizeof variant->name], *rest = parts;
  *variant = (bench_variant){.preset = -1, .device = -1};
  if (strlen(word) >= sizeof variant->name)
    return failure_input(program, "--solvers: no solver has a name like %.40s...", word);
  strcpy(variant->name, word);
  strcpy(parts, word);
  char *colon = strchr(rest, ':');
  if (colon)
    *colon = 0;
  mus_status status = mus_method_from_name(rest, &variant->method);
  if (status)
    return refuse(program, word, status);
  int failed = 0;
  while (colon && !failed) {
    rest = colon + 1;
    colon = strchr(rest, ':');
    if (colon)
      *colon = 0;
    failed = parse_part(program, rest, variant);
  }
  if (!failed && variant->filtered && !mus_method_may_filter_vectors(variant->method))
    return failure_input(program, "--solvers: %s: only sa and diag can be filtered; mpcg always is", word);
  return failed;
}

mus_solver_options bench_variant_options(const bench_variant *variant, const mus_solver_options *scene) {
  mus_solver_options options = *scene;
  if (variant->preset >= 0)
    preset_fill((mus_preset)variant->preset, &options);
  options.method = variant->method;
  if (variant->filtered)
    options.prefilter = 0;
  if (variant->device >= 0)
    options.device = (mus_device_choice)variant->device;
  if (*variant->smoother)
    strcpy(options.multigrid.smoother, variant->smoother);
  options.stationary = variant->stationary;
  if (options.stop == MUS_STOP_INITIAL)
    options.stop = MUS_STOP_RHS; // the initial guess, where there is one, is to save iterations
  return options;
}
