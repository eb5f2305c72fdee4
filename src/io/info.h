// The parts of mus_info() (muslin/info.h): one a kind of file. Each writes its lines to `out`.
#ifndef MUS_IO_INFO_H
#define MUS_IO_INFO_H

#include "muslin/info.h"

mus_status mus_info_mesh(const char *path, FILE *out);
mus_status mus_info_solid(const char *path, FILE *out);
mus_status mus_info_gltf(const char *path, FILE *out);
mus_status mus_info_report(const char *path, FILE *out);
// Of a folder that a run has written, or is writing.
mus_status mus_info_result(const char *folder, FILE *out);

// "  name         " and then what printf makes of the rest, and a newline.
void mus_info_line(FILE *out, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
