// `muslin run`: simulates a scene into a folder.
#ifndef CLI_RUN_H
#define CLI_RUN_H

// argv without the program and the command. Returns the exit status.
int run_command(int argc, char **argv);

#endif
