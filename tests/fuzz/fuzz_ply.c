// libFuzzer target for the PLY reader: any bytes give a status, and what is accepted is a mesh that everything else can
// work on.
#include "fuzz_mesh.h"

#include "io/ply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return fuzz_mesh(data, size, mus_ply_scan); }
