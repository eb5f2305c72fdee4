// `muslin render`: pictures and videos of results.
#ifndef CLI_RENDER_H
#define CLI_RENDER_H

// argv without the program and the command. Returns the exit status.
int render_command(int argc, char **argv);

#endif
