// Names in commands that users are told to type: quoted where a shell would take them apart.
#ifndef CLI_SHELL_WORD_H
#define CLI_SHELL_WORD_H

// As it is where it consists of what no shell looks at, otherwise in single quotes. From malloc; NULL if memory is
// short.
char *shell_word(const char *text);

// 1 for characters that need no quotes: letters of any alphabet in UTF-8, digits and -_./+,:@%.
int shell_is_plain(char character);

#endif
