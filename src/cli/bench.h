// `muslin bench`: compares solvers on the linear systems of a scene's steps.
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

// argc and argv without the program's and the command's name. Returns the exit status.
int bench_command(int argc, char **argv);

#endif
