// `muslin examples`: lists the built-in scenes.
#ifndef CLI_EXAMPLES_H
#define CLI_EXAMPLES_H

// argv without the program and the command. Returns the exit status.
int examples_command(int argc, char **argv);

#endif
