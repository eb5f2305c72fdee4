// Pictures of results: that there is something on them, that it is what was asked for, and that nothing moves during a
// video but cloth. Those that draw are skipped, saying so, where Embree is not built in.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/cache.h"
#include "io/mesh_file.h"
#include "muslin/render.h"
#include "picture/looks.h"
#include "support/animation.h"
#include "support/check.h"
#include "support/drawing.h"
#include "support/files.h"
#include "support/results.h"

enum { CELLS = 12, FRAMES = 4, WIDTH = 128, HEIGHT = 72 };

static const char *const fabrics[] = {"silk", "denim"};

static char folder[256], result[300], output[300];

static int set_up(void **state) {
  if (files_setup(state))
    return -1;
  snprintf(folder, sizeof folder, "%s", (const char *)*state);
  snprintf(result, sizeof result, "%s/result", folder);
  snprintf(output, sizeof output, "%s/out.png", folder);
  results_make(result,
               &(results_wish){
                   .cloths = 1, .cells = CELLS, .frames = FRAMES, .fabrics = fabrics, .format = "pc2", .residual = 1});
  return 0;
}

static mus_render_options small_picture(void) {
  mus_render_options options = mus_default_render_options();
  options.width = WIDTH;
  options.height = HEIGHT;
  return options;
}

// --- pictures as bytes -----------------------------------------------------------------------------------------------

static image drawn(const mus_render_options *options) {
  assert_ok(mus_render(result, NULL, output, options, NULL));
  return drawing_load(output);
}

static int differing(const image *a, const image *b) {
  int count = 0;
  assert_int_equal(a->width * a->height, b->width * b->height);
  for (int i = 0; i < a->width * a->height; ++i)
    count += memcmp(&a->pixel[3 * i], &b->pixel[3 * i], 3) != 0;
  return count;
}

// Pixels that are redder than anything in the studio is.
static int is_red(const image *it, int i) {
  const unsigned char *p = &it->pixel[3 * i];
  return p[0] > 2 * p[1] && p[0] > 2 * p[2] && p[0] > 60;
}

static int red_pixels(const image *it) {
  int count = 0;
  for (int i = 0; i < it->width * it->height; ++i)
    count += is_red(it, i);
  return count;
}

static int red_at_the_edge(const image *it) {
  int count = 0;
  for (int i = 0; i < it->width * it->height; ++i) {
    int x = i % it->width, y = i / it->width;
    count += (x == 0 || y == 0 || x == it->width - 1 || y == it->height - 1) && is_red(it, i);
  }
  return count;
}

// --- stills ----------------------------------------------------------------------------------------------------------

static void cloth_is_seen_whole(void **state) {
  (void)state;
  if (!drawing_possible())
    return;
  mus_render_options options = small_picture();
  for (options.frame = 0; options.frame < FRAMES; ++options.frame) {
    image it = drawn(&options);
    assert_int_equal(it.width, WIDTH);
    assert_int_equal(it.height, HEIGHT);
    assert_in_range(red_pixels(&it), WIDTH * HEIGHT / 8, WIDTH * HEIGHT / 2);
    assert_int_equal(red_at_the_edge(&it), 0);
    free(it.pixel);
  }
}

static void frames_differ_and_count_from_both_ends(void **state) {
  (void)state;
  if (!drawing_possible())
    return;
  mus_render_options options = small_picture();
  image last = drawn(&options);
  options.frame = FRAMES - 1;
  image same = drawn(&options);
  options.frame = -2;
  image before = drawn(&options);
  options.frame = FRAMES - 2;
  image same_before = drawn(&options);
  assert_int_equal(differing(&last, &same), 0);
  assert_int_equal(differing(&before, &same_before), 0);
  assert_true(differing(&last, &before) > WIDTH * HEIGHT / 10);
  free(last.pixel);
  free(same.pixel);
  free(before.pixel);
  free(same_before.pixel);
}

static void threads_make_no_difference(void **state) {
  (void)state;
  if (!drawing_possible())
    return;
  mus_render_options options = small_picture();
  options.heat = MUS_RENDER_HEAT_BEND;
  options.threads = 1;
  image one = drawn(&options);
  options.threads = 3;
  image three = drawn(&options);
  assert_int_equal(differing(&one, &three), 0);
  free(one.pixel);
  free(three.pixel);
}

