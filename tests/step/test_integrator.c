// Integrators: every one has a name that scenes know, keeps what it needs and no more, and there is no other.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "sim/access.h"
#include "step/integrator.h"
#include "support/check.h"
#include "support/runs.h"

static void scenes_know_every_name(void **state) {
  (void)state;
  for (int k = 0; k < MUS_INTEGRATORS; ++k) {
    char text[200];
    assert_non_null(mus_integrator_name((mus_integrator)k));
    snprintf(text, sizeof text,
             "{\"integrator\": \"%s\", \"cloths\": [{\"model\": \"mass-spring\", \"shape\": {\"vertices\": 25}}]}",
             mus_integrator_name((mus_integrator)k));
    run *r = runs_start(text);
    assert_int_equal(r->scene.integrator, k);
    runs_frame(r);
    runs_free(r);
  }
  assert_null(mus_integrator_name(MUS_INTEGRATORS));
  assert_null(mus_integrator_name((mus_integrator)-1));
}

static void there_is_no_other(void **state) {
  (void)state;
  run *r = runs_scene("{\"cloths\": [{}]}");
  r->scene.integrator = MUS_INTEGRATORS;
  assert_fails(mus_sim_create(&r->scene, &r->sim), MUS_BAD_INPUT, "integrator");
  runs_free(r);
}

// Newton's method keeps a vector for its line search; the others nothing.
static void bytes_are_those_of_the_chosen_one(void **state) {
  (void)state;
  run *euler = runs_start("{\"cloths\": [{}]}"), *bdf2 = runs_start("{\"integrator\": \"bdf2\", \"cloths\": [{}]}"),
      *newton = runs_start("{\"integrator\": \"newton\", \"cloths\": [{}]}");
  mus_integrator_state own = {0};
  assert_ok(mus_integrator_create(MUS_INTEGRATOR_NEWTON, mus_sim_model(newton->sim), &own));
  assert_true(mus_integrator_bytes(&own) >= 3 * (size_t)mus_sim_vertices(newton->sim) * sizeof(double));
  assert_int_equal(mus_sim_bytes(newton->sim) - mus_sim_bytes(euler->sim), mus_integrator_bytes(&own));
  assert_int_equal(mus_sim_bytes(bdf2->sim), mus_sim_bytes(euler->sim));
  mus_integrator_free(&own);
  runs_free(euler), runs_free(bdf2), runs_free(newton);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(scenes_know_every_name), cmocka_unit_test(there_is_no_other),
                                     cmocka_unit_test(bytes_are_those_of_the_chosen_one)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
