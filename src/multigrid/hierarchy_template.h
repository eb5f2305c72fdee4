// What a hierarchy does in its cycle's precision, as text for base/both_precisions.h. See hierarchy.h.

mus_status NAME(mus_hierarchy_smooth)(const mus_hierarchy *h, int index, TYPE(mus_cycle_level) *level,
                                      mus_arena *arena) {
  const mus_level_smoother *smoother = &h->smoother[index];
  const TYPE(mus_level_system) *system = &level->system;
  mus_resistance least = h->is_hard ? MUS_RESISTS_SOMETIMES : MUS_RESISTS_MUCH;
  int resists = system->clusters && system->clusters->resistance >= least;
  int sweeps = system->symmetric && !system->beyond && !resists;
  const mus_smoother *kind = sweeps || !smoother->kind->stand_in ? smoother->kind : smoother->kind->stand_in;
#if SINGLE
  const TYPE(mus_smoother_calls) *calls = &kind->in_single;
#else
  const TYPE(mus_smoother_calls) *calls = &kind->in_double;
#endif
  if (level->smoother != calls) {
    void *state = level->smoother_state;
    level->smoother_state = level->spare_state;
    level->spare_state = state;
    level->smoother = calls;
  }
  for (int from_zero = 0; from_zero < 2; ++from_zero)
    level->sweep_passes[from_zero] = kind->passes(&smoother->options, from_zero);
  mus_status status = MUS_OK;
  if (!level->smoother_state)
    status = level->smoother->create(&smoother->options, &level->system, arena, &level->smoother_state);
  return status || !level->smoother->set_up ? status : level->smoother->set_up(level->smoother_state, &level->system);
}

// What follows once a level's numbers have been handed to the cycle.
static mus_status NAME(publish)(mus_hierarchy *h, int index, TYPE(mus_cycle_level) *c) {
  const mus_level *l = &h->level[index];
  c->system.diagonal = l->diagonal;
  c->system.radius = l->radius.value;
  c->pt = &l->plan.pt;
  c->passes = &h->passes[index];
  return mus_level_is_smoothed(h, index) ? NAME(mus_hierarchy_smooth)(h, index, c, &h->cycle) : MUS_OK;
}

static mus_status NAME(plan_renewal_of)(mus_hierarchy *h, int index, TYPE(mus_renewal) *r) {
  const mus_level *l = &h->level[index];
  *r = (TYPE(mus_renewal)){.plan = &l->plan, .diagonal = l->diagonal};
  if (!h->smoother[index].kind->uses_radius)
    return MUS_OK;
  r->probe = mus_arena_alloc(&h->cycle, mus_level_unknowns(l), sizeof *r->probe);
  return r->probe ? MUS_OK : mus_fail_memory();
}