static void each_option_changes_the_picture(void **state) {
  (void)state;
  if (!drawing_possible())
    return;
  mus_render_options plain = small_picture(), changed[9];
  for (int k = 0; k < 9; ++k)
    changed[k] = plain;
  changed[0].look = MUS_RENDER_LOOK_PLAIN;
  changed[1].look = MUS_RENDER_LOOK_CHECKER;
  changed[2].colour_given = 1;
  changed[2].colour[1] = 0.5;
  changed[3].wireframe = 1;
  changed[4].no_ground = 1;
  changed[5].heat = MUS_RENDER_HEAT_STRETCH;
  changed[6].eye_given = 1;
  changed[6].eye[1] = 5;
  changed[7].samples = 16;
  changed[8].heat = MUS_RENDER_HEAT_RESIDUAL;
  image before = drawn(&plain);
  for (int k = 0; k < 9; ++k) {
    image it = drawn(&changed[k]);
    if (differing(&before, &it) < WIDTH * HEIGHT / 20)
      fail_msg("option %d changes %d pixels only", k, differing(&before, &it));
    free(it.pixel);
  }
  free(before.pixel);
}

static void colours_are_those_asked_for(void **state) {
  (void)state;
  if (!drawing_possible())
    return;
  mus_render_options options = small_picture();
  options.colour_given = 1;
  options.colour[2] = 0.7;
  image it = drawn(&options);
  int blue = 0;
  for (int i = 0; i < WIDTH * HEIGHT; ++i)
    blue += it.pixel[3 * i + 2] > 2 * it.pixel[3 * i] && it.pixel[3 * i + 2] > 60;
  assert_true(blue > WIDTH * HEIGHT / 8);
  assert_int_equal(red_pixels(&it), 0);
  free(it.pixel);
}

// --- heat maps -------------------------------------------------------------------------------------------------------

static void ranges_are_given_or_found(void **state) {
  (void)state;
  if (!drawing_possible())
    return;
  mus_render_options options = small_picture();
  mus_render_record record;
  options.heat = MUS_RENDER_HEAT_STRETCH;
  options.range[0] = -5;
  options.range[1] = 40;
  assert_ok(mus_render(result, NULL, output, &options, &record));
  assert_true(record.range[0] == -5 && record.range[1] == 40);
  options.range[0] = options.range[1] = 0;
  assert_ok(mus_render(result, NULL, output, &options, &record));
  assert_true(record.range[0] < record.range[1]);
  assert_true(record.range[1] > 1 && record.range[1] < 100); // the sheet's waves stretch it by some percent
  options.heat = MUS_RENDER_HEAT_BEND;
  assert_ok(mus_render(result, NULL, output, &options, &record));
  assert_true(record.range[0] == 0 && record.range[1] > 0.5 && record.range[1] < 10); // 0.2 sin 4x bends by 3.2
  options.heat = MUS_RENDER_HEAT_RESIDUAL;
  options.frame = 2;
  assert_ok(mus_render(result, NULL, output, &options, &record));
  assert_true(record.range[0] == 0 && record.range[1] == 2); // results.h
}

// Where the scale starts at the largest number there is, all cloth has the lowest colour.
static void a_range_above_all_is_one_colour(void **state) {
  (void)state;
  if (!drawing_possible())
    return;
  mus_render_options options = small_picture();
  mus_render_record record;
  options.heat = MUS_RENDER_HEAT_STRETCH;
  options.range[0] = 1000;
  options.range[1] = 2000;
  assert_ok(mus_render(result, NULL, output, &options, &record));
  image high = drawing_load(output);
  options.range[0] = 3000;
  options.range[1] = 4000;
  assert_ok(mus_render(result, NULL, output, &options, &record));
  image higher = drawing_load(output);
  int cloth = 0;
  for (int i = 0; i < WIDTH * HEIGHT; ++i)
    if (i % WIDTH < WIDTH / 3) // left of the legend, which is broad in a picture that small
      cloth += memcmp(&high.pixel[3 * i], &higher.pixel[3 * i], 3) != 0;
  assert_int_equal(cloth, 0);
  free(high.pixel);
  free(higher.pixel);
}

