// JSON as text, with numbers in the fewest digits that give back the same bits.
#ifndef MUS_IO_JSON_TEXT_H
#define MUS_IO_JSON_TEXT_H

#include <jansson.h>

// On one line, or spread over several for people, with a newline behind it. From malloc; NULL when memory is short.
char *mus_json_line(const json_t *json);
char *mus_json_lines(const json_t *json);

// Text that is not UTF-8 (a file's name may be anything) keeps its plain letters. NULL if memory is short.
json_t *mus_json_string(const char *text);

#endif
