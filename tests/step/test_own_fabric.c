// Fabrics of a scene's own mean what they say: a strip under a known load is longer by load / (stiffness * width), and
// a built-in fabric that is written out in full moves bit for bit as the built-in one does, with every model.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "energy/fabric.h"
#include "support/runs.h"

static const double length = 0.4, width = 0.05, load = 0.5; // m, m, N

// Pulls at every vertex of the free end with its share of the load.
static void pull(run *r, int along) {
  const double *x = mus_sim_positions(r->sim);
  int count = 0, corners = 0;
  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i < mus_sim_vertices(r->sim); ++i) {
      if (x[3 * i + along] < length / 2 - 1e-6)
        continue;
      int corner = fabs(x[3 * i + 2 - along]) > width / 2 - 1e-6;
      mus_attachment a = {.count = 1, .vertex = {i}, .weight = {1}};
      count += pass == 0;
      corners += pass == 0 && corner;
      memcpy(a.target, x + 3 * i, sizeof a.target);
      a.target[along] += 1e3; // so far away that the spring pulls at its limit
      a.limit = load * (corner ? 0.5 : 1) / (count - 0.5 * corners);
      a.stiffness = 10;
      int handle;
      if (pass == 1)
        assert_int_equal(mus_sim_attach(r->sim, &a, &handle), MUS_OK);
    }
  assert_true(count > 2 && corners == 2);
}

// The strain of the strip at rest, along the warp or the weft.
static double strain(const char *fabric, int weft) {
  char text[900];
  snprintf(text, sizeof text,
           "{\"time_step\": 0.05, \"gravity\": [0, 0, 0], \"air_density\": 0, \"solver\": {\"tolerance\": 1e-10},"
           " \"fabrics\": [{\"name\": \"mine\", %s}], \"cloths\": [{\"fabric\": \"mine\", \"shape\": {\"kind\": "
           "\"strip\", \"size\": [%g, %g], \"vertices\": 205}, \"pins\": [{\"where\": {\"box\": [-1, -1, -1, %g, 1, "
           "%g]}}]}]}",
           fabric, weft ? width : length, weft ? length : width, weft ? 1 : -length / 2 + 1e-6,
           weft ? -length / 2 + 1e-6 : 1);
  run *r = runs_start(text);
  int along = weft ? 2 : 0, free = 0;
  double end = 0, before = length / 2;
  pull(r, along);
  runs_frame(r);
  runs_to_rest(r, 1e-7, 600);
  for (int i = 0; i < mus_sim_vertices(r->sim); ++i)
    before = fmax(before, mus_sim_positions(r->sim)[3 * i + along]);
  for (int i = 0; i < mus_sim_vertices(r->sim); ++i)
    if (mus_sim_positions(r->sim)[3 * i + along] > before - 1e-3) {
      end += mus_sim_positions(r->sim)[3 * i + along] - length / 2;
      ++free;
    }
  runs_free(r);
  return end / free / length;
}

