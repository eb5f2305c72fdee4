// `muslin bench --nonlinear`: compares methods that minimise the energy of one step.
#ifndef CLI_BENCH_NONLINEAR_H
#define CLI_BENCH_NONLINEAR_H

// argc and argv without the program's and the command's name. Returns the exit status.
int bench_nonlinear_command(int argc, char **argv);

#endif
