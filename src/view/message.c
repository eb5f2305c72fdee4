// Messages from pages. See message.h.
#include "view/message.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// What the message has besides "do".
typedef enum shape {
  SHAPE_BARE,
  SHAPE_NUMBER,
  SHAPE_FRAME,
  SHAPE_VECTOR,
  SHAPE_WORD, // one of those that word_of() knows
  SHAPE_NAME, // one that only the scene knows
  SHAPE_GRAB,
  SHAPE_TARGET
} shape;

static const struct {
  const char *name;
  shape has;
  double low, high; // of its numbers
} actions[VIEW_ACTIONS] = {
    [VIEW_PAUSE] = {"pause", SHAPE_BARE, 0, 0},      [VIEW_PLAY] = {"play", SHAPE_BARE, 0, 0},
    [VIEW_STEP] = {"step", SHAPE_BARE, 0, 0},        [VIEW_RESET] = {"reset", SHAPE_BARE, 0, 0},
    [VIEW_RESTORE] = {"restore", SHAPE_BARE, 0, 0},  [VIEW_FABRIC] = {"fabric", SHAPE_NAME, 0, 0},
    [VIEW_RELEASE] = {"release", SHAPE_BARE, 0, 0},  [VIEW_LEVELS] = {"levels", SHAPE_BARE, 0, 0},
    [VIEW_SEEN] = {"seen", SHAPE_BARE, 0, 0},        [VIEW_SPEED] = {"speed", SHAPE_NUMBER, 0.01, 100},
    [VIEW_SEEK] = {"seek", SHAPE_FRAME, 0, 0},       [VIEW_GRAVITY] = {"gravity", SHAPE_VECTOR, -100, 100},
    [VIEW_WIND] = {"wind", SHAPE_VECTOR, -100, 100}, [VIEW_STIFFNESS] = {"stiffness", SHAPE_NUMBER, 0.01, 100},
    [VIEW_SOLVER] = {"solver", SHAPE_WORD, 0, 0},    [VIEW_SHOW] = {"show", SHAPE_WORD, 0, 0},
    [VIEW_KEEP] = {"keep", SHAPE_BARE, 0, 0},        [VIEW_FREE] = {"free", SHAPE_BARE, 0, 0},
    [VIEW_LOOP] = {"loop", SHAPE_NUMBER, 0, 1},      [VIEW_SCENE] = {"scene", SHAPE_WORD, 0, 0},
    [VIEW_GRAB] = {"grab", SHAPE_GRAB, -1e4, 1e4},   [VIEW_DRAG] = {"drag", SHAPE_TARGET, -1e4, 1e4},
};

// What is read, and where complaints go.
typedef struct reading {
  const json_t *root;
  size_t keys; // that were looked at
  char *why;
} reading;

static int complain(reading *r, const char *text) {
  snprintf(r->why, VIEW_REASON_BYTES, "%s", text);
  return 0;
}

static json_t *take(reading *r, const char *key) {
  json_t *value = json_object_get(r->root, key);
  r->keys += value != NULL;
  return value;
}

static int read_number(reading *r, const json_t *value, double low, double high, double *out) {
  if (!json_is_number(value))
    return complain(r, "a number is missing or is not a number");
  *out = json_number_value(value);
  return *out >= low && *out <= high ? 1 : complain(r, "a number is out of range");
}

static int read_vector(reading *r, const char *key, double low, double high, double out[3]) {
  const json_t *list = take(r, key);
  if (!json_is_array(list) || json_array_size(list) != 3)
    return complain(r, "a list of three numbers is missing");
  for (size_t c = 0; c < 3; ++c)
    if (!read_number(r, json_array_get(list, c), low, high, &out[c]))
      return 0;
  return 1;
}

static int read_whole(reading *r, const char *key, int *out) {
  const json_t *value = take(r, key);
  if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > 2000000000)
    return complain(r, "a non-negative whole number is missing");
  *out = (int)json_integer_value(value);
  return 1;
}

// The words that an action knows, one by one; NULL past the last.
static const char *word_of(view_action action, int k) {
  switch (action) {
  case VIEW_SOLVER:
    return k < MUS_METHODS ? mus_method_name((mus_method)k) : NULL;
  case VIEW_SCENE:
    return mus_scene_builtin_name(k, NULL);
  default:
    return k == MUS_FIELDS ? "nothing" : mus_field_name((mus_field)k);
  }
}

static int read_word(reading *r, view_message *m) {
  const char *word = json_string_value(take(r, "value")), *known;
  if (!word)
    return complain(r, "a word is missing");
  for (m->number = 0; (known = word_of(m->action, m->number)); ++m->number)
    if (strcmp(known, word) == 0)
      return 1;
  return complain(r, "the word is unknown");
}

static int read_name(reading *r, view_message *m) {
  const json_t *value = take(r, "value");
  const char *word = json_string_value(value);
  if (!word || !*word)
    return complain(r, "a word is missing");
  if (json_string_length(value) >= sizeof m->name)
    return complain(r, "the word is too long");
  snprintf(m->name, sizeof m->name, "%s", word);
  return 1;
}

static int read_grab(reading *r, double low, double high, view_message *m) {
  if (!read_whole(r, "triangle", &m->number) || !read_vector(r, "weight", 0, 1, m->weight) ||
      !read_vector(r, "target", low, high, m->vector))
    return 0;
  double sum = m->weight[0] + m->weight[1] + m->weight[2];
  return fabs(sum - 1) <= 1e-3 ? 1 : complain(r, "the weights do not sum to 1");
}

static int read_rest(reading *r, view_message *m) {
  double low = actions[m->action].low, high = actions[m->action].high;
  switch (actions[m->action].has) {
  case SHAPE_BARE:
    return 1;
  case SHAPE_NUMBER:
    return read_number(r, take(r, "value"), low, high, &m->value);
  case SHAPE_FRAME:
    return read_whole(r, "frame", &m->number);
  case SHAPE_VECTOR:
    return read_vector(r, "value", low, high, m->vector);
  case SHAPE_WORD:
    return read_word(r, m);
  case SHAPE_NAME:
    return read_name(r, m);
  case SHAPE_GRAB:
    return read_grab(r, low, high, m);
  case SHAPE_TARGET:
    return read_vector(r, "target", low, high, m->vector);
  }
  return 0;
}

static int read_message(reading *r, view_message *m) {
  const char *word = json_string_value(take(r, "do"));
  if (!word)
    return complain(r, "it is not an object with a word \"do\"");
  int found = 0;
  while (found < VIEW_ACTIONS && strcmp(actions[found].name, word) != 0)
    ++found;
  if (found == VIEW_ACTIONS)
    return complain(r, "\"do\" is unknown");
  m->action = (view_action)found;
  if (!read_rest(r, m))
    return 0;
  return json_object_size(r->root) == r->keys ? 1 : complain(r, "it has an unexpected key");
}

int view_message_parse(const char *text, size_t size, view_message *out, char why[VIEW_REASON_BYTES]) {
  view_message message = {0};
  reading r = {.why = why};
  if (size > VIEW_MESSAGE_BYTES)
    return complain(&r, "it is too long");
  json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
  r.root = root;
  int good = root ? read_message(&r, &message) : complain(&r, "it is not JSON");
  json_decref(root);
  if (good)
    *out = message;
  return good;
}
