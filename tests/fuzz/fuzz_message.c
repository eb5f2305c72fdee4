// libFuzzer target for messages from pages: any bytes give a reason or a message whose numbers are in range.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "view/message.h"

static void require(int condition) {
  if (!condition)
    abort();
}

// The names alone: what has them would bring the whole simulator with it.
const char *mus_method_name(mus_method method) {
  static const char *const names[MUS_METHODS] = {"sa",           "diag",      "mpcg",      "mpcg-original",
                                                 "cholmod",      "gamg",      "boomeramg", "skinning",
                                                 "gauss-seidel", "chebyshev", "geometric", "auto"};
  return (int)method >= 0 && method < MUS_METHODS ? names[method] : NULL;
}

const char *mus_field_name(mus_field field) {
  static const char *const names[MUS_FIELDS] = {"stretch", "bend", "contact", "residual", "stress", "volume"};
  return (int)field >= 0 && field < MUS_FIELDS ? names[field] : NULL;
}

enum { SCENES = 3 };

const char *mus_scene_builtin_name(int index, const char **about) {
  static const char *const names[SCENES] = {"drape", "flag", "octopus"};
  (void)about;
  return index >= 0 && index < SCENES ? names[index] : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  view_message m;
  memset(&m, 0xff, sizeof m);
  char why[VIEW_REASON_BYTES] = "";
  if (!view_message_parse((const char *)data, size, &m, why)) {
    require(why[0] != 0 && memchr(why, 0, sizeof why) != NULL);
    return 0;
  }
  require(size <= VIEW_MESSAGE_BYTES && (int)m.action >= 0 && m.action < VIEW_ACTIONS && m.number >= 0);
  require(isfinite(m.value) && m.value >= 0 && m.value <= 100);
  for (int c = 0; c < 3; ++c)
    require(fabs(m.vector[c]) <= 1e4 && m.weight[c] >= 0 && m.weight[c] <= 1);
  if (m.action == VIEW_GRAB)
    require(fabs(m.weight[0] + m.weight[1] + m.weight[2] - 1) <= 2e-3);
  if (m.action == VIEW_SOLVER)
    require(m.number < MUS_METHODS);
  if (m.action == VIEW_FABRIC)
    require(m.name[0] != 0 && memchr(m.name, 0, sizeof m.name) != NULL);
  if (m.action == VIEW_SCENE)
    require(m.number < SCENES);
  if (m.action == VIEW_SHOW)
    require(m.number <= MUS_FIELDS);
  return 0;
}
