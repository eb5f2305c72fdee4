// `muslin check`: results searched for intersections.
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

// argv without the program and the command. Returns the exit status: 0 for none, 1 for some, 2 for bad input.
int check_command(int argc, char **argv);

#endif
