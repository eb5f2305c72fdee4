// Pictures and videos of results. See render.h.
#include "render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "muslin/render.h"
#include "options.h"

static const char *const program = "muslin render";

typedef struct render_options {
  mus_render_options draw;
  const char *cache, *output, *size, *frame, *frames, *colour, *body_colour, *range, *camera;
  int look, heat, show, help;
} render_options;

// --- texts to numbers ------------------------------------------------------------------------------------------------

// `count` numbers with `between` after each but the last; the text goes on after them. Returns 0 where they are not
// there.
static int read_numbers(const char **text, int count, char between, double *numbers) {
  for (int k = 0; k < count; ++k) {
    char *end;
    if (k > 0 && *(*text)++ != between)
      return 0;
    numbers[k] = strtod(*text, &end);
    if (end == *text || !isfinite(numbers[k]))
      return 0;
    *text = end;
  }
  return 1;
}

// A whole number, negative ones too; the text goes on after it.
static int read_whole(const char **text, int *number) {
  char *end;
  long value = strtol(*text, &end, 10);
  if (end == *text || value < -100000000 || value > 100000000)
    return 0;
  *number = (int)value;
  *text = end;
  return 1;
}

static int parse_size(const char *text, mus_render_options *draw) {
  const char *at = text;
  if (!read_whole(&at, &draw->width) || *at++ != 'x' || !read_whole(&at, &draw->height) || *at)
    return failure_input(program, "--size: '%s' is not WIDTHxHEIGHT, such as 960x540", text);
  return 0;
}

static int parse_range(const char *text, mus_render_options *draw) {
  const char *at = text;
  if (!read_numbers(&at, 2, ':', draw->range) || *at || !(draw->range[0] < draw->range[1]))
    return failure_input(program, "--range: '%s' is not LOW:HIGH, two numbers with the smaller one first", text);
  return 0;
}

// Six hexadecimal digits, with # before them or without.
static int read_colour(const char *name, const char *text, int *given, double colour[3]) {
  const char *digits = text + (*text == '#');
  if (strlen(digits) != 6 || strspn(digits, "0123456789abcdefABCDEF") != 6)
    return failure_input(program, "--%s: '%s' is not RRGGBB, two hexadecimal digits each, such as b03020", name, text);
  unsigned long value = strtoul(digits, NULL, 16);
  for (int c = 0; c < 3; ++c)
    colour[c] = (double)(value >> (16 - 8 * c) & 255) / 255;
  *given = 1;
  return 0;
}

static int parse_colour(const char *text, mus_render_options *draw) {
  return read_colour("colour", text, &draw->colour_given, draw->colour);
}

static int parse_body_colour(const char *text, mus_render_options *draw) {
  return read_colour("body-colour", text, &draw->body_colour_given, draw->body_colour);
}

static int parse_camera(const char *text, mus_render_options *draw) {
  const char *at = text;
  int good = read_numbers(&at, 3, ',', draw->eye);
  draw->eye_given = 1;
  if (good && *at == ':') {
    ++at;
    good = read_numbers(&at, 3, ',', draw->target);
    draw->target_given = 1;
  }
  if (good && *at == ':') {
    ++at;
    good = read_numbers(&at, 1, 0, &draw->field_of_view);
  }
  if (!good || *at)
    return failure_input(program, "--camera: '%s' is not X,Y,Z[:X,Y,Z[:DEGREES]]: eye, target and field of view", text);
  if (!(draw->field_of_view > 0 && draw->field_of_view < 179))
    return failure_input(program, "--camera: a field of view of %g degrees: give one above 0 and below 179",
                         draw->field_of_view);
  return 0;
}

static int parse_frame(const char *text, mus_render_options *draw) {
  const char *at = text;
  if (!read_whole(&at, &draw->frame) || *at)
    return failure_input(program, "--frame: '%s' is not a whole number", text);
  return 0;
}

static int parse_frames(const char *text, mus_render_options *draw) {
  const char *at = text;
  int good = read_whole(&at, &draw->first) && draw->first >= 0;
  draw->last = draw->first;
  if (good && *at == '-') {
    ++at;
    draw->last = -1; // "10-": to the end
    good = !*at || (read_whole(&at, &draw->last) && draw->last >= draw->first);
  }
  if (!good || *at)
    return failure_input(program, "--frames: '%s' is neither FIRST-LAST, such as 0-48, nor FIRST-", text);
  return 0;
}

