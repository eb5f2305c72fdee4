// Pictures of a run while it goes on. See preview.h.
#include "run/preview.h"

#include <dirent.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "io/result.h"
#include "io/scene.h"
#include "par/par.h"
#include "picture/studio.h"
#include "render/video.h"
#include "run/parts.h"
#include "sim/access.h"

static const char picture_name[] = "preview.png", video_name[] = "preview.mp4";

struct mus_preview {
  const mus_scene *scene;
  mus_studio studio;
  mus_framing framing;
  mus_bodies *bodies;    // the simulator's; NULL where the scene has none
  double *body_position; // 3 numbers for each of their vertices
  mus_run_part *parts;
  double *upright; // 3 numbers for each of the simulator's vertices, where they have to be turned
  const char *picture_path, *video_path;
  mus_video *video; // NULL before the first frame, and after it has failed
  int no_video;     // it has failed
  int blind;        // drawing has failed
};

// --- set-up ----------------------------------------------------------------------------------------------------------

// preview.mp4.tmp and a number is left by a run that was killed while ffmpeg wrote.
void mus_preview_forget(const char *folder) {
  DIR *open = opendir(folder);
  size_t length = sizeof video_name - 1;
  for (struct dirent *entry = open ? readdir(open) : NULL; entry; entry = readdir(open)) {
    const char *name = entry->d_name, *behind = strncmp(name, video_name, length) == 0 ? name + length : NULL;
    if (strcmp(name, picture_name) == 0 || (behind && (!*behind || strncmp(behind, ".tmp", 4) == 0)))
      unlinkat(dirfd(open), name, 0);
  }
  if (open)
    closedir(open);
}

// All parts' positions with y up, as pictures have it.
static const double *upright(mus_preview *preview, const mus_sim *sim) {
  size_t vertices = (size_t)mus_sim_vertices(sim);
  if (preview->scene->up == MUS_UP_Y)
    return mus_sim_positions(sim);
  memcpy(preview->upright, mus_sim_positions(sim), 3 * vertices * sizeof(double));
  mus_turn_up(preview->scene->up, MUS_UP_Y, vertices, preview->upright);
  return preview->upright;
}

// Fabrics and materials, and colours of the scene's own.
static mus_status dress(mus_preview *preview) {
  const mus_scene *scene = preview->scene;
  int count = scene->cloth_count + scene->solid_count;
  mus_matter *matter = mus_arena_alloc(&preview->studio.arena, (size_t)count, sizeof *matter);
  if (!matter)
    return mus_fail_memory();
  for (int k = 0; k < count; ++k) {
    const mus_solid *solid = k < scene->cloth_count ? NULL : &scene->solids[k - scene->cloth_count];
    matter[k] = (mus_matter){solid != NULL, solid ? solid->material : mus_cloth_look(scene, &scene->cloths[k])};
    mus_studio_dress(&preview->studio, k, matter);
    mus_studio_colour_part(&preview->studio, k, solid ? &solid->colour : &scene->cloths[k].colour);
  }
  return MUS_OK;
}

static mus_status add_part(mus_preview *preview, const double *positions, int k) {
  const mus_run_part *part = &preview->parts[k];
  mus_mesh mesh = part->mesh;
  mesh.position = (double *)mus_run_part_numbers(part, positions); // which is only read
  if (part->is_solid)
    return mus_studio_add_solid(&preview->studio, k, &mesh);
  mus_render_mesh *shown = &preview->studio.mesh[k];
  shown->vertices = mesh.vertices;
  shown->triangles = mesh.triangles;
  shown->position = mesh.position;
  shown->material = mesh.material;
  shown->triangle = mesh.triangle;
  return MUS_OK;
}

static mus_status add_parts(mus_preview *preview, const mus_sim *sim) {
  mus_arena *arena = &preview->studio.arena;
  preview->upright = mus_arena_alloc(arena, 3 * (size_t)mus_sim_vertices(sim), sizeof(double));
  mus_status status = preview->upright ? mus_run_parts_create(arena, sim, &preview->parts) : mus_fail_memory();
  if (!status)
    status = dress(preview);
  for (int k = 0; k < mus_sim_parts(sim) && !status; ++k)
    status = add_part(preview, upright(preview, sim), k);
  return status;
}

