// A folder of OBJ files, frame_0000.obj and on, each with the whole mesh: for programs that read nothing else.
#include "io/cache_format.h"
#include "io/obj.h"

static mus_status write_frame(mus_cache_writer *writer, const double *positions) {
  mus_mesh_file file = {.mesh = *writer->definition.mesh};
  file.mesh.position = (double *)positions; // which writing leaves as they are
  return mus_obj_write(mus_sequence_frame(writer, writer->frames), &file);
}

const mus_cache_format mus_cache_obj = {.name = "obj",
                                        .extension = "",
                                        .folder = "",
                                        .frame = ".obj",
                                        .needs_mesh = 1,
                                        .create = mus_sequence_create,
                                        .reopen = mus_sequence_reopen,
                                        .keep = mus_sequence_keep,
                                        .write = write_frame,
                                        .sync = mus_sequence_sync,
                                        .finish = mus_sequence_finish,
                                        .close = mus_sequence_close};
