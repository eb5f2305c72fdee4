// What the sources of io/gltf.h share. Private to them.
#ifndef MUS_IO_GLTF_PARTS_H
#define MUS_IO_GLTF_PARTS_H

#include <jansson.h>

#include "io/gltf.h"

// --- a file while it is read (gltf_data.c) ---------------------------------------------------------------------------

typedef struct mus_gltf_buffer {
  const unsigned char *data;
  size_t length;
} mus_gltf_buffer;

typedef struct mus_gltf_file {
  const char *name;   // of the file, for error texts
  const char *folder; // what names of other files are relative to, the path up to its last slash; NULL: none are read
  mus_arena scratch;  // lives until the file is read
  json_t *root;
  int buffers;
  mus_gltf_buffer *buffer;
} mus_gltf_file;

enum { MUS_GLTF_PLACE = 96 }; // bytes of a place's name: "meshes[3].primitives[0]"

// Parses the container and the JSON and finds the buffers. mus_gltf_close() is needed in any case.
mus_status mus_gltf_open(mus_gltf_file *file, const unsigned char *bytes, size_t length);
void mus_gltf_close(mus_gltf_file *file);

// "FILE: PLACE: text", as MUS_BAD_INPUT.
mus_status mus_gltf_wrong(const mus_gltf_file *file, const char *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// A list of `object`, none when the key is missing.
mus_status mus_gltf_list(const mus_gltf_file *file, const char *place, const json_t *object, const char *key,
                         const json_t **list, int *count);
// Element `k` of a list, which must be an object; `place` becomes "key[k]".
mus_status mus_gltf_element(const mus_gltf_file *file, const json_t *list, const char *key, int k,
                            char place[MUS_GLTF_PLACE], const json_t **element);
// A whole number from `low` to `high`; as it was when the key is missing.
mus_status mus_gltf_whole(const mus_gltf_file *file, const char *place, const json_t *object, const char *key, int low,
                          int high, int *value);
// The same, and the key must be there.
mus_status mus_gltf_needed(const mus_gltf_file *file, const char *place, const json_t *object, const char *key, int low,
                           int high, int *value);
// `count` finite numbers; `given` is 0, and they are as they were, when the key is missing.
mus_status mus_gltf_reals(const mus_gltf_file *file, const char *place, const json_t *object, const char *key,
                          int count, double *value, int *given);
// A text, NULL when the key is missing.
mus_status mus_gltf_text(const mus_gltf_file *file, const char *place, const json_t *object, const char *key,
                         const char **text);

// All numbers of an accessor, `width` an element (1, 2, 3, 4 or 16), in the file's scratch; integers that are marked as
// normalised are. There must be *count elements, unless that is -1, which is set then; elements without data are
// zeros only where their number was known. All are finite.
mus_status mus_gltf_numbers(mus_gltf_file *file, int accessor, int width, int *count, double **value);
// Non-negative whole numbers below `limit`.
mus_status mus_gltf_wholes(mus_gltf_file *file, int accessor, int width, int limit, int *count, int **value);

// --- what came of it -------------------------------------------------------------------------------------------------

// How a node stands towards its parent.
typedef struct mus_gltf_stand {
  double translation[3], rotation[4], scale[3]; // rotation: a quaternion x, y, z, w
} mus_gltf_stand;

typedef struct mus_gltf_node {
  int parent; // -1: none
  int mapped; // 1: `map` is how it stands, and nothing moves it
  mus_affine map;
  mus_gltf_stand stand;
  int first_weight, weights; // of its mesh's morph targets
  int shown;                 // 1: in the scene
} mus_gltf_node;

typedef struct mus_gltf_skin {
  int joints;
  int *joint;          // nodes
  mus_affine *inverse; // of how each joint stood when the skin was bound
} mus_gltf_skin;

// A mesh where a node shows it. A row a vertex: its place, then `influences` times (joint, weight), then `targets`
// times the way that a target moves it.
typedef struct mus_gltf_part {
  int node, skin; // skin -1: none
  int first, vertices;
  int influences, targets, width;
  double *row;
} mus_gltf_part;

typedef enum mus_gltf_path { MUS_GLTF_TRANSLATION, MUS_GLTF_ROTATION, MUS_GLTF_SCALE, MUS_GLTF_WEIGHTS } mus_gltf_path;
typedef enum mus_gltf_between { MUS_GLTF_LINEAR, MUS_GLTF_STEP, MUS_GLTF_CUBIC } mus_gltf_between;

// One property of one node over time: `keys` values of `width` numbers; cubic ones with tangents before and after.
typedef struct mus_gltf_track {
  int node;
  mus_gltf_path path;
  mus_gltf_between between;
  int keys, width;
  double *time, *value;
} mus_gltf_track;

typedef struct mus_gltf_animation {
  char *name;
  double start, end; // s
  int tracks;
  mus_gltf_track *track;
} mus_gltf_animation;

struct mus_gltf {
  mus_arena arena;
  char *file; // its name
  int nodes, skins, parts, animations;
  mus_gltf_node *node;
  int *order; // nodes, parents first
  mus_gltf_skin *skin;
  mus_gltf_part *part;
  mus_gltf_animation *animation;
  int bones;        // joints of skins, each counted once
  int *joint;       // bones: the node that each is
  int raw_vertices; // before merging
  size_t numbers;   // that rows and tracks have taken
  mus_mesh mesh;
  // Where everything stands at the time asked for.
  mus_gltf_stand *stand;
  mus_affine *map;  // nodes, towards the world
  mus_affine *bone; // of the skin that is worked on
  int weights;
  double *rest_weight, *weight;
};

// Where all nodes are (gltf_pose.c): into stand, weight and map. animation -1: as they stand.
void mus_gltf_pose(mus_gltf *gltf, int animation, double time);

#endif