static void place_parts(mus_preview *preview, const mus_sim *sim) {
  const double *positions = upright(preview, sim);
  for (int k = 0; k < mus_sim_parts(sim); ++k) {
    const double *own = mus_run_part_numbers(&preview->parts[k], positions);
    if (preview->parts[k].is_solid)
      mus_studio_place_solid(&preview->studio, k, own);
    else
      preview->studio.mesh[k].position = own;
  }
}

static mus_status add_bodies(mus_preview *preview, const mus_sim *sim) {
  const mus_scene *scene = preview->scene;
  preview->bodies = scene->body_count > 0 ? mus_sim_model(sim)->bodies : NULL;
  if (!preview->bodies)
    return MUS_OK;
  mus_arena *arena = &preview->studio.arena;
  preview->body_position = mus_arena_alloc(arena, 3 * (size_t)mus_bodies_vertices(preview->bodies), sizeof(double));
  int *triangle = mus_arena_alloc(arena, 3 * (size_t)mus_bodies_triangles(preview->bodies), sizeof *triangle);
  if (!preview->body_position || !triangle)
    return mus_fail_memory();
  mus_status status = mus_bodies_at(preview->bodies, mus_sim_time(sim), preview->body_position);
  for (int k = 0; k < scene->body_count && !status; ++k) {
    int first = mus_bodies_first_vertex(preview->bodies, k), face = mus_bodies_first_triangle(preview->bodies, k);
    mus_mesh mesh = {.vertices = mus_bodies_first_vertex(preview->bodies, k + 1) - first,
                     .triangles = mus_bodies_first_triangle(preview->bodies, k + 1) - face,
                     .position = preview->body_position + 3 * (size_t)first,
                     .triangle = triangle};
    for (size_t i = 0; i < 3 * (size_t)mesh.triangles; ++i)
      triangle[i] = mus_bodies_triangle_list(preview->bodies)[3 * (size_t)face + i] - first;
    status = mus_studio_add_body(&preview->studio, k, &mesh, mus_bodies_moves(preview->bodies, k));
    if (!status)
      mus_studio_style_body(&preview->studio, k, &scene->bodies[k].colour, scene->bodies[k].hidden);
  }
  return status;
}

static mus_status place_bodies(mus_preview *preview, double time) {
  mus_status status = mus_bodies_at(preview->bodies, time, preview->body_position);
  for (int k = 0; k < preview->scene->body_count && !status; ++k)
    mus_studio_place_body(&preview->studio, k,
                          preview->body_position + 3 * (size_t)mus_bodies_first_vertex(preview->bodies, k));
  return status;
}

// Nobody knows yet where the cloth will go. Most sags, so space is left for that from the start.
static mus_status begin_framing(mus_preview *preview) {
  const mus_render_quality *quality = &preview->studio.quality;
  mus_camera_wish wish = mus_default_camera_wish();
  float aspect = (float)quality->width / (float)quality->height;
  mus_status status = mus_framing_begin(&wish, aspect, &preview->framing);
  if (status)
    return status;
  mus_studio_measure(&preview->studio, &preview->framing);
  mus_bounds start = preview->framing.bounds;
  start.low.y -= 0.25f * hypotf(start.high.x - start.low.x, start.high.z - start.low.z);
  wish = mus_camera_wish_for(&start);
  wish.has_target = 1;
  wish.target = mus_bounds_centre(&start);
  status = mus_framing_begin(&wish, aspect, &preview->framing);
  for (int corner = 0; corner < 8 && !status; ++corner) {
    const double p[3] = {(double)(corner & 1 ? start.high.x : start.low.x),
                         (double)(corner & 2 ? start.high.y : start.low.y),
                         (double)(corner & 4 ? start.high.z : start.low.z)};
    mus_framing_add(&preview->framing, 1, p);
  }
  return status;
}