static void stretch_is_load_over_width(void **state) {
  (void)state;
  static const struct {
    const char *fabric;
    double stiffness[2];
  } cases[] = {{"\"density\": 0.3, \"stretch\": [600, 900], \"shear\": 50", {600, 900}},
               {"\"like\": \"denim\", \"stretch\": [20000, 3000]", {20000, 3000}},
               {"\"like\": \"jersey\"", {350, 125}}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
    for (int weft = 0; weft < 2; ++weft) {
      double expected = load / (cases[k].stiffness[weft] * width), seen = strain(cases[k].fabric, weft);
      print_message("%s, %s: strain %.5f, %.5f of theory\n", cases[k].fabric, weft ? "weft" : "warp", seen,
                    seen / expected);
      assert_true(fabs(seen / expected - 1) < 0.005);
    }
}

// A built-in fabric with all its numbers.
static void write_out(const mus_fabric *f, size_t size, char *text) {
  snprintf(text, size,
           "\"fabrics\": [{\"name\": \"mine\", \"density\": %.17g, \"stretch\": [%.17g, %.17g], \"shear\": %.17g, "
           "\"bend\": [%.17g, %.17g, %.17g], \"damping\": [%.17g, %.17g, %.17g]}],",
           f->density, f->stretch[0], f->stretch[1], f->shear, f->bend[0], f->bend[1], f->bend[2], f->stretch_damping,
           f->shear_damping, f->bend_damping);
}

static run *drop(const char *fabrics, const char *fabric, const char *more, const char *model) {
  char text[1400];
  snprintf(text, sizeof text,
           "{%s \"time_step\": 0.01, \"bodies\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.2}}], \"cloths\": "
           "[{\"fabric\": \"%s\", \"model\": \"%s\", %s \"shape\": {\"vertices\": 200, \"size\": [0.7, 0.7]}, "
           "\"translate\": [0.02, 0.21, 0]}]}",
           fabrics, fabric, model, more);
  run *r = runs_start(text);
  for (int k = 0; k < 6; ++k)
    runs_frame(r);
  return r;
}

static void assert_same(run *a, run *b) {
  assert_memory_equal(mus_sim_positions(a->sim), mus_sim_positions(b->sim),
                      3 * (size_t)mus_sim_vertices(a->sim) * sizeof(double));
  runs_free(a);
  runs_free(b);
}

static void built_in_ones_written_out(void **state) {
  (void)state;
  static const char *const models[] = {"baraff-witkin", "choi-ko", "mass-spring"};
  char text[600];
  for (int k = 0; k < 3; ++k) {
    write_out(mus_fabric_at(k + 1), sizeof text, text);
    assert_same(drop("", mus_fabric_at(k + 1)->name, "", models[k]), drop(text, "mine", "", models[k]));
  }
}

// A cloth takes thickness and friction from its own fabric, unless it gives its own.
static void contact_takes_its_values(void **state) {
  (void)state;
  static const char thick[] = "\"fabrics\": [{\"name\": \"mine\", \"thickness\": 0.004, \"friction\": 0.9}],";
  static const char own[] = "\"thickness\": 0.004, \"friction\": 0.9,";
  run *plain = drop("", "cotton", "", "baraff-witkin"), *thicker = drop(thick, "mine", "", "baraff-witkin");
  assert_true(memcmp(mus_sim_positions(plain->sim), mus_sim_positions(thicker->sim), 24 * sizeof(double)) != 0);
  runs_free(plain);
  assert_same(drop("", "cotton", own, "baraff-witkin"), thicker);
  assert_same(drop("", "cotton", "\"thickness\": 0.001, \"friction\": 0.3,", "baraff-witkin"),
              drop(thick, "mine", "\"thickness\": 0.001, \"friction\": 0.3,", "baraff-witkin"));
}

static void notes_tell_what_a_model_ignores(void **state) {
  (void)state;
  static const char own[] = "\"fabrics\": [{\"name\": \"mine\", \"shear\": 5}],";
  run *r = drop(own, "mine", "", "mass-spring");
  assert_string_equal(mus_sim_note(r->sim, 0), "cloths[0] (cloth): its model does not use the shear, weft and bias of "
                                               "the fabric \"mine\"; see docs/fabrics.md");
  assert_null(mus_sim_note(r->sim, 1));
  runs_free(r);
  r = drop(own, "mine", "", "baraff-witkin");
  assert_null(mus_sim_note(r->sim, 0));
  runs_free(r);
}

// While a scene runs, too: to the scene's own and back.
static void changed_while_it_runs(void **state) {
  (void)state;
  run *r = drop("\"fabrics\": [{\"name\": \"mine\", \"density\": 0.5}],", "mine", "", "baraff-witkin");
  assert_string_equal(mus_sim_fabric(r->sim, 0), "mine");
  assert_int_equal(mus_sim_set_fabric(r->sim, 0, "silk"), MUS_OK);
  assert_int_equal(mus_sim_set_fabric(r->sim, 0, "mine"), MUS_OK);
  assert_int_equal(mus_sim_set_fabric(r->sim, 0, "yours"), MUS_BAD_INPUT);
  assert_string_equal(mus_last_error(), "there is no fabric named \"yours\"; there are cotton, silk, wool, denim, "
                                        "jersey, leather, and the scene's own: mine");
  runs_frame(r);
  runs_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stretch_is_load_over_width), cmocka_unit_test(built_in_ones_written_out),
      cmocka_unit_test(contact_takes_its_values), cmocka_unit_test(notes_tell_what_a_model_ignores),
      cmocka_unit_test(changed_while_it_runs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
