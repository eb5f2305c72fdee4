// Packets to pages. See packet.h.
#include "view/packet.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct view_packet {
  atomic_int holders;
  unsigned serial, marks;
  size_t size;
  unsigned char *bytes; // after VIEW_PACKET_ROOM others
};

json_t *view_json_text(const char *text) {
  json_t *good = json_string(text);
  if (good)
    return good;
  size_t size = strlen(text);
  char *plain = malloc(size + 1);
  if (!plain)
    return json_string("?");
  for (size_t k = 0; k <= size; ++k)
    plain[k] = (signed char)text[k] < 0 ? '?' : text[k];
  good = json_string(plain);
  free(plain);
  return good;
}

static void add(view_arrays *arrays, const char *name, view_number kind, size_t size, const double *doubles,
                const int *ints) {
  if (arrays->count == VIEW_PACKET_ARRAYS)
    return; // a page that lacks an array says so
  arrays->item[arrays->count].name = name;
  arrays->item[arrays->count].kind = kind;
  arrays->item[arrays->count].size = size;
  arrays->item[arrays->count].doubles = doubles;
  arrays->item[arrays->count].z_up = 0;
  arrays->item[arrays->count].may_lack = 0;
  arrays->item[arrays->count++].ints = ints;
}

void view_arrays_doubles(view_arrays *arrays, const char *name, size_t size, const double *from) {
  add(arrays, name, VIEW_F32, size, from, NULL);
}

void view_arrays_field(view_arrays *arrays, const char *name, size_t size, const double *from) {
  int had = arrays->count;
  add(arrays, name, VIEW_F32, size, from, NULL);
  if (arrays->count > had)
    arrays->item[had].may_lack = 1;
}

void view_arrays_points(view_arrays *arrays, const char *name, mus_up up, size_t points, const double *from) {
  int had = arrays->count;
  add(arrays, name, VIEW_F32, 3 * points, from, NULL);
  if (arrays->count > had)
    arrays->item[had].z_up = up == MUS_UP_Z;
}

void view_arrays_ints(view_arrays *arrays, const char *name, view_number kind, size_t size, const int *from) {
  add(arrays, name, kind, size, NULL, from);
}

static void store(uint32_t bits, unsigned char *to) {
  for (int k = 0; k < 4; ++k)
    to[k] = (unsigned char)(bits >> 8 * k & 255);
}

// The i-th number of points with y up: (x, z, -y) where z is up.
static double upright(const double *z_up, size_t i) {
  return i % 3 == 0 ? z_up[i] : i % 3 == 1 ? z_up[i + 1] : -z_up[i - 1];
}

static unsigned char *store_array(const view_arrays *arrays, int which, unsigned char *to) {
  size_t size = arrays->item[which].size;
  const double *doubles = arrays->item[which].doubles;
  const int *ints = arrays->item[which].ints;
  for (size_t i = 0; i < size; ++i, to += 4) {
    uint32_t bits = ints ? (uint32_t)ints[i] : 0;
    if (doubles) {
      double number = arrays->item[which].z_up ? upright(doubles, i) : doubles[i];
      float rounded = fabs(number) <= FLT_MAX ? (float)number : 0; // NaN is not, either
      if (isnan(number) && arrays->item[which].may_lack)
        rounded = NAN;
      memcpy(&bits, &rounded, sizeof bits);
    }
    store(bits, to);
  }
  return to;
}

static json_t *list_arrays(const view_arrays *arrays) {
  static const char *const kinds[] = {"f32", "u32", "i32"};
  json_t *list = json_array();
  for (int k = 0; k < arrays->count; ++k)
    json_array_append_new(
        list, json_pack("[ssI]", arrays->item[k].name, kinds[arrays->item[k].kind], (json_int_t)arrays->item[k].size));
  return list;
}

view_packet *view_packet_make(json_t *head, const view_arrays *arrays, unsigned serial, unsigned marks) {
  json_object_set_new(head, "arrays", list_arrays(arrays));
  char *text = json_dumps(head, JSON_COMPACT | JSON_REAL_PRECISION(9));
  json_decref(head);
  size_t length = text ? strlen(text) : 0, padded = (length + 3) / 4 * 4, size = 4 + padded;
  for (int k = 0; k < arrays->count; ++k)
    size += 4 * arrays->item[k].size;
  view_packet *packet = text ? malloc(sizeof *packet + VIEW_PACKET_ROOM + size) : NULL;
  if (packet) {
    *packet = (view_packet){.serial = serial, .marks = marks, .size = size};
    atomic_init(&packet->holders, 1);
    packet->bytes = (unsigned char *)(packet + 1) + VIEW_PACKET_ROOM;
    store((uint32_t)padded, packet->bytes);
    memset(packet->bytes + 4, ' ', padded);
    memcpy(packet->bytes + 4, text, length);
    unsigned char *to = packet->bytes + 4 + padded;
    for (int k = 0; k < arrays->count; ++k)
      to = store_array(arrays, k, to);
  }
  free(text);
  return packet;
}

view_packet *view_packet_hold(view_packet *packet) {
  atomic_fetch_add(&packet->holders, 1);
  return packet;
}

void view_packet_drop(view_packet *packet) {
  if (packet && atomic_fetch_sub(&packet->holders, 1) == 1)
    free(packet);
}

unsigned char *view_packet_bytes(view_packet *packet, size_t *size) {
  *size = packet->size;
  return packet->bytes;
}

unsigned view_packet_serial(const view_packet *packet) { return packet->serial; }
unsigned view_packet_marks(const view_packet *packet) { return packet->marks; }
