// `muslin check`. See check.h.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "muslin/check.h"
#include "numbers.h"
#include "options.h"

static const char *const program = "muslin check";

typedef struct check_options {
  mus_check_options check;
  const char *result[2]; // and, for a mesh, its cache
  option_list bodies;
  const char *frames, *json;
  int only_new, seams, quiet, help;
} check_options;

// --- options ---------------------------------------------------------------------------------------------------------

enum { OPTIONS = 9, PLACES_MOST = 100000000, THREADS_MOST = 1024 };

static int list_options(check_options *o, option *list) {
  int n = 0;
  list[n++] = option_texts("body", &o->bodies, "MESH[:CACHE]",
                           "an additional body, and the PC2 or MDD file that\nmoves it; may be repeated");
  list[n++] = option_text("frames", &o->frames, "A-B", "only these frames (all)");
  list[n++] = option_whole("places", &o->check.places, 0, PLACES_MOST, "pairs to list per frame (5)");
  list[n++] = option_text("json", &o->json, "FILE", "write everything as JSON; pairs as above");
  list[n++] = option_flag("new", &o->only_new,
                          "status 1 only for pairs that do not already intersect\nin frame 0 and are not at seams");
  list[n++] = option_flag("seams", &o->seams, "status 1 also for pairs at seams, which meet where\nthey are sewn");
  list[n++] = option_flag("quiet", &o->quiet, "print only the summary, and no progress");
  list[n++] = option_whole("threads", &o->check.threads, 0, THREADS_MOST,
                           "0: all cores; the findings are the same for any number (0)");
  list[n++] = option_flag("help", &o->help, "print this text");
  list[n - 1].letter = 'h';
  return n;
}

static void print_help(const option_table *table) {
  printf(
      "muslin check FOLDER [options]\n"
      "muslin check MESH [CACHE] [--body MESH[:CACHE]]... [options]\n\n"
      "Searches every frame for intersecting triangles of cloths, solids and bodies (not bodies alone), in exact\n"
      "arithmetic on the numbers in the caches (docs/check.md). FOLDER is what muslin run writes; meshes are OBJ or\n"
      "PLY, caches PC2 or MDD.\n\nOptions:\n");
  options_print(table, stdout);
  printf("\nExit status: 0 if nothing intersects; 1 if something does; 2 if the search was not possible.\n");
}

// Whole numbers, as "3", "3-" or "3-10".
static int parse_frames(const char *text, mus_check_options *check) {
  char *end;
  long first = strtol(text, &end, 10), last = first;
  int good = end != text && *text >= '0' && *text <= '9';
  if (good && *end == '-') {
    const char *second = end + 1;
    last = *second ? strtol(second, &end, 10) : -1; // "3-": to the end
    good = !*second || (end != second && *second >= '0' && *second <= '9' && !*end && last >= first);
  } else
    good = good && !*end;
  if (!good || first > 100000000 || last > 100000000)
    return failure_input(program, "--frames: '%s' is neither FIRST-LAST, such as 0-48, nor FIRST-", text);
  check->first = (int)first;
  check->last = (int)last;
  return 0;
}

static int parse_command(int argc, char **argv, check_options *o) {
  option list[OPTIONS];
  option_table table = {program, list, list_options(o, list)};
  int count = 0, failed = options_parse(&table, argc, argv, o->result, 2, &count);
  if (failed)
    return failed;
  if (o->help) {
    print_help(&table);
    return 0;
  }
  if (count == 0)
    return failure_input(program, "no result given: name a result folder or a mesh, or use --help");
  o->check.body_count = o->bodies.count;
  o->check.bodies = o->bodies.text;
  return o->frames ? parse_frames(o->frames, &o->check) : 0;
}

// --- telling ---------------------------------------------------------------------------------------------------------

typedef struct teller {
  const check_options *options;
  json_t *frames; // NULL without --json
  int failed;     // memory was short
} teller;

static const char *const kinds[] = {[MUS_CHECK_CLOTH_CLOTH] = "cloth-cloth",
                                    [MUS_CHECK_CLOTH_BODY] = "cloth-body",
                                    [MUS_CHECK_SEAM] = "seam",
                                    [MUS_CHECK_CLOTH_SOLID] = "cloth-solid",
                                    [MUS_CHECK_SOLID_SOLID] = "solid-solid",
                                    [MUS_CHECK_SOLID_BODY] = "solid-body"};

// Those of solids where there are any.
static void print_counts(const mus_check_counts *c) {
  printf("%s cloth-cloth, %s cloth-body", numbers_grouped(c->cloth_cloth).text, numbers_grouped(c->cloth_body).text);
  if (c->cloth_solid + c->solid_solid + c->solid_body > 0)
    printf(", %s cloth-solid, %s solid-solid, %s solid-body", numbers_grouped(c->cloth_solid).text,
           numbers_grouped(c->solid_solid).text, numbers_grouped(c->solid_body).text);
  if (c->of_lattices > 0)
    printf(" (%s of them of solids on lattices, which penalties keep apart)", numbers_grouped(c->of_lattices).text);
  printf(", %s at seams; %s new since frame 0", numbers_grouped(c->seam).text, numbers_grouped(c->fresh).text);
}

static void print_frame(int frame, const mus_check_counts *counts, int pair_count, const mus_check_pair *pairs) {
  long long all = mus_check_pairs(counts) + counts->seam;
  if (all == 0)
    return;
  printf("frame %d: ", frame);
  print_counts(counts);
  printf("\n");
  for (int k = 0; k < pair_count; ++k) {
    const mus_check_pair *p = &pairs[k];
    printf("  %s %d and %s %d at %.6g %.6g %.6g (%s%s)\n", p->name[0], p->triangle[0], p->name[1], p->triangle[1],
           p->place[0], p->place[1], p->place[2], kinds[p->kind], p->is_new && frame > 0 ? ", new" : "");
  }
  if (pair_count > 0 && all > pair_count)
    printf("  and %s more\n", numbers_grouped(all - pair_count).text);
}

