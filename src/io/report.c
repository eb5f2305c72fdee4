// report.json. See report.h.
#include "io/report.h"

#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/json_text.h"
#include "io/partial.h"
#include "muslin/muslin.h"

struct mus_report {
  mus_arena arena;
  mus_partial file;
  char *path;
  char *last_tail; // of the finished file
  uint64_t head;   // where the first record begins
  int steps;
  int unchosen; // reopened: mus_report_keep() has to say which records stay
};

// Records end with their newline, and commas begin the next line, so a record that is on its way over the tail cannot
// spoil the one before. The tail has no newline: a line that has one is whole.
static const char tail[] = "], \"complete\": false}", before_records[] = ", \"steps\": [";

// --- JSON ----------------------------------------------------------------------------------------------------------

static json_t *make_value(const mus_report_item *item) {
  if (item->json)
    return json_loads(item->json, 0, NULL);
  if (item->text)
    return mus_json_string(item->text);
  if (!isfinite(item->number))
    return json_null();
  // Up to here every whole number is a double.
  int whole = item->number == floor(item->number) && fabs(item->number) <= 9007199254740992.0;
  return whole ? json_integer((json_int_t)item->number) : json_real(item->number);
}

// The object that the item belongs to, and its name in there. NULL when memory is short.
static json_t *find_object(json_t *object, const char **name) {
  char group[64];
  const char *dot = strchr(*name, '.');
  if (!dot || dot - *name >= (ptrdiff_t)sizeof group)
    return object;
  memcpy(group, *name, (size_t)(dot - *name));
  group[dot - *name] = 0;
  *name = dot + 1;
  json_t *inner = json_object_get(object, group);
  if (inner)
    return inner;
  inner = json_object();
  return json_object_set_new(object, group, inner) == 0 ? inner : NULL;
}

static int add_items(json_t *object, int count, const mus_report_item *items) {
  for (int i = 0; i < count; ++i) {
    const char *name = items[i].name;
    json_t *inner = find_object(object, &name);
    if (!inner || json_object_set_new(inner, name, make_value(&items[i])) != 0)
      return -1;
  }
  return 0;
}

// An object of the items, after the version where that is wanted, as one line from malloc; NULL when memory is short.
static char *make_line(int with_version, int count, const mus_report_item *items) {
  json_t *object = json_object();
  int bad = !object || (with_version && json_object_set_new(object, "muslin", json_string(mus_version())) != 0);
  bad = bad || add_items(object, count, items) != 0;
  char *line = bad ? NULL : mus_json_line(object);
  json_decref(object);
  return line;
}

// --- writing -------------------------------------------------------------------------------------------------------

static mus_status make_report(const char *path, mus_report **report) {
  mus_report *r = mus_alloc_zero(1, sizeof *r);
  if (!r)
    return mus_fail_memory();
  r->path = mus_arena_alloc(&r->arena, strlen(path) + 1, 1);
  if (!r->path) {
    mus_free(r);
    return mus_fail_memory();
  }
  memcpy(r->path, path, strlen(path) + 1);
  *report = r;
  return MUS_OK;
}

static mus_status put_head(mus_report *report, int count, const mus_report_item *items) {
  char *line = make_line(1, count, items);
  if (!line)
    return mus_fail_memory();
  mus_status status = mus_partial_put(&report->file, line, strlen(line) - 1); // the steps come before its last bracket
  free(line);
  if (status == MUS_OK)
    status = mus_partial_put(&report->file, before_records, sizeof before_records - 1);
  if (status == MUS_OK)
    status = mus_partial_put(&report->file, "\n", 1);
  report->file.tail = tail;
  if (status == MUS_OK)
    status = mus_partial_commit(&report->file);
  report->head = report->file.end;
  return status;
}

mus_status mus_report_create(const char *path, int count, const mus_report_item *head, mus_report **report) {
  mus_report *r = NULL;
  mus_status status = make_report(path, &r);
  if (status != MUS_OK)
    return status;
  status = mus_partial_create(&r->file, &r->arena, path, "");
  if (status == MUS_OK)
    status = put_head(r, count, head);
  if (status != MUS_OK) {
    mus_partial_abandon(&r->file);
    mus_report_close(r);
    return status;
  }
  *report = r;
  return MUS_OK;
}

mus_status mus_report_step(mus_report *report, int count, const mus_report_item *items) {
  if (report->unchosen)
    return mus_fail(MUS_BAD_INPUT, "%.200s: continues an earlier run: state which steps to keep", report->path);
  char *line = make_line(0, count, items);
  if (!line)
    return mus_fail_memory();
  mus_status status = report->steps > 0 ? mus_partial_put(&report->file, ",", 1) : MUS_OK;
  if (status == MUS_OK)
    status = mus_partial_put(&report->file, line, strlen(line));
  if (status == MUS_OK)
    status = mus_partial_put(&report->file, "\n", 1);
  if (status == MUS_OK)
    status = mus_partial_commit(&report->file);
  free(line);
  report->steps += status == MUS_OK;
  return status;
}

