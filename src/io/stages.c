// The stages of a step, as reports name them. See muslin/sim.h.
#include "muslin/sim.h"

const char *mus_stage_name(mus_stage stage) {
  static const char *const names[MUS_STAGES] = {
      [MUS_STAGE_DETECT] = "detect",       [MUS_STAGE_RESPOND] = "respond", [MUS_STAGE_ASSEMBLE] = "assemble",
      [MUS_STAGE_SETUP] = "setup",         [MUS_STAGE_SOLVE] = "solve",     [MUS_STAGE_OTHER] = "other",
      [MUS_STAGE_PREFILTER] = "prefilter", [MUS_STAGE_LIMIT] = "limit",     [MUS_STAGE_LATTICE] = "lattice",
  };
  return (int)stage >= 0 && stage < MUS_STAGES ? names[stage] : NULL;
}

void mus_step_seconds(const mus_step_record *record, double seconds[MUS_STAGES]) {
  seconds[MUS_STAGE_DETECT] = record->detect_seconds;
  seconds[MUS_STAGE_RESPOND] = record->respond_seconds;
  seconds[MUS_STAGE_ASSEMBLE] = record->assemble_seconds;
  seconds[MUS_STAGE_SETUP] = record->setup_seconds;
  seconds[MUS_STAGE_PREFILTER] = record->prefilter_seconds;
  seconds[MUS_STAGE_SOLVE] = record->solve_seconds;
  seconds[MUS_STAGE_LIMIT] = record->limit_seconds;
  seconds[MUS_STAGE_LATTICE] = record->lattice_seconds;
  seconds[MUS_STAGE_OTHER] = record->other_seconds;
}