// A file's name may be no UTF-8, which JSON has no place for.
static json_t *text_json(const char *text) {
  json_t *value = json_string(text);
  return value ? value : json_null();
}

static json_t *counts_json(const mus_check_counts *c) {
  return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "cloth_cloth", (json_int_t)c->cloth_cloth, "cloth_body",
                   (json_int_t)c->cloth_body, "cloth_solid", (json_int_t)c->cloth_solid, "solid_solid",
                   (json_int_t)c->solid_solid, "solid_body", (json_int_t)c->solid_body, "at_seams", (json_int_t)c->seam,
                   "new", (json_int_t)c->fresh, "of_lattices", (json_int_t)c->of_lattices);
}

static json_t *frame_json(int frame, const mus_check_counts *counts, int pair_count, const mus_check_pair *pairs) {
  json_t *list = json_array();
  for (int k = 0; k < pair_count && list; ++k) {
    const mus_check_pair *p = &pairs[k];
    json_t *pair = json_pack("{s:s, s:b, s:[oo], s:[ii], s:[fff]}", "kind", kinds[p->kind], "new",
                             p->is_new && frame > 0, "names", text_json(p->name[0]), text_json(p->name[1]), "triangles",
                             p->triangle[0], p->triangle[1], "place", p->place[0], p->place[1], p->place[2]);
    if (json_array_append_new(list, pair) != 0) {
      json_decref(list);
      list = NULL;
    }
  }
  return list ? json_pack("{s:i, s:o, s:o}", "frame", frame, "pairs", counts_json(counts), "places", list) : NULL;
}

static void tell_frame(void *data, int frame, const mus_check_counts *counts, int pair_count,
                       const mus_check_pair *pairs) {
  teller *to = data;
  if (!to->options->quiet)
    print_frame(frame, counts, pair_count, pairs);
  fflush(stdout);
  if (to->frames && mus_check_pairs(counts) + counts->seam > 0 &&
      json_array_append_new(to->frames, frame_json(frame, counts, pair_count, pairs)) != 0)
    to->failed = 1;
}

static void print_summary(const check_options *o, const mus_check_record *r) {
  int frames = r->last - r->first + 1;
  printf("%s: %d frame%s, %s vertices", o->result[0], frames, frames == 1 ? "" : "s",
         numbers_grouped(r->vertices).text);
  if (r->solids > 0)
    printf(", %d solid%s", r->solids, r->solids == 1 ? "" : "s");
  if (r->bodies > 0)
    printf(", %d bod%s of %s triangles", r->bodies, r->bodies == 1 ? "y" : "ies",
           numbers_grouped(r->body_triangles).text);
  printf(", %.2f s\n", r->seconds);
  if (mus_check_pairs(&r->total) + r->total.seam == 0) {
    printf("no intersection\n");
    return;
  }
  if (mus_check_pairs(&r->total) == 0)
    printf("no intersection, seams aside\n");
  printf("intersecting pairs of triangles, in all frames: ");
  print_counts(&r->total);
  printf("\n");
  if (r->worst >= 0)
    printf("seams aside, %d frame%s %s some, frame %d the most\n", r->frames_with, r->frames_with == 1 ? "" : "s",
           r->frames_with == 1 ? "has" : "have", r->worst);
}

static int write_json(const check_options *o, const mus_check_record *r, teller *to) {
  if (!o->json)
    return 0;
  json_t *root = NULL;
  if (!to->failed)
    root = json_pack("{s:o, s:i, s:i, s:i, s:i, s:i, s:I, s:I, s:I, s:i, s:i, s:o, s:o, s:f, s:O}", "result",
                     text_json(o->result[0]), "first", r->first, "last", r->last, "cloths", r->cloths, "solids",
                     r->solids, "bodies", r->bodies, "vertices", (json_int_t)r->vertices, "triangles",
                     (json_int_t)r->triangles, "body_triangles", (json_int_t)r->body_triangles, "frames_with",
                     r->frames_with, "worst_frame", r->worst, "start", counts_json(&r->start), "total",
                     counts_json(&r->total), "seconds", r->seconds, "frames", to->frames);
  return numbers_write_json(program, o->json, root) ? CLI_BAD_INPUT : 0;
}

// --- running ---------------------------------------------------------------------------------------------------------

static int verdict(const check_options *o, const mus_check_counts *c) {
  long long bad = mus_check_pairs(c) + (o->seams ? c->seam : 0);
  return (o->only_new ? c->fresh : bad) > 0 ? 1 : 0;
}

int check_command(int argc, char **argv) {
  check_options o = {.check = mus_default_check_options()};
  int failed = parse_command(argc, argv, &o);
  if (failed || o.help)
    return failed;
  teller to = {.options = &o, .frames = o.json ? json_array() : NULL};
  mus_check_record record;
  o.check.progress = o.quiet ? NULL : stderr;
  o.check.frame = tell_frame;
  o.check.data = &to;
  to.failed = o.json && !to.frames;
  mus_status status = mus_check(o.result[0], o.result[1], &o.check, &record);
  if (status) {
    failure_status(program, NULL, status);
    failed = CLI_BAD_INPUT; // 1 is for intersections
  } else {
    print_summary(&o, &record);
    failed = write_json(&o, &record, &to);
  }
  json_decref(to.frames);
  return failed ? failed : verdict(&o, &record.total);
}