static mus_status set_up(mus_preview *preview, const mus_sim *sim, const char *folder) {
  mus_render_quality quality = {.width = 640, .height = 360, .antialias = 4, .light_samples = 4, .sky_samples = 4};
  mus_status status = mus_studio_create(mus_sim_parts(sim), preview->scene->body_count, &quality, &preview->studio);
  preview->studio.up = preview->scene->up;
  if (!status)
    status = add_parts(preview, sim);
  if (!status)
    status = add_bodies(preview, sim);
  if (!status)
    status = begin_framing(preview);
  if (status)
    return status;
  preview->picture_path = mus_result_path(&preview->studio.arena, folder, picture_name, "");
  preview->video_path = mus_result_path(&preview->studio.arena, folder, video_name, "");
  if (!preview->picture_path || !preview->video_path)
    return mus_fail_memory();
  mus_preview_forget(folder);
  return MUS_OK;
}

mus_status mus_preview_create(const mus_sim *sim, const mus_scene *scene, const char *folder, mus_preview **out) {
  mus_preview *preview = mus_alloc_zero(1, sizeof *preview);
  *out = NULL;
  if (!preview)
    return mus_fail_memory();
  preview->scene = scene;
  mus_status status = set_up(preview, sim, folder);
  if (status)
    mus_preview_close(preview);
  else
    *out = preview;
  return status;
}

// --- the camera ------------------------------------------------------------------------------------------------------

// The camera leaves the middle of what it shows alone while that is no farther from the middle of the picture than this
// part of its radius; farther out, it follows within about so long, s.
static const float slack = 0.25f;
static const double following = 0.25;

// Turns the camera after what is shown now, and back from it where that would leave the picture.
static mus_status follow(mus_preview *preview) {
  mus_framing now, *framing = &preview->framing;
  mus_camera_wish any = mus_default_camera_wish();
  mus_status status = mus_framing_begin(&any, 1, &now);
  if (status)
    return status;
  mus_studio_measure(&preview->studio, &now);
  mus_float3 *target = &framing->wish.target, way = mus_v3_subtract(mus_bounds_centre(&now.bounds), *target);
  float length = mus_v3_length(way), still = slack * mus_bounds_radius(&now.bounds);
  if (length > still) {
    float part = (float)(1 - exp(-1 / (following * preview->scene->frame_rate)));
    *target = mus_v3_plus(*target, part * (1 - still / length), way);
  }
  mus_studio_measure(&preview->studio, framing);
  return MUS_OK;
}

// --- frames ----------------------------------------------------------------------------------------------------------

static mus_status draw(mus_preview *preview, const mus_sim *sim) {
  place_parts(preview, sim);
  mus_status status = preview->bodies ? place_bodies(preview, mus_sim_time(sim)) : MUS_OK;
  if (!status)
    status = follow(preview);
  if (!status)
    status = mus_scene_frame(&preview->studio.scene, &preview->framing);
  if (!status) {
    mus_studio_lay_ground(&preview->studio, &preview->framing);
    status = mus_studio_draw(&preview->studio);
  }
  if (!status)
    status = mus_picture_write_png(&preview->studio.picture, preview->picture_path);
  preview->blind = status != MUS_OK;
  return status;
}

static mus_status film(mus_preview *preview) {
  const mus_render_quality *quality = &preview->studio.quality;
  mus_status status = MUS_OK;
  if (!preview->video)
    status = mus_video_open(preview->video_path, quality->width, quality->height, preview->scene->frame_rate,
                            &preview->video);
  if (!status)
    status = mus_video_add(preview->video, &preview->studio.picture);
  if (status) {
    preview->no_video = 1;
    if (preview->video)
      status = mus_video_close(preview->video, status);
    preview->video = NULL;
  }
  return status;
}

mus_status mus_preview_draw(mus_preview *preview, const mus_sim *sim) {
  if (preview->blind)
    return MUS_OK;
  int before = mus_par_set_threads(preview->scene->solver.threads);
  mus_status status = draw(preview, sim);
  if (!status && !preview->no_video)
    status = film(preview);
  mus_par_set_threads(before);
  return status;
}

mus_status mus_preview_close(mus_preview *preview) {
  if (!preview)
    return MUS_OK;
  mus_status status = preview->video ? mus_video_close(preview->video, MUS_OK) : MUS_OK;
  mus_studio_free(&preview->studio);
  mus_free(preview);
  return status;
}
