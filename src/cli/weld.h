// `muslin weld`: copies of a result's meshes and caches with closed seams welded.
#ifndef CLI_WELD_H
#define CLI_WELD_H

// argv without the program and the command. Returns the exit status.
int weld_command(int argc, char **argv);
// Welds, and tells what was done; also for `muslin run --weld`. Returns the exit status.
int weld_folder(const char *program, const char *folder, const char *formats);

#endif