// --- several frames --------------------------------------------------------------------------------------------------

// A mesh that rests in two frames and then jumps far away.
static void write_jump(const char *mesh_path, const char *cache_path) {
  mus_arena arena = {0};
  mus_mesh_file file = {.mesh = animation_sheet(&arena, CELLS)};
  const mus_cache_format *format = mus_cache_format_at(0);
  mus_cache_definition definition = {.points = file.mesh.vertices, .frames = 3, .frames_per_second = 24};
  mus_cache_writer *writer;
  assert_ok(mus_mesh_file_write(mesh_path, &file));
  assert_ok(mus_cache_create(cache_path, format, &definition, &writer));
  assert_ok(mus_cache_write(writer, file.mesh.position));
  assert_ok(mus_cache_write(writer, file.mesh.position));
  for (int i = 0; i < file.mesh.vertices; ++i)
    file.mesh.position[3 * i] += 2;
  assert_ok(mus_cache_write(writer, file.mesh.position));
  assert_ok(mus_cache_finish(writer));
  mus_cache_close(writer);
  mus_arena_clear(&arena);
}

static void nothing_but_cloth_moves_in_a_sequence(void **state) {
  (void)state;
  if (!drawing_possible())
    return;
  char mesh[300], cache[300], many[300], one[300];
  snprintf(mesh, sizeof mesh, "%s/jump.obj", folder);
  snprintf(cache, sizeof cache, "%s/jump.pc2", folder);
  snprintf(many, sizeof many, "%s/f_##.png", folder);
  snprintf(one, sizeof one, "%s/one.png", folder);
  write_jump(mesh, cache);
  mus_render_options options = small_picture();
  mus_render_record record;
  options.colour_given = 1;
  options.colour[0] = 0.7;
  assert_ok(mus_render(mesh, cache, many, &options, &record));
  assert_int_equal(record.frames, 3);
  options.frame = 0;
  assert_ok(mus_render(mesh, cache, one, &options, NULL));
  image alone = drawing_load(one), frame[3];
  for (int k = 0; k < 3; ++k) {
    char name[32];
    snprintf(name, sizeof name, "f_%02d.png", k);
    frame[k] = drawing_load(files_path(folder, name));
    assert_true(red_pixels(&frame[k]) > 100);
    assert_int_equal(red_at_the_edge(&frame[k]), 0);
  }
  assert_int_equal(differing(&frame[0], &frame[1]), 0);
  assert_true(differing(&frame[1], &frame[2]) > 200);
  // Seen from where all frames fit, it is smaller than alone.
  assert_true(2 * red_pixels(&frame[0]) < red_pixels(&alone));
  for (int k = 0; k < 3; ++k)
    free(frame[k].pixel);
  free(alone.pixel);
}

// Pictures of the mesh that jumps, as options say; frames 0 to count - 1 go to `frame`.
static mus_render_record draw_jump(mus_render_options *options, int count, image *frame) {
  char mesh[300], cache[300], many[300], name[32];
  mus_render_record record;
  snprintf(mesh, sizeof mesh, "%s/jump.obj", folder);
  snprintf(cache, sizeof cache, "%s/jump.pc2", folder);
  snprintf(many, sizeof many, "%s/m_##.png", folder);
  write_jump(mesh, cache);
  options->colour_given = 1;
  options->colour[0] = 0.7;
  assert_ok(mus_render(mesh, cache, many, options, &record));
  for (int k = 0; k < count; ++k) {
    snprintf(name, sizeof name, "m_%02d.png", k);
    frame[k] = drawing_load(files_path(folder, name));
    assert_true(red_pixels(&frame[k]) > 100);
    assert_int_equal(red_at_the_edge(&frame[k]), 0);
  }
  return record;
}

// Two triangles, and one whose corners lie in the middles of their upper sides, which turn a corner between them: as
// they are there is a slit; sewn there is none, as if they were welded.
static const char apart[] = "v 0 0 0\nv 1 0 0.2\nv 2 0 0\nv 1 0 1\nv 0.5 0 0.1\nv 1.5 0 0.1\nv 1 0 -1\n"
                            "f 1 4 2\nf 2 4 3\nf 5 6 7\n";
