// report.json: its text, that it is JSON at every moment, and going on from what a kill has left.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/random.h"
#include "io/report.h"
#include "muslin/muslin.h"
#include "support/check.h"
#include "support/files.h"

static const mus_report_item head[] = {{.name = "scene", .text = "drooping \"one\"\n"},
                                       {.name = "machine.cpu", .text = "fast"},
                                       {.name = "machine.threads", .number = 2}};
enum { HEAD = sizeof head / sizeof head[0] };

static mus_status add_step(mus_report *report, int step) {
  const mus_report_item items[] = {{.name = "step", .number = step},
                                   {.name = "residual", .number = 0.1 * step},
                                   {.name = "energy", .number = step == 1 ? (double)NAN : -1e300},
                                   {.name = "seconds.assemble", .number = 0.25},
                                   {.name = "seconds.solve", .number = 1e-3},
                                   {.name = "method", .text = "sa"}};
  return mus_report_step(report, sizeof items / sizeof items[0], items);
}

static const mus_report_item summary[] = {{.name = "seconds", .number = 12.5}};

static void write_report(const char *path, int steps) {
  mus_report *report = NULL;
  assert_ok(mus_report_create(path, HEAD, head, &report));
  for (int step = 0; step < steps; ++step)
    assert_ok(add_step(report, step));
  assert_int_equal(mus_report_steps(report), steps);
  assert_ok(mus_report_sync(report));
  assert_ok(mus_report_finish(report, 1, summary));
  mus_report_close(report);
}

// --- text ----------------------------------------------------------------------------------------------------------

#define HEAD_TEXT                                                                                                      \
  "\", \"scene\": \"drooping \\\"one\\\"\\n\", \"machine\": {\"cpu\": \"fast\", \"threads\": 2}, \"steps\": [\n"

static void assert_text(const char *path, const char *expected) {
  files_bytes there = files_read(path);
  char *text = (char *)there.data;
  static const char begin[] = "{\"muslin\": \"";
  assert_memory_equal(text, begin, sizeof begin - 1);
  text += sizeof begin - 1;
  assert_memory_equal(text, mus_version(), strlen(mus_version()));
  assert_string_equal(text + strlen(mus_version()), expected);
  free(there.data);
}

static void reports_have_this_text(void **state) {
  const char *path = files_path(*state, "report.json");
  write_report(path, 3);
  assert_text(path, HEAD_TEXT "{\"step\": 0, \"residual\": 0, \"energy\": -1e+300, \"seconds\": {\"assemble\": 0.25, "
                              "\"solve\": 0.001}, \"method\": \"sa\"}\n"
                              ",{\"step\": 1, \"residual\": 0.1, \"energy\": null, \"seconds\": {\"assemble\": 0.25, "
                              "\"solve\": 0.001}, \"method\": \"sa\"}\n"
                              ",{\"step\": 2, \"residual\": 0.2, \"energy\": -1e+300, \"seconds\": "
                              "{\"assemble\": 0.25, \"solve\": 0.001}, \"method\": \"sa\"}\n"
                              "], \"complete\": true, \"summary\": {\"seconds\": 12.5}}\n");
  assert_false(files_exists(files_path(*state, "report.json.partial")));
}

static void reports_without_steps_are_whole(void **state) {
  const char *path = files_path(*state, "report.json");
  write_report(path, 0);
  assert_text(path, HEAD_TEXT "], \"complete\": true, \"summary\": {\"seconds\": 12.5}}\n");
}

// The report as JSON; the test fails when it is none.
static json_t *parse(const char *path) {
  json_error_t error;
  json_t *report = json_load_file(path, 0, &error);
  if (!report)
    fail_msg("%s:%d: %s", path, error.line, error.text);
  return report;
}

static void assert_steps(const json_t *report, int count) {
  json_t *steps = json_object_get(report, "steps");
  assert_int_equal(json_array_size(steps), count);
  for (int step = 0; step < count; ++step) {
    json_t *record = json_array_get(steps, (size_t)step);
    assert_int_equal(json_integer_value(json_object_get(record, "step")), step);
    assert_true(json_number_value(json_object_get(record, "residual")) == 0.1 * step);
  }
}

static void reports_are_json_at_every_step(void **state) {
  mus_report *report = NULL;
  assert_ok(mus_report_create(files_path(*state, "report.json"), HEAD, head, &report));
  for (int step = 0; step < 5; ++step) {
    json_t *json = parse(files_path(*state, "report.json.partial"));
    assert_steps(json, step);
    assert_true(json_is_false(json_object_get(json, "complete")));
    json_decref(json);
    assert_ok(add_step(report, step));
  }
  mus_report_close(report);
  assert_false(files_exists(files_path(*state, "report.json")));
}

