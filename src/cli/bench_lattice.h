// `muslin bench --lattice`: measures multigrid for one elastic solid on a lattice.
#ifndef CLI_BENCH_LATTICE_H
#define CLI_BENCH_LATTICE_H

// argc and argv without the program's and the command's name. Returns the exit status.
int bench_lattice_command(int argc, char **argv);

#endif
