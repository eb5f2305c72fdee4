// Simulations stepped together. See muslin/batch.h.
#include "muslin/batch.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/initialised.h"
#include "base/memory.h"
#include "base/stop.h"
#include "par/par.h"
#include "sim/simulator.h"
#include "step/resident_batch.h"

enum { TEXT = 512, MEMBERS_MOST = 1000000 };

struct mus_batch {
  mus_arena arena;
  int members;
  mus_batch_options options;
  mus_sim **sim;
  mus_status *status; // of the last call
  char (*text)[TEXT];
  mus_step_context *context;
  mus_step_record *record; // of a step on the GPU
  int groups;              // of up to MUS_RESIDENT_COPIES members each; 0 where all runs on the host
  mus_resident_batch **group;
  char failure[TEXT]; // why MUS_DEVICE_AUTO uses no GPU; "": nothing has failed
  long long done;     // steps of members there
};

mus_batch_options mus_default_batch_options(void) {
  return (mus_batch_options){.device = MUS_DEVICE_CPU, .cookie = MUS_COOKIE};
}

// --- life ------------------------------------------------------------------------------------------------------------

static int first_of(int group) { return group * MUS_RESIDENT_COPIES; }

static int count_of(const mus_batch *b, int group) {
  int left = b->members - first_of(group);
  return left < MUS_RESIDENT_COPIES ? left : MUS_RESIDENT_COPIES;
}

static void close_groups(mus_batch *b) {
  for (int g = 0; g < b->groups; ++g)
    mus_resident_batch_free(b->group[g]);
  b->groups = 0;
}

// The GPU is given up where that is allowed.
static mus_status fail_there(mus_batch *b, mus_status status) {
  if (b->options.device != MUS_DEVICE_AUTO || !mus_resident_is_at_fault(status))
    return status;
  snprintf(b->failure, sizeof b->failure, "%s", mus_last_error());
  close_groups(b);
  return MUS_OK;
}

static void take_contexts(mus_batch *b) {
  for (int k = 0; k < b->members; ++k)
    b->context[k] = mus_sim_context(b->sim[k]);
}

static mus_status open_groups(mus_batch *b) {
  int groups = (b->members + MUS_RESIDENT_COPIES - 1) / MUS_RESIDENT_COPIES;
  if (b->options.device == MUS_DEVICE_CPU)
    return MUS_OK;
  take_contexts(b);
  const char *obstacle = mus_resident_batch_obstacle(b->members, b->context);
  mus_status status =
      obstacle
          ? mus_fail(MUS_UNSUPPORTED, "%s do not run on a GPU in batches: use the device \"auto\" or \"cpu\"", obstacle)
          : MUS_OK;
  if (!status && !(b->group = mus_arena_alloc_zero(&b->arena, (size_t)groups, sizeof *b->group)))
    status = mus_fail_memory();
  for (int g = 0; g < groups && !status; ++g) {
    status = mus_resident_batch_create(count_of(b, g), b->context + first_of(g), &b->group[g]);
    b->groups += !status;
  }
  return status ? fail_there(b, status) : MUS_OK;
}

// Members have solvers of the host's, each for one thread: the batch shares them out.
static mus_status create_member(mus_batch *b, int k, const mus_scene *scene) {
  mus_status status = mus_sim_create_on(scene, MUS_DEVICE_CPU, &b->sim[k]);
  return status ? mus_fail_prefix(status, "member %d", k) : MUS_OK;
}

static mus_status allocate(mus_batch *b) {
  size_t count = (size_t)b->members;
  b->sim = mus_arena_alloc_zero(&b->arena, count, sizeof *b->sim);
  b->status = mus_arena_alloc_zero(&b->arena, count, sizeof *b->status);
  b->text = mus_arena_alloc_zero(&b->arena, count, sizeof *b->text);
  b->context = mus_arena_alloc_zero(&b->arena, count, sizeof *b->context);
  b->record = mus_arena_alloc_zero(&b->arena, count, sizeof *b->record);
  return b->sim && b->status && b->text && b->context && b->record ? MUS_OK : mus_fail_memory();
}

mus_status mus_batch_create(int members, const mus_scene *const *scenes, const mus_batch_options *options,
                            mus_batch **out) {
  mus_status status =
      mus_check_initialised(options->cookie, "the options of the batch were", "mus_default_batch_options");
  if (!status && (members < 1 || members > MEMBERS_MOST))
    status = mus_fail(MUS_BAD_INPUT, "a batch has 1 to %d members, not %d", MEMBERS_MOST, members);
  if (!status && (options->threads < 0 || !mus_device_name(options->device)))
    status = mus_fail(MUS_BAD_INPUT, "the batch's options name no number of threads or no device that there is");
  if (status)
    return status;
  mus_batch *b = mus_alloc_zero(1, sizeof *b);
  if (!b)
    return mus_fail_memory();
  b->members = members;
  b->options = *options;
  status = allocate(b);
  for (int k = 0; k < members && !status; ++k)
    status = create_member(b, k, scenes[k]);
  if (!status)
    status = open_groups(b);
  if (status)
    mus_batch_free(b);
  else
    *out = b;
  return status;
}

void mus_batch_free(mus_batch *b) {
  if (!b)
    return;
  close_groups(b);
  for (int k = 0; k < b->members && b->sim; ++k)
    mus_sim_free(b->sim[k]);
  mus_arena_clear(&b->arena);
  mus_free(b);
}