// Numbers come back with the same bits; text may hold anything.
static void items_are_kept(void **state) {
  static const double numbers[] = {0.1, -5e-324, 1.7976931348623157e308, 9007199254740992.0, 9007199254740994.0,
                                   -3,  1e15};
  static const char *const texts[] = {"", "caf\303\251", "caf\351 \"\\\t\1", "]}\n{"};
  static const char *const expected[] = {"", "caf\303\251", "caf? \"\\\t\1", "]}\n{"};
  mus_report *report = NULL;
  const char *path = files_path(*state, "report.json");
  assert_ok(mus_report_create(path, 0, NULL, &report));
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
    mus_report_item item = {.name = "n", .number = numbers[i]};
    assert_ok(mus_report_step(report, 1, &item));
  }
  for (size_t i = 0; i < 4; ++i) {
    mus_report_item item = {.name = "t", .text = texts[i]};
    assert_ok(mus_report_step(report, 1, &item));
  }
  assert_ok(mus_report_finish(report, 0, NULL));
  mus_report_close(report);
  json_t *json = parse(path), *steps = json_object_get(json, "steps");
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
    assert_true(json_number_value(json_object_get(json_array_get(steps, i), "n")) == numbers[i]);
  for (size_t i = 0; i < 4; ++i)
    assert_string_equal(json_string_value(json_object_get(json_array_get(steps, 7 + i), "t")), expected[i]);
  json_decref(json);
}

// --- going on ------------------------------------------------------------------------------------------------------

static void go_on(const char *path, int expected, int keep, int steps) {
  mus_report *report = NULL;
  assert_ok(mus_report_resume(path, &report));
  assert_int_equal(mus_report_steps(report), expected);
  assert_fails(add_step(report, 0), MUS_BAD_INPUT, "state which steps to keep");
  assert_fails(mus_report_keep(report, expected + 1), MUS_BAD_INPUT, "complete steps, not");
  assert_int_equal(mus_report_keep(report, -1), MUS_BAD_INPUT);
  assert_ok(mus_report_keep(report, keep));
  for (int step = keep; step < steps; ++step)
    assert_ok(add_step(report, step));
  assert_ok(mus_report_finish(report, 1, summary));
  mus_report_close(report);
}

// However it was cut short, a report ends as one that never was. A kill while a record is written over the tail leaves
// the tail's last bytes behind it.
static void reports_cut_anywhere_are_gone_on_from(void **state) {
  write_report(files_path(*state, "whole.json"), 4);
  const char *path = files_path(*state, "report.json");
  mus_report *report = NULL;
  assert_ok(mus_report_create(path, HEAD, head, &report));
  for (int step = 0; step < 3; ++step)
    assert_ok(add_step(report, step));
  mus_report_close(report);
  files_bytes good = files_read(files_path(*state, "report.json.partial"));
  char *text = (char *)good.data, tail[64];
  snprintf(tail, sizeof tail, "%s", strrchr(text, ']'));
  size_t tail_size = strlen(tail), third = (size_t)(strstr(text, ",{\"step\": 2") - text),
         first = (size_t)(strstr(text, "{\"step\": 0") - text);
  int seen[4] = {0};
  for (int torn = 0; torn < 2; ++torn)
    for (size_t length = torn ? third : 0; length <= good.size; ++length) {
      remove(files_path(*state, "report.json"));
      char *bytes = calloc(1, good.size + sizeof tail);
      assert_non_null(bytes);
      size_t size = length;
      if (torn && length < third + tail_size) {
        memcpy(bytes + third, tail, tail_size);
        size = third + tail_size;
      }
      memcpy(bytes, text, length);
      files_write(files_path(*state, "report.json.partial"), bytes, size);
      free(bytes);
      path = files_path(*state, "report.json");
      if (length < first) {
        assert_int_equal(mus_report_resume(path, &report), MUS_BAD_INPUT);
        continue;
      }
      assert_ok(mus_report_resume(path, &report));
      int whole = mus_report_steps(report);
      mus_report_close(report);
      ++seen[whole];
      go_on(files_path(*state, "report.json"), whole, whole, 4);
      files_assert_same(files_path(*state, "report.json"), files_path(*state, "whole.json"));
    }
  assert_true(seen[0] > 0 && seen[1] > 0 && seen[2] > 0 && seen[3] > 0);
  free(good.data);
}

static void finished_reports_are_gone_on_from(void **state) {
  write_report(files_path(*state, "whole.json"), 6);
  for (int steps = 0; steps <= 6; ++steps)
    for (int keep = 0; keep <= steps; ++keep) {
      write_report(files_path(*state, "report.json"), steps);
      go_on(files_path(*state, "report.json"), steps, keep, 6);
      files_assert_same(files_path(*state, "report.json"), files_path(*state, "whole.json"));
    }
}

static void other_files_are_left_alone(void **state) {
  static const char *const texts[] = {"", "{}", "[1, 2]\n", "{\"steps\": [\n", "hello, \"steps\": [\n"};
  mus_report *report = NULL;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    const char *path = files_path(*state, "report.json");
    files_write(path, texts[i], strlen(texts[i]));
    assert_fails(mus_report_resume(path, &report), MUS_BAD_INPUT, "is not a report that can be resumed");
    files_assert_bytes(path, texts[i], strlen(texts[i]));
  }
  assert_fails(mus_report_resume(files_path(*state, "missing.json"), &report), MUS_IO_ERROR, "nothing to resume");
  assert_fails(mus_report_create(files_path(*state, "missing/report.json"), 0, NULL, &report), MUS_IO_ERROR,
               "No such file or directory");
  assert_null(report);
}

