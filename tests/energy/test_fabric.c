// The fabrics: found by name, sensible, and as soft and heavy as their kind.
#include "energy/check.h"

#include "energy/bend.h"
#include "energy/fabric.h"

static void found_by_name(void **state) {
  (void)state;
  static const char *const names[] = {"cotton", "silk", "wool", "denim", "jersey", "leather"};
  for (int k = 0; k < 6; ++k) {
    const mus_fabric *fabric = NULL;
    assert_int_equal(mus_fabric_find(names[k], &fabric), MUS_OK);
    assert_string_equal(fabric->name, names[k]);
    assert_ptr_equal(fabric, mus_fabric_at(k));
    assert_int_equal(mus_fabric_check(fabric), MUS_OK);
    assert_true(strlen(fabric->about) > 0);
  }
  assert_null(mus_fabric_at(6));
  assert_null(mus_fabric_at(-1));
}

static void unknown_names_get_the_list(void **state) {
  (void)state;
  const mus_fabric *fabric = NULL;
  assert_int_equal(mus_fabric_find("Cotton", &fabric), MUS_BAD_INPUT);
  assert_null(fabric);
  assert_string_equal(mus_last_error(),
                      "there is no fabric named \"Cotton\"; there are cotton, silk, wool, denim, jersey, leather");
}

// Bending lengths, in mm, as cantilever tests find them on cloths of each kind: ASTM D1388's quantity.
static void bending_lengths_are_their_kinds(void **state) {
  (void)state;
  static const double range[6][2] = {{14, 30}, {10, 22}, {14, 22}, {22, 40}, {10, 22}, {14, 30}};
  for (int k = 0; k < 6; ++k)
    for (int m = 0; m < 3; ++m) {
      const mus_fabric *f = mus_fabric_at(k);
      double length = 1000 * cbrt(f->bend[m] / (f->density * 9.81));
      assert_true(length > range[k][0] && length < range[k][1]);
    }
}

static void checks(void **state) {
  (void)state;
  mus_fabric good = *mus_fabric_at(3), bad = good;
  bad.density = 0;
  assert_int_equal(mus_fabric_check(&bad), MUS_BAD_INPUT);
  assert_string_equal(mus_last_error(), "fabric denim: density is 0; give a finite, positive number");
  bad = good;
  bad.stretch[1] = -1;
  assert_int_equal(mus_fabric_check(&bad), MUS_BAD_INPUT);
  assert_non_null(strstr(mus_last_error(), "stretch along the weft is -1"));
  bad = good;
  bad.bend_damping = NAN;
  assert_int_equal(mus_fabric_check(&bad), MUS_BAD_INPUT);
  assert_non_null(strstr(mus_last_error(), "bend damping"));
  bad = good;
  bad.friction = INFINITY;
  assert_int_equal(mus_fabric_check(&bad), MUS_BAD_INPUT);
  bad = good;
  bad.shear = 0; // allowed
  assert_int_equal(mus_fabric_check(&bad), MUS_OK);
}

// A bias that is too soft would make bending negative somewhere: refused at the limit where it does.
static void soft_bias(void **state) {
  (void)state;
  mus_fabric f = *mus_fabric_at(0);
  f.bend[0] = 9, f.bend[1] = 4;
  for (double bias = 0; bias < 3; bias += 0.05) {
    double least = INFINITY;
    f.bend[2] = bias;
    for (int k = 0; k <= 1000; ++k)
      least = fmin(least, mus_bend_stiffness(9, 4, bias, cos(k * MUS_PI / 1000), sin(k * MUS_PI / 1000)));
    assert_int_equal(mus_fabric_check(&f) == MUS_OK, least >= -1e-4);
  }
}

static void membranes_and_strips(void **state) {
  (void)state;
  const mus_fabric *denim = mus_fabric_at(3);
  mus_membrane_material m = mus_fabric_membrane(denim);
  check_near(m.stretch[0], denim->stretch[0], 0);
  check_near(m.stretch[1], denim->stretch[1], 0);
  check_near(m.shear, denim->shear, 0);
  check_near(m.stretch_damping[0], denim->stretch[0] * denim->stretch_damping, 0);
  check_near(m.stretch_damping[1], denim->stretch[1] * denim->stretch_damping, 0);
  check_near(m.shear_damping, denim->shear * denim->shear_damping, 0);
  check_near(mus_fabric_strip(denim, 1, 0), denim->stretch[0], 1e-9);
  check_near(mus_fabric_strip(denim, 0, -1), denim->stretch[1], 1e-9);
  double half = sqrt(0.5), bias = 4 / (1 / denim->stretch[0] + 1 / denim->stretch[1] + 1 / denim->shear);
  check_near(mus_fabric_strip(denim, half, -half), bias, 1e-9);
  mus_fabric loose = *denim;
  loose.shear = loose.stretch[1] = 0;
  check_near(mus_fabric_strip(&loose, 1, 0), denim->stretch[0], 1e-9);
  check_near(mus_fabric_strip(&loose, half, half), 0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(found_by_name),
      cmocka_unit_test(unknown_names_get_the_list),
      cmocka_unit_test(bending_lengths_are_their_kinds),
      cmocka_unit_test(checks),
      cmocka_unit_test(soft_bias),
      cmocka_unit_test(membranes_and_strips),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
