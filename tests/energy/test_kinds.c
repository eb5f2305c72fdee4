// The table of kinds: every one of them is whole, and its forces and matrices are derivatives of its energy.
#include "energy/check_kind.h"

#include "energy/any_source.h"
#include "energy/stitch.h"

static void kinds_are_whole(void **state) {
  (void)state;
  for (int k = 0; mus_element_kinds[k]; ++k) {
    const mus_element_kind *kind = mus_element_kinds[k];
    assert_true(kind->name && kind->create && kind->evaluate);
    assert_true(kind->arity >= 1 && kind->arity <= MUS_ARITY_MAXIMUM);
    assert_true(!kind->strains || kind->measure);
    for (int other = 0; other < k; ++other)
      assert_string_not_equal(kind->name, mus_element_kinds[other]->name);
  }
}

static int in_table(const mus_element_kind *kind) {
  int k = 0;
  while (mus_element_kinds[k] && mus_element_kinds[k] != kind)
    ++k;
  return mus_element_kinds[k] != NULL;
}

// Models are made of kinds in the table, and there are no others.
static void models_are_made_of_kinds(void **state) {
  (void)state;
  for (int model = MUS_CLOTH_MODEL_BARAFF_WITKIN; model <= MUS_CLOTH_MODEL_MASS_SPRING; ++model) {
    const mus_element_kind *const *kinds = mus_cloth_kinds((mus_cloth_model)model);
    assert_true(kinds && kinds[0] && kinds[1]);
    for (; *kinds; ++kinds)
      assert_true(in_table(*kinds) && !(*kinds)->ties);
  }
  assert_null(mus_cloth_kinds((mus_cloth_model)(MUS_CLOTH_MODEL_MASS_SPRING + 1)));
  assert_null(mus_cloth_kinds((mus_cloth_model)-1));
  for (int model = MUS_SOLID_MODEL_NEO_HOOKEAN; model <= MUS_SOLID_MODEL_MASS_SPRING; ++model) {
    const mus_element_kind *const *kinds = mus_solid_kinds((mus_solid_model)model);
    assert_true(kinds && kinds[0]);
    for (; *kinds; ++kinds)
      assert_true(in_table(*kinds) && !(*kinds)->ties && !(*kinds)->bends);
  }
  assert_null(mus_solid_kinds((mus_solid_model)(MUS_SOLID_MODEL_MASS_SPRING + 1)));
  assert_null(mus_solid_kinds((mus_solid_model)-1));
  for (int k = 0; mus_joining_kinds[k]; ++k)
    assert_true(in_table(mus_joining_kinds[k]) && mus_joining_kinds[k]->ties && mus_joining_kinds[k]->driven);
}

// Every element of a list, moved by little and by much. Drag has no energy: without air it is nothing.
static void derivatives(void **state) {
  (void)state;
  sheet s;
  sheet_create(&s);
  for (int k = 0; mus_element_kinds[k]; ++k) {
    mus_element_list list;
    assert_int_equal(mus_element_list_create(mus_element_kinds[k], &s.arena, &s.source, &list), MUS_OK);
    assert_true(list.kind == mus_element_kinds[k] && list.count > 0);
    print_message("%s: %d elements\n", list.kind->name, list.count);
    for (int element = 0; element < list.count; ++element) {
      check_listed(&list, element, s.mesh.vertices, s.mesh.position, 0.001, (uint64_t)element);
      check_listed(&list, element, s.mesh.vertices, s.mesh.position, 0.005, (uint64_t)element + 500);
    }
  }
  mus_arena_clear(&s.arena);
}

// What Projective Dynamics takes for an element's matrix, as one of three coordinates.
static void weights_of(const mus_element_list *list, int element, double *full) {
  int arity = list->kind->arity, n = 3 * arity;
  double weight[MUS_ARITY_MAXIMUM * (MUS_ARITY_MAXIMUM + 1) / 2];
  const mus_blend blend = {.stiffness = 1};
  list->kind->weigh(list, element, 1, &blend, 1, weight);
  memset(full, 0, (size_t)(n * n) * sizeof *full);
  for (int i = 0, w = 0; i < arity; ++i)
    for (int j = i; j < arity; ++j, ++w)
      for (int c = 0; c < 3; ++c)
        full[n * (3 * i + c) + 3 * j + c] = full[n * (3 * j + c) + 3 * i + c] = weight[w];
}