static void kills_lose_no_step(void **state) {
  enum { KILLS = 60 };
  int last = 0;
  for (unsigned k = 0; k < KILLS; ++k) {
    pid_t child = fork();
    if (child == 0) {
      mus_report *report = NULL;
      const char *path = files_path(*state, "report.json");
      mus_status status = last > 0 ? mus_report_resume(path, &report) : mus_report_create(path, HEAD, head, &report);
      if (status == MUS_OK && last > 0)
        status = mus_report_keep(report, mus_report_steps(report));
      while (status == MUS_OK)
        status = add_step(report, mus_report_steps(report));
      _exit(1);
    }
    struct timespec pause = {.tv_nsec = (long)(mus_random_bits(8, k) % 8000000)};
    nanosleep(&pause, NULL);
    kill(child, SIGKILL);
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how));
    mus_report *report = NULL;
    mus_status status = mus_report_resume(files_path(*state, "report.json"), &report);
    assert_true(status == MUS_OK || last == 0);
    int steps = status == MUS_OK ? mus_report_steps(report) : 0;
    if (status == MUS_OK)
      assert_ok(mus_report_keep(report, steps));
    mus_report_close(report);
    assert_true(steps >= last);
    last = steps;
  }
  assert_true(last > 10);
  json_t *json = parse(files_path(*state, "report.json.partial"));
  assert_steps(json, last);
  json_decref(json);
}

// --- failures ------------------------------------------------------------------------------------------------------

static void full_disks_lose_no_step(void **state) {
  mus_report *report = NULL;
  assert_ok(mus_report_create(files_path(*state, "report.json"), HEAD, head, &report));
  struct rlimit limit, small;
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &limit);
  small = limit;
  small.rlim_cur = 1000;
  setrlimit(RLIMIT_FSIZE, &small);
  mus_status status = MUS_OK;
  while (status == MUS_OK)
    status = add_step(report, mus_report_steps(report));
  int steps = mus_report_steps(report);
  assert_fails(status, MUS_IO_ERROR, "report.json.partial: cannot be written (File too large)");
  json_t *json = parse(files_path(*state, "report.json.partial"));
  assert_steps(json, steps);
  json_decref(json);
  setrlimit(RLIMIT_FSIZE, &limit);
  signal(SIGXFSZ, SIG_DFL);
  assert_true(steps > 2);
  for (int step = steps; step < 20; ++step)
    assert_ok(add_step(report, step));
  assert_ok(mus_report_finish(report, 1, summary));
  mus_report_close(report);
  write_report(files_path(*state, "whole.json"), 20);
  files_assert_same(files_path(*state, "report.json"), files_path(*state, "whole.json"));
}

// jansson's memory comes from the same place here, so that it runs out too.
static void *allocate(size_t bytes) { return mus_alloc(bytes, 1); }

static mus_status whole_life(void **state) {
  mus_report *report = NULL;
  mus_status status = mus_report_create(files_path(*state, "report.json"), HEAD, head, &report);
  for (int step = 0; step < 2 && status == MUS_OK; ++step)
    status = add_step(report, step);
  mus_report_close(report);
  report = NULL;
  if (status == MUS_OK)
    status = mus_report_resume(files_path(*state, "report.json"), &report);
  if (status == MUS_OK)
    status = mus_report_keep(report, 2);
  if (status == MUS_OK)
    status = add_step(report, 2);
  if (status == MUS_OK)
    status = mus_report_finish(report, 1, summary);
  mus_report_close(report);
  return status;
}

static void missing_memory_is_told(void **state) {
  mus_status status = MUS_OUT_OF_MEMORY;
  int failures = 0;
  json_set_alloc_funcs(allocate, mus_free);
  while (status != MUS_OK) {
    mus_memory_fail_after(failures);
    status = whole_life(state);
    mus_memory_fail_after(-1);
    if (status != MUS_OK)
      assert_int_equal(status, MUS_OUT_OF_MEMORY);
    assert_true(++failures < 1000);
  }
  json_set_alloc_funcs(malloc, free);
  assert_true(failures > 20);
  write_report(files_path(*state, "whole.json"), 3);
  files_assert_same(files_path(*state, "report.json"), files_path(*state, "whole.json"));
}

int main(void) {
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, files_setup, files_teardown)
  const struct CMUnitTest tests[] = {
      IN_FOLDER(reports_have_this_text),
      IN_FOLDER(reports_without_steps_are_whole),
      IN_FOLDER(reports_are_json_at_every_step),
      IN_FOLDER(items_are_kept),
      IN_FOLDER(reports_cut_anywhere_are_gone_on_from),
      IN_FOLDER(finished_reports_are_gone_on_from),
      IN_FOLDER(other_files_are_left_alone),
      IN_FOLDER(kills_lose_no_step),
      IN_FOLDER(full_disks_lose_no_step),
      IN_FOLDER(missing_memory_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
