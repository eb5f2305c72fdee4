// Draws a generated tablecloth, as a picture (.png) or turning its folds over many frames (.mp4), and says where the
// time went.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/timer.h"
#include "cli/options.h"
#include "par/par.h"
#include "render/renderer.h"
#include "render/video.h"

static const char *const program = "render_sheet";

typedef struct options {
  const char *output, *title;
  int vertices, frames, threads, look, wire, heat;
  mus_render_quality quality;
} options;

typedef struct cloth_sheet {
  mus_arena arena;
  int side; // vertices a side
  double *position, *heat, *material;
  int *triangle;
} cloth_sheet;

static mus_status make_sheet(int vertices, cloth_sheet *out) {
  *out = (cloth_sheet){.side = (int)lround(sqrt((double)vertices))};
  size_t side = (size_t)out->side, cells = (side - 1) * (side - 1);
  out->position = mus_arena_alloc(&out->arena, side * side * 3, sizeof(double));
  out->heat = mus_arena_alloc(&out->arena, side * side, sizeof(double));
  out->triangle = mus_arena_alloc(&out->arena, cells * 6, sizeof(int));
  out->material = mus_arena_alloc(&out->arena, cells * 12, sizeof(double));
  if (!out->position || !out->heat || !out->triangle || !out->material)
    return mus_fail_memory();
  int *t = out->triangle, n = out->side;
  for (int j = 0; j + 1 < n; ++j)
    for (int i = 0; i + 1 < n; ++i, t += 6) {
      int a = j * n + i, b = a + 1, c = a + n, d = c + 1, odd = (i + j) % 2;
      const int even_way[6] = {a, c, d, a, d, b}, odd_way[6] = {a, c, b, b, c, d};
      memcpy(t, odd ? odd_way : even_way, sizeof even_way);
    }
  for (size_t k = 0; k < cells * 6; ++k) {
    out->material[2 * k] = (double)(out->triangle[k] % n) / (n - 1);
    out->material[2 * k + 1] = (double)(out->triangle[k] / n) / (n - 1);
  }
  return MUS_OK;
}

// Where the point (u, v) of a cloth of 1 m x 1 m lies that hangs over a round table: flat inside, over a rounded rim,
// and down outside, in folds that grow with the distance from the rim.
static void tablecloth(double u, double v, double time, double *p) {
  const double table = 0.27, rim = 0.025, pi = 3.14159265358979;
  double r = hypot(u - 0.5, v - 0.5), angle = atan2(v - 0.5, u - 0.5), beyond = r - table;
  double out = r, down = 0;
  if (beyond > 0) {
    double bend = fmin(beyond / rim, 0.5 * pi * 0.93), rest = fmax(0, beyond - rim * bend);
    out = table + rim * sin(bend) + rest * cos(bend);
    down = rim * (1 - cos(bend)) + rest * sin(bend);
    double grow = down * down / (down + 0.06);
    double wave = cos(11 * angle + 0.8 * sin(2 * angle + 0.4 * time) + time);
    out += grow * (0.42 * wave + 0.12 * cos(5 * angle - 0.7) + 0.30);
    down *= 1 - 0.05 * wave;
    angle += 0.35 * grow * sin(22 * angle + 1.6 * sin(2 * angle) + 2 * time);
  }
  p[0] = out * cos(angle);
  p[1] = 0.006 * sin(7 * u + 3) * sin(9 * v) * fmin(1, fmax(0, -beyond / 0.1)) - down;
  p[2] = out * sin(angle);
}

static void pose_sheet(cloth_sheet *sheet, double time) {
  int n = sheet->side;
  MUS_PARALLEL_FOR
  for (int k = 0; k < n * n; ++k) {
    double *p = &sheet->position[3 * k], u = (double)(k % n) / (n - 1), v = (double)(k / n) / (n - 1), near[3];
    tablecloth(u, v, time, p);
    tablecloth(u + 1e-4, v, time, near);
    sheet->heat[k] = hypot(hypot(near[0] - p[0], near[1] - p[1]), near[2] - p[2]) / 1e-4 - 1;
  }
}