static const char sewn[] = "v 0 0 0\nv 1 0 0.2\nv 2 0 0\nv 1 0 1\nv 0.5 0 0.1\nv 1.5 0 0.1\nv 1 0 -1\n"
                           "f 1 4 2\nf 2 4 3\nf 5 6 7\nstitch 4 0 1 0.5\nstitch 5 1 2 0.5\n";
static const char welded[] = "v 0 0 0\nv 1 0 0.2\nv 2 0 0\nv 1 0 1\nv 0.5 0 0.1\nv 1.5 0 0.1\nv 1 0 -1\n"
                             "f 1 4 5\nf 5 4 2\nf 2 4 6\nf 6 4 3\nf 5 2 7\nf 2 6 7\n";

static void seams_have_no_slits(void **state) {
  if (!drawing_possible())
    return;
  const char *text[] = {apart, sewn, welded};
  char mesh[300];
  image it[3];
  mus_render_options options = small_picture();
  options.look = MUS_RENDER_LOOK_PLAIN;
  snprintf(mesh, sizeof mesh, "%s", files_path(*state, "panels.obj"));
  for (int k = 0; k < 3; ++k) {
    files_write(mesh, text[k], strlen(text[k]));
    assert_ok(mus_render(mesh, NULL, output, &options, NULL));
    it[k] = drawing_load(output);
  }
  assert_int_equal(differing(&it[1], &it[2]), 0);
  assert_true(differing(&it[0], &it[1]) > 50);
  for (int k = 0; k < 3; ++k)
    free(it[k].pixel);
}

static void free_images(int count, image *it) {
  for (int k = 0; k < count; ++k)
    free(it[k].pixel);
}

// The first frame and the last, two metres away, are the same to a camera that follows.
static void a_camera_follows(void **state) {
  (void)state;
  if (!drawing_possible())
    return;
  mus_render_options options = small_picture();
  image still[3], followed[3];
  draw_jump(&options, 3, still);
  options.follow = 1;
  draw_jump(&options, 3, followed);
  assert_true(differing(&still[0], &still[2]) > 200);
  assert_true(abs(red_pixels(&followed[0]) - red_pixels(&followed[2])) < red_pixels(&followed[0]) / 20);
  assert_true(red_pixels(&followed[0]) > red_pixels(&still[0])); // it is nearer
  free_images(3, still);
  free_images(3, followed);
}

// Around one frame in 96 pictures; a quarter of the way the square sheet looks as it did, and in between it does not.
static void a_camera_goes_around(void **state) {
  (void)state;
  if (!drawing_possible())
    return;
  mus_render_options options = small_picture();
  image around[49];
  options.width = 64;
  options.height = 36;
  options.turntable = 1;
  options.first = options.last = 0;
  mus_render_record record = draw_jump(&options, 49, around);
  assert_int_equal(record.frames, 96);
  assert_true(differing(&around[0], &around[12]) > 200);
  assert_true(abs(red_pixels(&around[0]) - red_pixels(&around[48])) < red_pixels(&around[0]) / 10);
  free_images(49, around);
}

static void sequences_take_every_so_manyth_frame(void **state) {
  (void)state;
  if (!drawing_possible())
    return;
  mus_render_options options = small_picture();
  mus_render_record record;
  char many[300];
  snprintf(many, sizeof many, "%s/s####x.png", folder);
  options.first = 1;
  options.every = 2;
  assert_ok(mus_render(result, NULL, many, &options, &record));
  assert_int_equal(record.frames, 2);
  assert_int_equal(record.first, 1);
  assert_int_equal(record.last, 3);
  assert_true(files_exists(files_path(folder, "s0001x.png")) && files_exists(files_path(folder, "s0003x.png")));
  assert_false(files_exists(files_path(folder, "s0000x.png")) || files_exists(files_path(folder, "s0002x.png")));
}

// --- what is wrong ---------------------------------------------------------------------------------------------------