mus_status mus_report_sync(mus_report *report) { return mus_partial_sync(&report->file); }

static mus_status set_last_tail(mus_report *report, int count, const mus_report_item *summary) {
  char *line = make_line(0, count, summary);
  if (!line)
    return mus_fail_memory();
  static const char format[] = "], \"complete\": true, \"summary\": %s}\n";
  size_t size = sizeof format + strlen(line);
  report->last_tail = mus_arena_alloc(&report->arena, size, 1);
  if (report->last_tail)
    snprintf(report->last_tail, size, format, line);
  free(line);
  return report->last_tail ? MUS_OK : mus_fail_memory();
}

mus_status mus_report_finish(mus_report *report, int count, const mus_report_item *summary) {
  mus_status status = report->unchosen ? mus_report_keep(report, report->steps) : MUS_OK;
  if (status == MUS_OK)
    status = set_last_tail(report, count, summary);
  if (status != MUS_OK)
    return status;
  report->file.tail = report->last_tail;
  status = mus_partial_commit(&report->file);
  if (status == MUS_OK)
    return mus_partial_settle(&report->file);
  report->file.tail = tail;
  return status;
}

void mus_report_close(mus_report *report) {
  if (!report)
    return;
  mus_partial_close(&report->file);
  mus_arena_clear(&report->arena);
  mus_free(report);
}

// --- going on ------------------------------------------------------------------------------------------------------

// A line of the file with its newline, from mus_alloc; shorter than that at the end of the file.
static mus_status read_line(const mus_report *report, uint64_t begin, char **line, size_t *length) {
  uint64_t end, all;
  mus_status status = mus_partial_line_end(&report->file, begin, &end);
  if (status == MUS_OK)
    status = mus_partial_length(&report->file, &all);
  if (status != MUS_OK)
    return status;
  *length = (size_t)(end - begin) + (end < all);
  *line = mus_alloc(*length + 1, 1);
  if (!*line)
    return mus_fail_memory();
  (*line)[*length] = 0;
  status = mus_partial_read(&report->file, begin, *line, *length);
  if (status != MUS_OK)
    mus_free(*line);
  return status;
}

static mus_status find_head(mus_report *report) {
  char *line;
  size_t length, marker = sizeof before_records - 1;
  mus_status status = read_line(report, 0, &line, &length);
  if (status != MUS_OK)
    return status;
  if (length <= marker || line[0] != '{' || line[length - 1] != '\n' ||
      memcmp(line + length - 1 - marker, before_records, marker) != 0)
    status = mus_fail(MUS_BAD_INPUT, "%.200s: is not a report that can be resumed: start again", report->path);
  report->head = length;
  mus_free(line);
  return status;
}

static int is_record(const char *line, size_t length, int step) {
  const char *begin = step > 0 ? ",{" : "{";
  return length > 2 && line[length - 1] == '\n' && strncmp(line, begin, strlen(begin)) == 0;
}

// Counts the whole records, `most` of them, and tells where the last ends.
static mus_status find_records(const mus_report *report, int most, int *steps, uint64_t *end) {
  *end = report->head;
  for (*steps = 0; *steps < most; ++*steps) {
    char *line;
    size_t length;
    mus_status status = read_line(report, *end, &line, &length);
    if (status != MUS_OK)
      return status;
    int is = is_record(line, length, *steps);
    mus_free(line);
    if (!is)
      return MUS_OK;
    *end += length;
  }
  return MUS_OK;
}

mus_status mus_report_resume(const char *path, mus_report **report) {
  mus_report *r = NULL;
  uint64_t end;
  mus_status status = make_report(path, &r);
  if (status != MUS_OK)
    return status;
  status = mus_partial_reopen(&r->file, &r->arena, path, tail);
  if (status == MUS_OK)
    status = find_head(r);
  if (status == MUS_OK)
    status = find_records(r, INT32_MAX, &r->steps, &end);
  if (status != MUS_OK) {
    mus_report_close(r);
    return status;
  }
  r->unchosen = 1;
  *report = r;
  return MUS_OK;
}

int mus_report_steps(const mus_report *report) { return report->steps; }

mus_status mus_report_keep(mus_report *report, int steps) {
  if (steps < 0 || steps > report->steps)
    return mus_fail(MUS_BAD_INPUT, "%.200s: holds %d complete steps, not %d: resume from an earlier one or start again",
                    report->path, report->steps, steps);
  int found;
  uint64_t end;
  mus_status status = find_records(report, steps, &found, &end);
  if (status == MUS_OK)
    status = mus_partial_cut(&report->file, end);
  if (status != MUS_OK)
    return status;
  report->steps = steps;
  report->unchosen = 0;
  return MUS_OK;
}