static mus_render_mesh describe(const options *chosen, const cloth_sheet *sheet) {
  mus_render_mesh mesh = mus_default_render_mesh();
  mesh.vertices = sheet->side * sheet->side;
  mesh.triangles = 2 * (sheet->side - 1) * (sheet->side - 1);
  mesh.position = sheet->position;
  mesh.triangle = sheet->triangle;
  mesh.material = sheet->material;
  mesh.heat = chosen->heat ? sheet->heat : NULL;
  mesh.wireframe = chosen->wire;
  mesh.look.kind = (mus_look)chosen->look;
  if (mesh.look.kind == MUS_LOOK_CHECKER) {
    mesh.look.size = 0.05f;
    mesh.look.colour = mus_v3(0.71f, 0.16f, 0.15f);
    mesh.look.other = mus_v3(0.93f, 0.91f, 0.87f);
  }
  return mesh;
}

static void print_times(const mus_renderer *renderer, double total, double written) {
  mus_render_times times = mus_renderer_times(renderer);
  printf("%.3f s: update %.3f, sight %.3f, light %.3f, shade %.3f, overlay %.3f; written in %.3f s\n", total,
         times.update, times.sight, times.light, times.shade, times.overlay, written);
}

// Draws all frames; the last one is the picture where no video was asked for.
static mus_status draw(const options *chosen, cloth_sheet *sheet, mus_render_scene *scene, mus_renderer *renderer,
                       mus_picture *picture, mus_video *video) {
  for (int frame = 0; frame < chosen->frames; ++frame) {
    pose_sheet(sheet, 6.2831853 * frame / 96);
    double start = mus_seconds();
    mus_status status = mus_renderer_draw(renderer, scene, picture);
    double drawn = mus_seconds();
    if (!status)
      status = video ? mus_video_add(video, picture) : mus_picture_write_png(picture, chosen->output);
    if (status)
      return status;
    print_times(renderer, drawn - start, mus_seconds() - drawn);
  }
  return MUS_OK;
}

static mus_status run(const options *chosen, cloth_sheet *sheet) {
  const mus_render_quality *quality = &chosen->quality;
  mus_render_scene scene = mus_default_render_scene();
  mus_render_mesh mesh = describe(chosen, sheet);
  mus_camera_wish wish = mus_default_camera_wish();
  wish.legend = chosen->heat ? 0.12f : 0;
  mus_framing framing;
  scene.mesh = &mesh;
  scene.meshes = 1;
  scene.heat.title = chosen->title;
  mus_status status = mus_framing_begin(&wish, (float)quality->width / (float)quality->height, &framing);
  for (int frame = 0; frame < chosen->frames && !status; frame += 8) {
    pose_sheet(sheet, 6.2831853 * frame / 96);
    mus_framing_add(&framing, (size_t)mesh.vertices, mesh.position);
  }
  size_t length = strlen(chosen->output);
  int moving = length > 4 && strcmp(chosen->output + length - 4, ".mp4") == 0;
  mus_renderer *renderer = NULL;
  mus_picture picture = {0};
  mus_video *video = NULL;
  if (!status)
    status = mus_scene_frame(&scene, &framing);
  if (!status)
    status = mus_renderer_create(&scene, quality, &renderer);
  if (!status)
    status = mus_picture_create(quality->width, quality->height, &picture);
  if (!status && moving)
    status = mus_video_open(chosen->output, quality->width, quality->height, 24, &video);
  if (!status)
    status = draw(chosen, sheet, &scene, renderer, &picture, video);
  if (video)
    status = mus_video_close(video, status);
  mus_picture_free(&picture);
  mus_renderer_free(renderer);
  return status;
}

