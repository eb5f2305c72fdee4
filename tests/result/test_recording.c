// Recordings show what was run.
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
#include "muslin/recording.h"
#include "muslin/run.h"
#include "support/check.h"
#include "support/files.h"
#include "support/runs.h"

static void frames_are_those_of_the_run(void **state) {
  run *r =
      runs_start("{\"frames\": 3, \"time_step\": 0.01, \"cloths\": [{\"name\": \"a\", \"shape\": {\"vertices\": 49}},"
                 "{\"shape\": {\"vertices\": 25}, \"translate\": [0, 0.2, 0]}],"
                 "\"bodies\": [{\"shape\": {\"kind\": \"sphere\", \"facet\": 0.01}, \"translate\": [0, -0.3, 0]}]}");
  mus_run_options options = mus_default_run_options();
  mus_run_record record;
  options.folder = files_path(*state, "out");
  options.residual = 1;
  assert_ok(mus_run(&r->scene, &options, &record));
  mus_recording *recording = NULL;
  long tries = 0;
  mus_status status;
  do { // memory that is short anywhere is told
    mus_memory_fail_after(tries++);
    status = mus_recording_open(files_path(*state, "out"), &recording);
    mus_memory_fail_after(-1);
    assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
  } while (status);
  assert_true(tries > 10);
  mus_recording_close(recording);
  assert_ok(mus_recording_open(files_path(*state, "out"), &recording));
  assert_int_equal(mus_recording_frames(recording), 4);
  assert_true(mus_recording_rate(recording) == 24);
  assert_int_equal(mus_recording_cloths(recording), 2);
  assert_int_equal(mus_recording_first_vertex(recording, 1), 49);
  assert_string_equal(mus_recording_cloth_name(recording, 0), "a");
  int n = mus_recording_vertices(recording);
  assert_int_equal(n, 74);
  assert_int_equal(mus_recording_triangles(recording), mus_sim_triangles(r->sim));
  assert_memory_equal(mus_recording_triangle_list(recording), mus_sim_triangle_list(r->sim),
                      3 * (size_t)mus_sim_triangles(r->sim) * sizeof(int));
  assert_int_equal(mus_recording_body_vertices(recording), mus_sim_body_vertices(r->sim));
  assert_int_equal(mus_recording_body_triangles(recording), mus_sim_body_triangles(r->sim));
  double x[3 * 74], value[74], *body = calloc(3 * (size_t)mus_sim_body_vertices(r->sim), sizeof *body);
  double *same = calloc(3 * (size_t)mus_sim_body_vertices(r->sim), sizeof *body);
  assert_true(body && same);
  for (int frame = 0; frame < 4; ++frame) {
    assert_ok(mus_recording_positions(recording, frame, x));
    for (int i = 0; i < 3 * n; ++i)
      assert_true(fabs(x[i] - mus_sim_positions(r->sim)[i]) < 1e-6);
    assert_ok(mus_recording_body_positions(recording, frame, body));
    assert_ok(mus_sim_body_positions(r->sim, same));
    for (int i = 0; i < 3 * mus_sim_body_vertices(r->sim); ++i)
      assert_true(fabs(body[i] - same[i]) < 1e-6);
    double shown[74];
    assert_ok(mus_recording_field(recording, MUS_FIELD_STRETCH, frame, value));
    assert_ok(mus_sim_field(r->sim, MUS_FIELD_STRETCH, shown));
    for (int i = 0; i < n; ++i)
      assert_true(fabs(value[i] - shown[i]) < 1e-2);
    runs_frame(r);
  }
  assert_ok(mus_recording_field(recording, MUS_FIELD_RESIDUAL, 2, value));
  assert_true(mus_recording_has_field(recording, MUS_FIELD_BEND));
  assert_false(mus_recording_has_field(recording, MUS_FIELD_CONTACT));
  assert_fails(mus_recording_field(recording, MUS_FIELD_CONTACT, 1, value), MUS_UNSUPPORTED, "no contact");
  assert_fails(mus_recording_positions(recording, 4, x), MUS_BAD_INPUT, "frame 4 is outside 0...3");
  assert_fails(mus_recording_field(recording, MUS_FIELD_BEND, -1, value), MUS_BAD_INPUT, "frame -1");
  mus_recording_close(recording);
  free(body);
  free(same);
  runs_free(r);
}

typedef struct follower {
  const char *folder;
  mus_recording *recording;
  int seen;
} follower;

// Opens what is there as soon as there is something, sees one frame after the other, and stops the run after the third.
static int follow(void *data) {
  follower *f = data;
  if (!f->recording && mus_recording_open(f->folder, &f->recording) != MUS_OK)
    return 0;
  assert_ok(mus_recording_refresh(f->recording));
  int before = f->seen;
  f->seen = mus_recording_frames(f->recording);
  assert_int_equal(mus_recording_planned(f->recording), 6);
  assert_true(f->seen == before || f->seen == before + 1);
  return f->seen == 4;
}

static void a_run_that_goes_on_is_followed(void **state) {
  run *r = runs_start("{\"frames\": 5, \"frame_rate\": 50, \"time_step\": 0.01, \"cloths\": [{\"fabric\": \"silk\", "
                      "\"shape\": {\"vertices\": 49}}]}");
  mus_run_options options = mus_default_run_options();
  mus_run_record record;
  follower followed = {0};
  followed.folder = options.folder = files_path(*state, "out");
  options.stop = follow;
  options.data = &followed;
  mus_run(&r->scene, &options, &record);
  assert_int_equal(record.stopped, 1);
  assert_int_equal(followed.seen, 4);
  assert_string_equal(mus_recording_cloth_fabric(followed.recording, 0), "silk");
  mus_recording_close(followed.recording);
  assert_ok(mus_recording_open(followed.folder, &followed.recording)); // as it was left
  assert_int_equal(mus_recording_frames(followed.recording), record.frames + 1);
  assert_int_equal(mus_recording_planned(followed.recording), 6);
  mus_recording_close(followed.recording);
  runs_free(r);
}

static void what_is_none_is_refused(void **state) {
  mus_recording *recording = NULL;
  assert_true(mus_recording_open(files_path(*state, "nothing"), &recording) != MUS_OK);
  assert_true(mus_recording_open(*state, &recording) != MUS_OK);
  assert_null(recording);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(frames_are_those_of_the_run, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(a_run_that_goes_on_is_followed, files_setup, files_teardown),
      cmocka_unit_test_setup_teardown(what_is_none_is_refused, files_setup, files_teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
