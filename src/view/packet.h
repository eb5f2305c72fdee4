// Packets to pages: a JSON header that describes what follows, and arrays of numbers.
//
//   4 bytes   length of the head, a multiple of 4 (little-endian, as everything)
//   head      JSON, filled up with spaces: {"type": ..., "arrays": [["positions", "f32", 7803], ...], ...}
//   arrays    one after the other, 4 bytes per number: "f32", "u32" or "i32"
//
// A packet is made by one thread and then only read, by as many as hold it; the last one to let go frees it.
#ifndef VIEW_PACKET_H
#define VIEW_PACKET_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "muslin/scene.h"

// Bytes before the first one that the socket's library may write to.
enum { VIEW_PACKET_ROOM = 32 };

typedef struct view_packet view_packet;

// Arrays that a packet will have, at most.
enum { VIEW_PACKET_ARRAYS = 32 };
typedef enum view_number { VIEW_F32, VIEW_U32, VIEW_I32 } view_number;

// What a packet is made of. Sources stay the caller's; doubles are rounded to single precision, and numbers that are
// not finite become 0.
typedef struct view_arrays {
  int count;
  struct {
    const char *name;
    view_number kind;
    size_t size;           // numbers
    const double *doubles; // one of the two
    const int *ints;
    int z_up;     // doubles are points of a world with z up; pages have y up
    int may_lack; // NaN stands for a number that there is not; elsewhere it is sent as 0
  } item[VIEW_PACKET_ARRAYS];
} view_arrays;

// A string for a head, also where it is not UTF-8, as names of files may be: what is not ASCII is then "?".
json_t *view_json_text(const char *text);

void view_arrays_doubles(view_arrays *arrays, const char *name, size_t size, const double *from);
// The same, one number per vertex, which some may lack: NaN there.
void view_arrays_field(view_arrays *arrays, const char *name, size_t size, const double *from);
// Points of three numbers each, which pages get with y up.
void view_arrays_points(view_arrays *arrays, const char *name, mus_up up, size_t points, const double *from);
void view_arrays_ints(view_arrays *arrays, const char *name, view_number kind, size_t size, const int *from);

// Takes `head` over in any case. NULL when memory is short. `marks` is for the caller, as is `serial`.
view_packet *view_packet_make(json_t *head, const view_arrays *arrays, unsigned serial, unsigned marks);
view_packet *view_packet_hold(view_packet *packet); // returns it
void view_packet_drop(view_packet *packet);         // NULL is fine

// VIEW_PACKET_ROOM bytes may be written before the first.
unsigned char *view_packet_bytes(view_packet *packet, size_t *size);
unsigned view_packet_serial(const view_packet *packet);
unsigned view_packet_marks(const view_packet *packet);

#endif
