// `muslin fill`: a closed surface or a built-in shape filled with tetrahedra.
#ifndef CLI_FILL_H
#define CLI_FILL_H

// argv without the program and the command. Returns the exit status.
int fill_command(int argc, char **argv);

#endif