// The least eigenvalue of the weights less the semi-definite Hessian, over the largest of the weights.
static double room_of(const mus_element_list *list, int element, const sheet *s, double far, uint64_t seed) {
  const int *vertex = list->vertex + list->kind->arity * element;
  int n = 3 * list->kind->arity;
  double x[CHECK_N], full[CHECK_N * CHECK_N], weights[CHECK_N * CHECK_N], largest;
  double *place = calloc(6 * (size_t)s->mesh.vertices, sizeof *place);
  listed of = {list, element, place, place + 3 * s->mesh.vertices};
  checked c = {list->kind->arity, &of, listed_evaluate};
  check_fill(n, far, seed, x);
  for (int k = 0; k < list->kind->arity; ++k)
    mus_add_scaled3(1, s->mesh.position + 3 * vertex[k], x + 3 * k);
  check_matrix(&c, &check_definite, x, full);
  weights_of(list, element, weights);
  check_least_eigenvalue(n, weights, &largest);
  for (int k = 0; k < n * n; ++k)
    full[k] = weights[k] - full[k];
  double unused, least = check_least_eigenvalue(n, full, &unused);
  free(place);
  return least / largest;
}

// Weights that are said to be a bound are one, however far elements are moved; the others are one near rest.
static void weights_are_bounds(void **state) {
  (void)state;
  sheet s;
  sheet_create(&s);
  int bounded = 0, others = 0;
  for (int k = 0; mus_element_kinds[k]; ++k) {
    mus_element_list list;
    assert_int_equal(mus_element_list_create(mus_element_kinds[k], &s.arena, &s.source, &list), MUS_OK);
    assert_true(!list.kind->bounded || list.kind->weigh);
    bounded += list.kind->bounded;
    others += list.kind->weigh && !list.kind->bounded;
    for (int element = 0; element < list.count && list.kind->weigh; ++element)
      for (int much = 0; much < (list.kind->bounded ? 2 : 1); ++much) {
        // a hinge has Gauss-Newton's matrix, whose normals turn with it: only what is flat is below its weights
        double far = list.kind->rank_one ? 0 : list.kind->bounded ? (much ? 0.02 : 0.002) : 2e-4;
        double room = room_of(&list, element, &s, far, (uint64_t)(50 * k + element));
        if (!(room >= -1e-6)) // flat hinges are kept as floats
          fail_msg("%s %d: %g below its second derivative", list.kind->name, element, -room);
      }
  }
  assert_int_equal(bounded, 8); // springs, buttons, co-rotated
  assert_int_equal(others, 2);  // triangles and hinges
  mus_arena_clear(&s.arena);
}

// Sewings become stitches to vertices or to edges: one to an edge's end is one to a vertex, one from a vertex to itself
// is none.
static void sewings_become_stitches(void **state) {
  (void)state;
  static const mus_sewing sewing[] = {{4, 4, 7, 0, 1, 50, 0, 1},     {4, 5, 7, 0, 1, 60, 0.1, 1},
                                      {4, 5, 7, 0.5, 2, 70, 0.2, 1}, {4, 5, 7, 1, 3, 80, 0, 1},
                                      {4, 9, 9, 0.3, 1, 90, 0, 1},   {4, 5, 4, 0.5, 1, 50, 0, 1}};
  sheet s;
  mus_element_list whole, partly;
  sheet_create(&s);
  s.source.sewing = sewing;
  s.source.sewings = 6;
  assert_int_equal(mus_element_list_create(&mus_stitch_kind, &s.arena, &s.source, &whole), MUS_OK);
  assert_int_equal(mus_element_list_create(&mus_edge_stitch_kind, &s.arena, &s.source, &partly), MUS_OK);
  const int pairs[] = {4, 5, 4, 7, 4, 9}, triple[] = {4, 5, 7};
  const mus_stitch_rest *rest = whole.rest, *edge = partly.rest;
  const double *x = s.mesh.position;
  assert_true(whole.count == 3 && partly.count == 1);
  assert_memory_equal(whole.vertex, pairs, sizeof pairs);
  assert_memory_equal(partly.vertex, triple, sizeof triple);
  check_near(rest[1].length, hypot(x[12] - x[21], x[14] - x[23]), 1e-15);
  assert_true(rest[1].close == 3 && rest[1].stiffness == 80 && rest[2].stiffness == 90 && rest[2].ratio == 0);
  assert_true(edge[0].ratio == 0.5 && edge[0].damping == 0.2 && edge[0].close == 2);
  check_near(edge[0].length, hypot(x[12] - (x[15] + x[21]) / 2, x[14] - (x[17] + x[23]) / 2), 1e-15);
  mus_arena_clear(&s.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(kinds_are_whole), cmocka_unit_test(models_are_made_of_kinds),
                                     cmocka_unit_test(derivatives), cmocka_unit_test(weights_are_bounds),
                                     cmocka_unit_test(sewings_become_stitches)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