// --- options ---------------------------------------------------------------------------------------------------------

enum { OPTIONS_MAXIMUM = 24 };

static const char *const looks[] = {"fabric", "plain", "checker", NULL};
static const char *const heats[] = {"none", "stretch", "bend", "residual", "stress", "volume", NULL};
static const char *const shown[] = {"nothing", "contacts", NULL};

static int list_options(render_options *o, option *list) {
  int n = 0;
  list[n++] = option_text("output", &o->output, "FILE",
                          "what to write: .png, or .mp4 (needs ffmpeg);\n"
                          "NAME_####.png for a sequence of pictures");
  list[n - 1].letter = 'o';
  list[n++] = option_text("cache", &o->cache, "FILE", "PC2 or MDD file that moves the mesh RESULT");
  list[n++] = option_text("frame", &o->frame, "N", "frame of a single picture; -1 is the last (-1)");
  list[n++] = option_text("frames", &o->frames, "A-B", "frames of a video or sequence (all)");
  list[n++] = option_whole("every", &o->draw.every, 1, 1000000, "draw only every K-th of these (1)");
  list[n - 1].value = "K";
  list[n++] = option_real("fps", &o->draw.frames_per_second, "frames per second of a video (real time)");
  list[n - 1].value = "HZ";
  list[n++] = option_text("size", &o->size, "WxH", "pixels (960x540)");
  list[n++] = option_whole("samples", &o->draw.samples, 1, 16, "rays per pixel: 1, 4 or 16 (4)");
  list[n++] = option_choice("look", &o->look, "WHICH", looks, "fabric (threads), plain or checker (fabric)");
  list[n++] = option_text("colour", &o->colour, "RRGGBB", "colour of all parts (fabrics and materials have their own)");
  list[n++] = option_text("body-colour", &o->body_colour, "RRGGBB", "colour of all bodies (the scene's, or grey)");
  list[n++] = option_flag("hide-bodies", &o->draw.hide_bodies, "draw no body");
  list[n++] = option_choice(
      "heat", &o->heat, "WHAT", heats,
      "false colours: stretch (%), bend (1/m), of solids stress\n(von Mises, Pa) and volume (change, %), residual (kg "
      "m/s,\nof a run with --residual), or none (none)");
  list[n++] = option_choice("show", &o->show, "WHAT", shown, "contacts: what intersects is red (nothing)");
  list[n++] = option_text("range", &o->range, "LOW:HIGH", "range of the false colours (covers nearly all vertices)");
  list[n++] = option_flag("wireframe", &o->draw.wireframe, "draw the edges of triangles");
  list[n++] = option_flag("no-ground", &o->draw.no_ground, "draw no ground");
  list[n++] = option_text("camera", &o->camera, "EYE[:TARGET[:FOV]]",
                          "X,Y,Z in metres each, and the vertical field of view in\ndegrees (automatic, 26 degrees)");
  list[n++] = option_flag("follow", &o->draw.follow, "the camera of a video moves along with the cloth");
  list[n++] = option_flag("turntable", &o->draw.turntable,
                          "it goes around the cloth once; with --frame, around that\nframe, in 96 pictures");
  list[n++] = option_whole("threads", &o->draw.threads, 0, 4096, "number of threads; 0: all cores (0)");
  list[n++] = option_flag("help", &o->help, "print this text");
  list[n - 1].letter = 'h';
  return n;
}

static void print_help(const option_table *table) {
  printf(
      "muslin render RESULT -o FILE [options]\n\n"
      "Draws what a run has computed. RESULT is its folder, which may still be growing, or an OBJ or PLY mesh, which\n"
      "--cache moves. See docs/pictures.md.\n\n");
  options_print(table, stdout);
}

static int parse_texts(render_options *o) {
  const struct {
    const char *text;
    int (*parse)(const char *, mus_render_options *);
  } texts[] = {{o->size, parse_size},     {o->range, parse_range},
               {o->colour, parse_colour}, {o->body_colour, parse_body_colour},
               {o->camera, parse_camera}, {o->frame, parse_frame},
               {o->frames, parse_frames}};
  int failed = 0;
  for (size_t k = 0; k < sizeof texts / sizeof *texts && !failed; ++k)
    if (texts[k].text)
      failed = texts[k].parse(texts[k].text, &o->draw);
  if (!failed && o->frame && o->draw.turntable)
    o->draw.first = o->draw.last = o->draw.frame; // around that one
  o->draw.look = (mus_render_look)o->look;
  o->draw.heat = (mus_render_heat)o->heat;
  o->draw.show = (mus_render_show)o->show;
  return failed;
}

