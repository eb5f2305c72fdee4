// The materials of solids: found by name, sensible, and checked.
#include "energy/check.h"

#include "energy/solid_material.h"

static const char *const names[] = {"rubber", "gel", "flesh", "foam", "wood"};
enum { NAMES = sizeof names / sizeof *names };

static void found_by_name(void **state) {
  (void)state;
  for (int k = 0; k < NAMES; ++k) {
    const mus_solid_material *material = NULL;
    assert_int_equal(mus_solid_material_find(names[k], &material), MUS_OK);
    assert_string_equal(material->name, names[k]);
    assert_string_equal(mus_solid_material_name(k), names[k]);
    assert_ptr_equal(material, mus_solid_material_at(k));
    assert_int_equal(mus_solid_material_check(material, MUS_POISSON_MAXIMUM), MUS_OK);
    assert_true(strlen(material->about) > 0);
  }
  assert_null(mus_solid_material_at(NAMES));
  assert_null(mus_solid_material_at(-1));
  assert_null(mus_solid_material_name(NAMES));
  assert_null(mus_solid_material_name(-1));
}

static void unknown_names_get_the_list(void **state) {
  (void)state;
  const mus_solid_material *material = NULL;
  assert_int_equal(mus_solid_material_find("Rubber", &material), MUS_BAD_INPUT);
  assert_null(material);
  assert_string_equal(mus_last_error(),
                      "there is no material named \"Rubber\"; there are rubber, gel, flesh, foam, wood");
}

static void refuse(const mus_solid_material *bad, const char *text) {
  assert_int_equal(mus_solid_material_check(bad, MUS_POISSON_MAXIMUM), MUS_BAD_INPUT);
  assert_non_null(strstr(mus_last_error(), text));
}

static void checks(void **state) {
  (void)state;
  mus_solid_material good = *mus_solid_material_at(0), bad = good;
  bad.density = 0;
  refuse(&bad, "material rubber: density is 0; give a finite, positive number");
  bad = good;
  bad.young = 0;
  refuse(&bad, "young is 0");
  bad.young = INFINITY;
  refuse(&bad, "young is inf");
  bad = good;
  bad.damping = -1;
  refuse(&bad, "damping is -1; give a finite, not negative number");
  bad.damping = 0; // allowed
  assert_int_equal(mus_solid_material_check(&bad, MUS_POISSON_MAXIMUM), MUS_OK);
}

// What no material has is refused, and what tetrahedra cannot be, with the reason.
static void poisson(void **state) {
  (void)state;
  mus_solid_material m = *mus_solid_material_at(3);
  static const double unstable[] = {-1, -2, 0.5, 0.7, NAN, INFINITY}, good[] = {-0.9, 0, 0.33, 0.495};
  for (int k = 0; k < 6; ++k) {
    m.poisson = unstable[k];
    refuse(&m, "no material is stable");
  }
  for (int k = 0; k < 4; ++k) {
    m.poisson = good[k];
    assert_int_equal(mus_solid_material_check(&m, MUS_POISSON_MAXIMUM), MUS_OK);
  }
  m.poisson = 0.499;
  refuse(&m, "material foam: poisson is 0.499; give at most 0.495: nearly incompressible tetrahedra lock");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(found_by_name),
      cmocka_unit_test(unknown_names_get_the_list),
      cmocka_unit_test(checks),
      cmocka_unit_test(poisson),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