static void bad_wishes_are_refused(void **state) {
  (void)state;
  mus_render_options good = small_picture(), bad;
  mus_render_record record;
  assert_fails(mus_render(result, NULL, "out.gif", &good, &record), MUS_BAD_INPUT, "ends in .png (a picture)");
  assert_int_equal(record.began, 0);
  bad = good;
  bad.frame = FRAMES;
  assert_fails(mus_render(result, NULL, output, &bad, NULL), MUS_BAD_INPUT, "no frame 4: it has frames 0 to 3");
  bad.frame = -FRAMES - 1;
  assert_fails(mus_render(result, NULL, output, &bad, NULL), MUS_BAD_INPUT, "no frame -5: it has frames 0 to 3");
  bad = good;
  bad.first = 3;
  bad.last = 2;
  assert_fails(mus_render(result, NULL, "out.mp4", &bad, NULL), MUS_BAD_INPUT, "the first comes after the last");
  bad = good;
  bad.samples = 5;
  assert_fails(mus_render(result, NULL, output, &bad, NULL), MUS_BAD_INPUT, "give 1, 4 or 16");
  bad = good;
  bad.width = 0;
  assert_fails(mus_render(result, NULL, output, &bad, NULL), MUS_BAD_INPUT, "0 x 72 pixels");
  bad = good;
  bad.range[0] = 2;
  assert_fails(mus_render(result, NULL, output, &bad, NULL), MUS_BAD_INPUT, "the smaller first");
  bad = good;
  bad.colour_given = 1;
  bad.colour[2] = 1.5;
  assert_fails(mus_render(result, NULL, output, &bad, NULL), MUS_BAD_INPUT, "from 0 to 1");
  bad = good;
  bad.body_colour_given = 1;
  bad.body_colour[0] = -1;
  assert_fails(mus_render(result, NULL, output, &bad, NULL), MUS_BAD_INPUT, "from 0 to 1");
  bad = good;
  bad.turntable = 1;
  assert_fails(mus_render(result, NULL, output, &bad, NULL), MUS_BAD_INPUT, "no moving camera");
  bad = good;
  bad.follow = bad.target_given = 1;
  assert_fails(mus_render(result, NULL, "out.mp4", &bad, NULL), MUS_BAD_INPUT, "no fixed target");
  assert_fails(mus_render(folder, NULL, output, &good, NULL), MUS_BAD_INPUT, "no scene.json");
  assert_false(files_exists(output));
}

// Every allocation fails in turn: what is short is said, and no picture is left until there is a whole one.
static void draw_with_failing_allocations(mus_render_options *options) {
  options->width = 16;
  options->height = 9;
  mus_status status = MUS_OUT_OF_MEMORY;
  for (long failures = 0; status != MUS_OK; ++failures) {
    mus_memory_fail_after(failures);
    status = mus_render(result, NULL, output, options, NULL);
    mus_memory_fail_after(-1);
    assert_true(failures < 10000 && (status == MUS_OK || status == MUS_OUT_OF_MEMORY));
    assert_true(files_exists(output) == (status == MUS_OK));
  }
}

static void memory_that_is_short_is_said(void **state) {
  (void)state;
  if (!drawing_possible())
    return;
  mus_render_options options = small_picture();
  options.heat = MUS_RENDER_HEAT_STRETCH;
  draw_with_failing_allocations(&options);
}

// --- bodies ----------------------------------------------------------------------------------------------------------

// The result's sheet has a body, whose mesh is as given.
static void add_body_as(const char *fabric, const char *mesh, const char *more) {
  char text[512];
  int n = snprintf(text, sizeof text,
                   "{\"frames\": %d, \"frame_rate\": 12, \"cloths\": [{\"name\": \"a\", \"fabric\": \"%s\"}],"
                   " \"bodies\": [{\"name\": \"b\", \"shape\": {\"kind\": \"box\"}%s}]}\n",
                   FRAMES - 1, fabric, more);
  files_write(files_path(result, "scene.json"), text, (size_t)n);
  files_write(files_path(result, "b.obj"), mesh, strlen(mesh));
}

static void add_body(const char *fabric, const char *mesh) { add_body_as(fabric, mesh, ""); }