static int ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

// An option that would be passed over is a mistake.
static int check_together(const render_options *o) {
  int still = ends_with(o->output, ".png") && !strchr(o->output, '#');
  if (still && (o->frames || o->draw.every != 1 || o->draw.frames_per_second > 0))
    return failure_input(program,
                         "--frames, --every and --fps are for several frames: write an .mp4 or NAME_####.png, or give "
                         "--frame");
  if (still && (o->draw.follow || o->draw.turntable))
    return failure_input(program, "--follow and --turntable move the camera: write an .mp4 or NAME_####.png");
  if (!still && o->frame && !o->draw.turntable)
    return failure_input(program, "--frame is for a single picture: write a .png without #, or give --frames");
  if (!still && o->frame && o->frames)
    return failure_input(program, "--frame and --frames cannot be combined: choose one");
  if (o->body_colour && o->draw.hide_bodies)
    return failure_input(program, "--body-colour and --hide-bodies cannot be combined: choose one");
  if (o->range && o->heat == MUS_RENDER_HEAT_NONE)
    return failure_input(program, "--range needs --heat: give that too");
  if (o->show && o->heat)
    return failure_input(program, "--show and --heat cannot be combined: choose one");
  if (o->draw.frames_per_second < 0)
    return failure_input(program, "--fps: give a number above 0");
  return 0;
}

static int parse_command(int argc, char **argv, render_options *o, const char **result) {
  option list[OPTIONS_MAXIMUM];
  option_table table = {program, list, list_options(o, list)};
  int count, failed = options_parse(&table, argc, argv, result, 1, &count);
  if (failed)
    return failed;
  if (o->help) {
    print_help(&table);
    return 0;
  }
  if (count == 0)
    return failure_input(program, "no result given: name a result folder or a mesh, or use --help");
  if (!o->output)
    return failure_input(program, "no output given: use -o FILE.png or -o FILE.mp4");
  failed = parse_texts(o);
  return failed ? failed : check_together(o);
}

// --- running ---------------------------------------------------------------------------------------------------------

static void tell(const render_options *o, const mus_render_record *r) {
  static const char *const unit[] = {[MUS_RENDER_HEAT_NONE] = "",      [MUS_RENDER_HEAT_STRETCH] = " %",
                                     [MUS_RENDER_HEAT_BEND] = " 1/m",  [MUS_RENDER_HEAT_RESIDUAL] = " kg m/s",
                                     [MUS_RENDER_HEAT_STRESS] = " Pa", [MUS_RENDER_HEAT_VOLUME] = " %"};
  if (r->frames == 1)
    printf("%s: frame %d, %d vertices, %.2f s\n", o->output, r->first, r->vertices, r->seconds);
  else
    printf("%s: %d frames, %d to %d, %d vertices, %.2f s each, %.1f s\n", o->output, r->frames, r->first, r->last,
           r->vertices, r->seconds_per_frame, r->seconds);
  if (o->heat != MUS_RENDER_HEAT_NONE)
    printf("%s: %.4g to %.4g%s\n", heats[o->heat], r->range[0], r->range[1], unit[o->heat]);
  if (o->show)
    printf("contacts: %lld pairs of triangles intersect\n", r->pairs);
}

int render_command(int argc, char **argv) {
  render_options o = {.draw = mus_default_render_options()};
  const char *result = NULL;
  int failed = parse_command(argc, argv, &o, &result);
  if (failed || o.help)
    return failed;
  o.draw.progress = stderr;
  mus_render_record record;
  mus_status status = mus_render(result, o.cache, o.output, &o.draw, &record);
  if (status == MUS_OK) {
    tell(&o, &record);
    return CLI_DONE;
  }
  failed = failure_status(program, NULL, status);
  // Once the input was accepted, only input that turns out to be bad later is to blame.
  return record.began && status != MUS_BAD_INPUT ? CLI_FAILED : status == MUS_UNSUPPORTED ? CLI_FAILED : failed;
}