int mus_batch_members(const mus_batch *b) { return b->members; }

mus_sim *mus_batch_member(mus_batch *b, int member) {
  return member >= 0 && member < b->members ? b->sim[member] : NULL;
}

mus_status mus_batch_status(const mus_batch *b, int member) {
  return member >= 0 && member < b->members ? b->status[member] : MUS_BAD_INPUT;
}

mus_sim_device mus_batch_device_used(const mus_batch *b) {
  mus_sim_device out = {.steps = b->done};
  for (int g = 0; g < b->groups; ++g)
    mus_resident_batch_tell(b->group[g], &out);
  memcpy(out.failure, b->failure, sizeof out.failure);
  return out;
}

// --- steps -----------------------------------------------------------------------------------------------------------

// How far members go in a call.
typedef struct target {
  int whole_frames; // 1: to the end of their frames, 0: a step
} target;

static int is_there(const mus_sim *sim, const target *t, int frame_before) {
  return t->whole_frames ? sim->state.frame > frame_before : sim->records.count > 0;
}

// The rest of a member's way, on the host. Errors are this thread's.
static void run_member(mus_batch *b, int k, const target *t, int frame_before) {
  mus_sim *sim = b->sim[k];
  mus_status status = MUS_OK;
  while (!status && !is_there(sim, t, frame_before))
    status = mus_sim_step_on(sim);
  b->status[k] = status;
  if (status)
    snprintf(b->text[k], TEXT, "%s", mus_last_error());
}

static int ask_caller(void *request) { return mus_stop_is_asked(request); }

// Members from `first` on, as threads come free. Each runs on one thread.
static void run_members(mus_batch *b, int first, int count, const target *t, const int *frame_before) {
  int before = mus_par_set_threads(b->options.threads);
  mus_stop_request *request = mus_stop_current();
  MUS_PARALLEL
  {
    mus_stop_request own;
    int threads = mus_par_set_threads(1);
    mus_stop_begin(&own, ask_caller, request);
    MUS_SHARE_RUNS
    for (int k = first; k < first + count; ++k)
      run_member(b, k, t, frame_before[k]);
    mus_stop_end(&own);
    mus_par_set_threads(threads);
  }
  mus_par_set_threads(before);
}

// Whether all members of a group are at the beginning of the same step, of the same length.
static int are_abreast(const mus_batch *b, int first, int count, double *h) {
  const mus_sim *one = b->sim[first];
  *h = mus_settings_step_length(&one->settings, one->state.frame);
  for (int k = first; k < first + count; ++k) {
    const mus_sim *sim = b->sim[k];
    if (mus_settings_step_length(&sim->settings, sim->state.frame) != *h || sim->state.halvings_before > 1)
      return 0;
  }
  return 1;
}

// One step of a group on the GPU; *done is 0 where the host has to do it.
static mus_status step_there(mus_batch *b, int g, int *done) {
  int first = first_of(g), count = count_of(b, g);
  double h;
  *done = are_abreast(b, first, count, &h);
  if (!*done)
    return MUS_OK;
  mus_status status = mus_resident_batch_step(b->group[g], b->context + first, h, b->record + first, done);
  for (int k = first; k < first + count && !status && *done; ++k)
    status = mus_sim_stepped(b->sim[k], &b->record[k]);
  b->done += !status && *done ? count : 0;
  return status;
}

static int all_are_there(const mus_batch *b, int first, int count, const target *t, const int *frame_before) {
  int all = 1;
  for (int k = first; k < first + count; ++k)
    all = all && is_there(b->sim[k], t, frame_before[k]);
  return all;
}

// On the GPU as far as that goes; then on the host.
static void run_group(mus_batch *b, int g, const target *t, const int *frame_before) {
  int first = first_of(g), count = count_of(b, g), done = 1;
  mus_status status = MUS_OK;
  while (done && !status && !all_are_there(b, first, count, t, frame_before))
    status = step_there(b, g, &done);
  if (status && !fail_there(b, status)) {
    done = 0;
    status = MUS_OK;
  }
  for (int k = first; k < first + count; ++k) {
    b->status[k] = status;
    if (status)
      snprintf(b->text[k], TEXT, "%s", mus_last_error());
  }
  if (!status && !done)
    run_members(b, first, count, t, frame_before);
}

static mus_status run(mus_batch *b, const target *t) {
  int *frame_before = mus_alloc((size_t)b->members, sizeof *frame_before), g = 0;
  if (!frame_before)
    return mus_fail_memory();
  for (int k = 0; k < b->members; ++k) {
    frame_before[k] = b->sim[k]->state.frame;
    b->sim[k]->records.count = 0;
  }
  take_contexts(b);
  for (; g < b->groups; ++g) // which may end, where the GPU is given up
    run_group(b, g, t, frame_before);
  int first = first_of(g);
  if (first < b->members)
    run_members(b, first, b->members - first, t, frame_before);
  mus_free(frame_before);
  for (int k = 0; k < b->members; ++k)
    if (b->status[k])
      return mus_fail(b->status[k], "member %d: %s", k, b->text[k]);
  return MUS_OK;
}

mus_status mus_batch_step(mus_batch *b) { return run(b, &(target){0}); }

mus_status mus_batch_frame(mus_batch *b) { return run(b, &(target){1}); }
