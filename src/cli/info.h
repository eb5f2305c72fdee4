// `muslin info`: describes a file or folder.
#ifndef CLI_INFO_H
#define CLI_INFO_H

// argv without the program and the command. Returns the exit status.
int info_command(int argc, char **argv);

#endif
