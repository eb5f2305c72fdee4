// `muslin solve`: the linear solver on a Matrix Market system.
#ifndef CLI_SOLVE_H
#define CLI_SOLVE_H

// argv without the program and the command. Returns the exit status.
int solve_command(int argc, char **argv);

#endif