// A wall of 0.8 m square in front of the sheet's middle, and through it; and a floor of 200 m.
static const char wall[] = "v 0.1 -0.4 0.5\nv 0.9 -0.4 0.5\nv 0.9 0.4 0.5\nv 0.1 0.4 0.5\nf 1 2 3 4\n";
static const char level[] = "v -99 -0.5 -99\nv -99 -0.5 99\nv 99 -0.5 99\nv 99 -0.5 -99\nf 1 2 3 4\n";

static int same_eye(const mus_render_record *a, const mus_render_record *b) {
  return memcmp(a->eye, b->eye, sizeof a->eye) == 0;
}

static void bodies_are_seen(void **state) {
  (void)state;
  if (!drawing_possible())
    return;
  mus_render_options options = small_picture();
  mus_render_record bare, with;
  assert_ok(mus_render(result, NULL, output, &options, &bare));
  image without = drawing_load(output);
  add_body("silk", wall);
  assert_ok(mus_render(result, NULL, output, &options, &with));
  image wall_there = drawing_load(output);
  int greys = 0;
  for (int i = 0; i < WIDTH * HEIGHT; ++i) {
    const unsigned char *p = &wall_there.pixel[3 * i];
    greys += p[0] < 140 && abs(p[0] - p[1]) < 20 && abs(p[2] - p[1]) < 25; // darker than the ground
  }
  assert_true(differing(&without, &wall_there) > 300);
  assert_true(greys > 200);
  assert_int_equal(with.vertices, bare.vertices); // of cloths
  free(without.pixel);
  free(wall_there.pixel);
}

// A scene that hides its body gives the picture of one without; one that colours it, another. Options do the same.
static void bodies_are_hidden_and_coloured(void **state) {
  (void)state;
  if (!drawing_possible())
    return;
  mus_render_options options = small_picture(), hiding = options, colouring = options;
  image bare = drawn(&options);
  add_body_as("silk", wall, ", \"hidden\": true");
  image hidden = drawn(&options);
  add_body_as("silk", wall, ", \"colour\": \"#204080\"");
  image blue = drawn(&options);
  add_body_as("silk", wall, "");
  hiding.hide_bodies = 1;
  colouring.body_colour_given = 1;
  colouring.body_colour[0] = 32.0 / 255;
  colouring.body_colour[1] = 64.0 / 255;
  colouring.body_colour[2] = 128.0 / 255;
  image grey = drawn(&options), left_out = drawn(&hiding), same_blue = drawn(&colouring);
  assert_int_equal(differing(&bare, &hidden), 0);
  assert_int_equal(differing(&bare, &left_out), 0);
  assert_int_equal(differing(&blue, &same_blue), 0);
  assert_true(differing(&blue, &grey) > 200 && differing(&bare, &grey) > 200);
  image *const all[] = {&bare, &hidden, &blue, &grey, &left_out, &same_blue};
  for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
    free(all[k]->pixel);
}

static void floors_are_ground(void **state) {
  (void)state;
  if (!drawing_possible())
    return;
  mus_render_options options = small_picture();
  mus_render_record bare, with;
  assert_ok(mus_render(result, NULL, output, &options, &bare));
  add_body("silk", level);
  assert_ok(mus_render(result, NULL, output, &options, &with));
  image it = drawing_load(output);
  assert_true(same_eye(&bare, &with)); // two hundred metres are not looked at
  assert_true(red_pixels(&it) > 200);
  const unsigned char *corner = &it.pixel[3 * (WIDTH * (HEIGHT - 1))];
  assert_true(corner[0] > 170); // pale, as the ground is
  free(it.pixel);
  options.no_ground = 1; // then it is a body as any other
  it = drawn(&options);
  corner = &it.pixel[3 * (WIDTH * (HEIGHT - 1))];
  assert_true(corner[0] < 165);
  free(it.pixel);
}

