// `muslin view`: a simulation, or a result, in the browser.
#ifndef CLI_VIEW_H
#define CLI_VIEW_H

// argv without the program and the command. Returns the exit status.
int view_command(int argc, char **argv);

#endif