int main(int argc, char **argv) {
  options chosen = {
      .output = "sheet.png", .vertices = 40401, .frames = 1, .look = 2, .quality = mus_default_render_quality()};
  int help = 0, plain_count;
  static const char *const looks[] = {"plain", "checker", "weave", NULL};
  const option list[] = {
      {.name = "output",
       .letter = 'o',
       .kind = OPTION_TEXT,
       .target = &chosen.output,
       .value = "FILE",
       .help = "picture (.png) or video (.mp4) to write (sheet.png)"},
      {.name = "vertices",
       .kind = OPTION_WHOLE,
       .target = &chosen.vertices,
       .value = "N",
       .minimum = 9,
       .maximum = 16000000,
       .help = "vertices of the sheet, about (40401)"},
      {.name = "width",
       .kind = OPTION_WHOLE,
       .target = &chosen.quality.width,
       .value = "N",
       .minimum = 1,
       .maximum = 16384,
       .help = "pixels (960)"},
      {.name = "height",
       .kind = OPTION_WHOLE,
       .target = &chosen.quality.height,
       .value = "N",
       .minimum = 1,
       .maximum = 16384,
       .help = "pixels (540)"},
      {.name = "antialias",
       .kind = OPTION_WHOLE,
       .target = &chosen.quality.antialias,
       .value = "N",
       .minimum = 1,
       .maximum = 16,
       .help = "rays a pixel: 1, 4 or 16 (4)"},
      {.name = "light-samples",
       .kind = OPTION_WHOLE,
       .target = &chosen.quality.light_samples,
       .value = "N",
       .minimum = 1,
       .maximum = 1024,
       .help = "shadow rays a light and pixel, at most"},
      {.name = "sky-samples",
       .kind = OPTION_WHOLE,
       .target = &chosen.quality.sky_samples,
       .value = "N",
       .minimum = 1,
       .maximum = 1024,
       .help = "rays to the sky a pixel"},
      {.name = "frames",
       .kind = OPTION_WHOLE,
       .target = &chosen.frames,
       .value = "N",
       .minimum = 1,
       .maximum = 100000,
       .help = "frames to draw (1)"},
      {.name = "threads",
       .kind = OPTION_WHOLE,
       .target = &chosen.threads,
       .value = "N",
       .minimum = 1,
       .maximum = 4096,
       .help = "threads (all cores)"},
      {.name = "look",
       .kind = OPTION_CHOICE,
       .target = &chosen.look,
       .value = "WHICH",
       .choices = looks,
       .help = "plain, checker or weave (weave)"},
      {.name = "wireframe", .kind = OPTION_FLAG, .target = &chosen.wire, .help = "draw the edges"},
      {.name = "heat", .kind = OPTION_FLAG, .target = &chosen.heat, .help = "draw the stretch along u as a heat map"},
      {.name = "title",
       .kind = OPTION_TEXT,
       .target = &chosen.title,
       .value = "TEXT",
       .help = "over the heat map's bar"},
      {.name = "help", .letter = 'h', .kind = OPTION_FLAG, .target = &help, .help = "this text"}};
  option_table table = {program, list, sizeof list / sizeof list[0]};
  int failed = options_parse(&table, argc - 1, argv + 1, NULL, 0, &plain_count);
  if (failed)
    return failed;
  if (help) {
    printf("render_sheet: draws a tablecloth and measures the time.\n\n");
    options_print(&table, stdout);
    return 0;
  }
  mus_par_set_threads(chosen.threads);
  cloth_sheet sheet;
  mus_status status = make_sheet(chosen.vertices, &sheet);
  if (!status)
    status = run(&chosen, &sheet);
  mus_arena_clear(&sheet.arena);
  if (status)
    fprintf(stderr, "%s: %s\n", program, mus_last_error());
  return status == MUS_BAD_INPUT ? 2 : status != MUS_OK;
}