static void contacts_are_red(void **state) {
  (void)state;
  if (!drawing_possible())
    return;
  mus_render_options options = small_picture();
  mus_render_record record;
  options.width = 3 * WIDTH; // with room for the key
  options.height = 3 * HEIGHT;
  options.samples = 1;
  options.show = MUS_RENDER_SHOW_CONTACTS;
  options.frame = 1;
  assert_ok(mus_render(result, NULL, output, &options, &record)); // red silk, but pale where contacts are shown
  image it = drawing_load(output);
  int key = red_pixels(&it);
  assert_true(record.pairs == 0 && key < 160);
  free(it.pixel);
  add_body("silk", wall);
  assert_ok(mus_render(result, NULL, output, &options, &record));
  it = drawing_load(output);
  assert_true(record.pairs > CELLS / 2 && red_pixels(&it) > key + 100);
  free(it.pixel);
  options.heat = MUS_RENDER_HEAT_BEND;
  assert_fails(mus_render(result, NULL, output, &options, NULL), MUS_BAD_INPUT, "cannot be combined in one picture");
}

static void memory_for_contacts_that_is_short_is_said(void **state) {
  (void)state;
  if (!drawing_possible())
    return;
  mus_render_options options = small_picture();
  options.show = MUS_RENDER_SHOW_CONTACTS;
  add_body("silk", wall);
  draw_with_failing_allocations(&options);
}

// --- looks -----------------------------------------------------------------------------------------------------------

static float distance(const mus_surface_look *a, const mus_surface_look *b) {
  return mus_v3_length(mus_v3_subtract(a->colour, b->colour));
}

static void cloths_can_be_told_apart(void **state) {
  (void)state;
  const char *const names[] = {"cotton", "silk", "wool", "denim", "jersey", "leather"};
  mus_surface_look look[12];
  for (int k = 0; k < 12; ++k)
    look[k] = k < 6 ? mus_fabric_look(names[k], 0) : mus_fabric_look("cotton", k - 5);
  for (int a = 0; a < 12; ++a)
    for (int b = 0; b < a; ++b)
      if ((a < 6) == (b < 6))
        assert_true(distance(&look[a], &look[b]) > 0.12f);
  mus_surface_look unknown = mus_fabric_look(NULL, 0), other = mus_fabric_look("chain mail", 0);
  assert_true(distance(&unknown, &look[0]) == 0 && distance(&other, &look[0]) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(cloth_is_seen_whole, set_up, files_teardown),
      cmocka_unit_test_setup_teardown(frames_differ_and_count_from_both_ends, set_up, files_teardown),
      cmocka_unit_test_setup_teardown(threads_make_no_difference, set_up, files_teardown),
      cmocka_unit_test_setup_teardown(each_option_changes_the_picture, set_up, files_teardown),
      cmocka_unit_test_setup_teardown(colours_are_those_asked_for, set_up, files_teardown),
      cmocka_unit_test_setup_teardown(ranges_are_given_or_found, set_up, files_teardown),
      cmocka_unit_test_setup_teardown(a_range_above_all_is_one_colour, set_up, files_teardown),
      cmocka_unit_test_setup_teardown(nothing_but_cloth_moves_in_a_sequence, set_up, files_teardown),
      cmocka_unit_test_setup_teardown(seams_have_no_slits, set_up, files_teardown),
      cmocka_unit_test_setup_teardown(a_camera_follows, set_up, files_teardown),
      cmocka_unit_test_setup_teardown(a_camera_goes_around, set_up, files_teardown),
      cmocka_unit_test_setup_teardown(sequences_take_every_so_manyth_frame, set_up, files_teardown),
      cmocka_unit_test_setup_teardown(bad_wishes_are_refused, set_up, files_teardown),
      cmocka_unit_test_setup_teardown(memory_that_is_short_is_said, set_up, files_teardown),
      cmocka_unit_test_setup_teardown(bodies_are_seen, set_up, files_teardown),
      cmocka_unit_test_setup_teardown(bodies_are_hidden_and_coloured, set_up, files_teardown),
      cmocka_unit_test_setup_teardown(floors_are_ground, set_up, files_teardown),
      cmocka_unit_test_setup_teardown(contacts_are_red, set_up, files_teardown),
      cmocka_unit_test_setup_teardown(memory_for_contacts_that_is_short_is_said, set_up, files_teardown),
      cmocka_unit_test(cloths_can_be_told_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
