// libFuzzer target for the OBJ reader: any bytes give a status, and what is accepted is a mesh that everything else can
// work on.
#include "fuzz_mesh.h"

#include "io/obj.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return fuzz_mesh(data, size, mus_obj_scan); }
