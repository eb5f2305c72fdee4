// A recording, as a source. See source.h.
#include <stdlib.h>
#include <string.h>

#include "muslin/recording.h"
#include "muslin/scene.h"
#include "view/colours.h"
#include "view/source.h"

typedef struct playback {
  mus_recording *recording;
  mus_scene scene; // for names and colours
  const char *folder;
  int frame, loops;
  double *position, *body, *field[MUS_FIELDS];
} playback;

static void close_playback(void *self) {
  playback *p = self;
  if (!p)
    return;
  mus_recording_close(p->recording);
  mus_scene_free(&p->scene);
  free(p->position);
  free(p->body);
  for (int k = 0; k < MUS_FIELDS; ++k)
    free(p->field[k]);
  free(p);
}

static mus_status load_scene(playback *p) {
  static const char name[] = "/scene.json";
  char *path = malloc(strlen(p->folder) + sizeof name);
  if (!path)
    return MUS_OUT_OF_MEMORY;
  strcpy(path, p->folder);
  strcat(path, name);
  mus_status status = mus_scene_load(path, &p->scene);
  free(path);
  return status;
}

static mus_status open_playback(const view_subject *subject, void **out) {
  playback *p = calloc(1, sizeof *p);
  if (!p)
    return MUS_OUT_OF_MEMORY;
  p->folder = subject->folder;
  mus_status status = mus_recording_open(p->folder, &p->recording);
  if (!status)
    status = load_scene(p);
  if (!status) {
    p->position = calloc(3 * (size_t)mus_recording_vertices(p->recording) + 1, sizeof *p->position);
    p->body = calloc(3 * (size_t)mus_recording_body_vertices(p->recording) + 1, sizeof *p->body);
    status = p->position && p->body ? mus_recording_body_positions(p->recording, 0, p->body) : MUS_OUT_OF_MEMORY;
  }
  if (status)
    close_playback(p);
  else
    *out = p;
  return status;
}

static json_t *introduce(void *self, view_arrays *arrays) {
  const playback *p = self;
  const mus_recording *r = p->recording;
  view_arrays_ints(arrays, "triangles", VIEW_U32, 3 * (size_t)mus_recording_triangles(r),
                   mus_recording_triangle_list(r));
  view_arrays_ints(arrays, "bodyTriangles", VIEW_U32, 3 * (size_t)mus_recording_body_triangles(r),
                   mus_recording_body_triangle_list(r));
  view_arrays_points(arrays, "bodies", mus_recording_up(r), (size_t)mus_recording_body_vertices(r), p->body);
  json_t *fields = json_array(), *parts = json_array(), *bodies = json_array();
  for (int k = 0; k < MUS_FIELDS; ++k)
    if (mus_recording_has_field(r, (mus_field)k))
      json_array_append_new(fields, json_string(mus_field_name((mus_field)k)));
  for (int k = 0; k < mus_recording_parts(r); ++k)
    json_array_append_new(parts, view_describe_part(&p->scene, k, mus_recording_first_vertex(r, k)));
  for (int k = 0; k < mus_recording_bodies(r); ++k)
    json_array_append_new(bodies, view_describe_body(&p->scene, k, mus_recording_first_body_vertex(r, k)));
  return json_pack("{sssosisososo}", "mode", "recording", "name", view_json_text(p->folder), "vertices",
                   mus_recording_vertices(r), "parts", parts, "bodyParts", bodies, "fields", fields);
}

static int last_frame(const playback *p) { return mus_recording_frames(p->recording) - 1; }

static mus_status act(void *self, int page, const view_message *m) {
  playback *p = self;
  (void)page;
  if (m->action == VIEW_LOOP)
    p->loops = m->value > 0.5;
  else if (m->action == VIEW_SEEK)
    p->frame = m->number < last_frame(p) ? m->number : last_frame(p);
  else if (m->action == VIEW_RESET || (m->action == VIEW_PLAY && p->frame == last_frame(p)))
    p->frame = 0;
  return MUS_OK;
}

static void forget(void *self, int page) {
  (void)self;
  (void)page;
}

// At the end of a run that is not finished, what it writes is waited for.
static mus_status step(void *self, double *seconds) {
  static const double wait = 0.5;
  playback *p = self;
  int unfinished = mus_recording_frames(p->recording) < mus_recording_planned(p->recording);
  mus_status status = p->frame == last_frame(p) && unfinished ? mus_recording_refresh(p->recording) : MUS_OK;
  if (status)
    return status;
  if (p->frame < last_frame(p) || (p->loops && !unfinished && last_frame(p) > 0)) {
    p->frame = p->frame < last_frame(p) ? p->frame + 1 : 0;
    *seconds = 1 / mus_recording_rate(p->recording);
  } else {
    *seconds = unfinished ? wait : 0;
  }
  return MUS_OK;
}

static mus_status show(void *self, unsigned wants, json_t *head, view_arrays *arrays) {
  playback *p = self;
  mus_recording *r = p->recording;
  size_t vertices = (size_t)mus_recording_vertices(r);
  json_object_set_new(head, "time", json_real(p->frame / mus_recording_rate(r)));
  json_object_set_new(head, "frame", json_integer(p->frame));
  json_object_set_new(head, "frames", json_integer(mus_recording_frames(r)));
  json_object_set_new(head, "loop", json_boolean(p->loops));
  json_object_set_new(head, "planned", json_integer(mus_recording_planned(r)));
  mus_status status = mus_recording_positions(r, p->frame, p->position);
  view_arrays_points(arrays, "positions", mus_recording_up(r), vertices, p->position);
  if (!status && mus_recording_body_vertices(r) > 0) {
    status = mus_recording_body_positions(r, p->frame, p->body);
    view_arrays_points(arrays, "bodies", mus_recording_up(r), (size_t)mus_recording_body_vertices(r), p->body);
  }
  for (int k = 0; k < MUS_FIELDS && !status; ++k) {
    if (!(wants & 1u << k) || !mus_recording_has_field(r, (mus_field)k))
      continue;
    if (!p->field[k] && !(p->field[k] = calloc(vertices, sizeof(double))))
      return MUS_OUT_OF_MEMORY;
    status = mus_recording_field(r, (mus_field)k, p->frame, p->field[k]);
    view_arrays_field(arrays, mus_field_name((mus_field)k), vertices, p->field[k]);
  }
  return status;
}

const view_source view_playback = {open_playback, close_playback, introduce, act, forget, step, show};
