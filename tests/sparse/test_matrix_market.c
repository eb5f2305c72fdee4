// Matrix Market files: what is read, what is refused and how it is said, what is written, and blocks.
// tests/data/matrix_market holds files that must be read (good_), refused (bad_), or just not crash (found_).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/random.h"
#include "muslin/matrix_market.h"
#include "sparse/pattern.h"

#define DATA "tests/data/matrix_market/"
#define BANNER "%%MatrixMarket matrix "
#define PRINTF_BANNER "%%%%MatrixMarket matrix "

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

// A matrix that no reader makes, to see that a failure leaves it alone.
static const mus_matrix_market UNTOUCHED = {.rows = -7, .columns = -8, .dense = -9};

static void assert_untouched(const mus_matrix_market *m) {
  assert_true(m->rows == -7 && m->columns == -8 && m->dense == -9 && !m->row_start && !m->column && !m->value);
}

static mus_matrix_market parse(const char *text) {
  mus_matrix_market m;
  if (mus_matrix_market_parse("text", text, strlen(text), &m) != MUS_OK)
    fail_msg("%s", mus_last_error());
  return m;
}

static mus_matrix_market read_data(const char *name) {
  char path[256];
  snprintf(path, sizeof path, DATA "%s", name);
  mus_matrix_market m;
  if (mus_matrix_market_read(path, &m) != MUS_OK)
    fail_msg("%s", mus_last_error());
  return m;
}

// The entry at (i, j), 0 when there is none.
static double at(const mus_matrix_market *m, int i, int j) {
  if (m->dense)
    return m->value[(size_t)i + (size_t)m->rows * (size_t)j];
  mus_pattern pattern = {m->rows, m->columns, m->row_start, m->column};
  int k = mus_pattern_find(&pattern, i, j);
  return k < 0 ? 0 : m->value[k];
}

static uint64_t bits(double value) {
  uint64_t result;
  memcpy(&result, &value, sizeof result);
  return result;
}

static size_t value_count(const mus_matrix_market *m) {
  return m->dense ? (size_t)m->rows * (size_t)m->columns : (size_t)m->row_start[m->rows];
}

static void assert_same(const mus_matrix_market *a, const mus_matrix_market *b) {
  assert_int_equal(a->rows, b->rows);
  assert_int_equal(a->columns, b->columns);
  assert_int_equal(a->dense, b->dense);
  if (!a->dense) {
    assert_memory_equal(a->row_start, b->row_start, ((size_t)a->rows + 1) * sizeof(int));
    assert_memory_equal(a->column, b->column, value_count(a) * sizeof(int));
  }
  assert_memory_equal(a->value, b->value, value_count(a) * sizeof(double));
}

// --- what is read --------------------------------------------------------------------------------------------------

typedef struct expectation {
  const char *file;
  int rows, columns, entries; // entries: -1 for a dense matrix
  int count;
  struct {
    int row, column;
    double value;
  } some[6];
} expectation;

static const expectation EXPECTED[] = {
    {"good_general.mtx", 3, 4, 5, 5, {{0, 0, 1.5}, {2, 3, -2e-3}, {1, 1, 4}, {0, 2, .5}, {2, 0, 7}}},
    {"good_symmetric.mtx", 3, 3, 5, 5, {{0, 0, 4}, {0, 1, -1}, {1, 0, -1}, {1, 1, 4}, {2, 2, 4}}},
    {"good_integer.mtx", 2, 2, 2, 2, {{0, 1, -7}, {1, 0, 9007199254740992.0}}},
    {"good_pattern.mtx", 3, 3, 4, 4, {{0, 0, 1}, {2, 0, 1}, {0, 2, 1}, {2, 2, 1}}},
    {"good_array.mtx", 2, 3, -1, 6, {{0, 0, 1}, {1, 0, 2}, {0, 1, 3}, {1, 1, 4}, {0, 2, 5}, {1, 2, 6}}},
    {"good_array_symmetric.mtx", 3, 3, -1, 6, {{0, 0, 1}, {0, 1, 2}, {1, 0, 2}, {2, 0, 3}, {1, 2, 5}, {2, 2, 6}}},
    {"good_duplicates.mtx", 2, 2, 2, 2, {{0, 1, 0.75}, {1, 0, 3}}},
    {"good_loose.mtx", 2, 2, 2, 2, {{0, 0, 1}, {1, 1, 2}}},
    {"good_no_last_newline.mtx", 1, 1, 1, 1, {{0, 0, 3}}},
    {"good_no_entries.mtx", 5, 5, 0, 1, {{4, 4, 0}}},
    {"good_gzip.mtx.gz", 2, 2, 3, 3, {{0, 0, 2}, {0, 1, 1}, {1, 0, 1}}},
};

static void test_reads_all_kinds(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof EXPECTED / sizeof *EXPECTED; ++k) {
    const expectation *e = &EXPECTED[k];
    mus_matrix_market m = read_data(e->file);
    assert_int_equal(m.rows, e->rows);
    assert_int_equal(m.columns, e->columns);
    assert_int_equal(m.dense ? -1 : m.row_start[m.rows], e->entries);
    for (int i = 0; i < e->count; ++i)
      assert_true(at(&m, e->some[i].row, e->some[i].column) == e->some[i].value);
    mus_matrix_market_free(&m);
    assert_null(m.value);
  }
}

static void test_reads_extreme_values(void **state) {
  (void)state;
  static const double expected[] = {
      0x1.fffffffffffffp1023,  -0.0,   0x1p-1074, 0, 0.1, 123456789012345678901234567890.0,
      0x0.fffffffffffffp-1022, 12e-57, 0x1p64};
  mus_matrix_market m = read_data("good_extremes.mtx");
  for (int i = 0; i < 9; ++i)
    assert_int_equal(bits(m.value[i]), bits(expected[i]));
  mus_matrix_market_free(&m);
}

// Every way to write a number gives what strtod gives, to the last bit.
static void test_numbers_are_correctly_rounded(void **state) {
  (void)state;
  enum { COUNT = 20000 };
  char *text = malloc(COUNT * 64 + 100);
  double *expected = malloc(COUNT * sizeof *expected);
  assert_true(text && expected);
  char *p = text + sprintf(text, PRINTF_BANNER "array real general\n%d 1\n", COUNT);
  for (uint64_t k = 0; k < COUNT; ++k) {
    uint64_t random = mus_random_bits(1, k);
    int digits = 1 + (int)(random % 24), power = (int)(random / 24 % 60) - 30;
    double value = mus_random(2, k) * pow(10, k % 3 == 0 ? 10 * power : power);
    char *word = p;
    p += sprintf(p, k % 2 ? "%.*e" : "%.*g", digits, value);
    expected[k] = strtod(word, NULL);
    *p++ = k % 5 ? '\n' : ' ';
  }
  *p = '\0';
  mus_matrix_market m = parse(text);
  for (int k = 0; k < COUNT; ++k)
    assert_int_equal(bits(m.value[k]), bits(expected[k]));
  mus_matrix_market_free(&m);
  free(text);
  free(expected);
}

// Lines, blanks and comments longer than any buffer, and every split of words between two fills of it.
static void test_long_lines(void **state) {
  (void)state;
  enum { LONG = 300000, SHIFTS = 41 };
  char *text = malloc(4 * LONG);
  assert_non_null(text);
  for (int shift = 0; shift < SHIFTS; ++shift) {
    int length = sprintf(text, PRINTF_BANNER "coordinate real general\n%%");
    memset(text + length, 'c', LONG);
    length += LONG;
    length += sprintf(text + length, "\n%*s2000 2000 2000\n", LONG + shift, "");
    for (int k = 1; k <= 2000; ++k)
      length += sprintf(text + length, "%d %d %d.5%*s\n", k, 2001 - k, k, k % 97 == 0 ? 4000 : k % 7, "");
    mus_matrix_market m;
    assert_int_equal(mus_matrix_market_parse("long", text, (size_t)length, &m), MUS_OK);
    assert_int_equal(m.row_start[2000], 2000);
    for (int k = 0; k < 2000; ++k)
      assert_true(m.column[k] == 1999 - k && m.value[k] == k + 1.5);
    mus_matrix_market_free(&m);
  }
  free(text);
}

// Entries in random order, with duplicates, against a dense sum in the same order.
static void check_random_entries(int n, int count, bool symmetric, uint64_t seed) {
  char *text = malloc((size_t)count * 64 + 200);
  double *dense = calloc((size_t)(n * n), sizeof *dense);
  assert_true(text && dense);
  char *p = text + sprintf(text, PRINTF_BANNER "coordinate real %s\n%d %d %d\n", symmetric ? "symmetric" : "general", n,
                           n, count);
  for (int k = 0; k < count; ++k) {
    uint64_t random = mus_random_bits(seed, (uint64_t)k);
    int i = (int)(random % (uint64_t)n), j = (int)((random >> 32) % (uint64_t)(symmetric ? i + 1 : n));
    double value = mus_random(seed + 1, (uint64_t)k);
    p += sprintf(p, "%d %d %.17g\n", i + 1, j + 1, value);
    dense[i * n + j] += value;
    if (symmetric && i != j)
      dense[j * n + i] += value;
  }
  mus_matrix_market m = parse(text);
  assert_int_equal(mus_pattern_check(n, n, m.row_start, m.column), MUS_OK);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      assert_int_equal(bits(at(&m, i, j)), bits(dense[i * n + j]));
  mus_matrix_market_free(&m);
  free(text);
  free(dense);
}

static void test_any_order_and_duplicates(void **state) {
  (void)state;
  check_random_entries(40, 1000, false, 3);
  check_random_entries(40, 800, true, 4);
  check_random_entries(101, 9000, false, 5);
}

// --- what is refused -----------------------------------------------------------------------------------------------

typedef struct refusal {
  const char *file;
  mus_status status;
  const char *text; // what the error says after the file's name
} refusal;

static const refusal REFUSED[] = {
    {"bad_empty.mtx", MUS_BAD_INPUT, ":1: this is no Matrix Market file"},
    {"bad_no_banner.mtx", MUS_BAD_INPUT, ":1: this is no Matrix Market file"},
    {"bad_binary.mtx", MUS_BAD_INPUT, ":1: this is no Matrix Market file"},
    {"bad_banner_garbled.mtx", MUS_BAD_INPUT, ":1: this is no Matrix Market file"},
    {"bad_banner_short.mtx", MUS_BAD_INPUT, ":1: the first line ends where the field should be"},
    {"bad_banner_long.mtx", MUS_BAD_INPUT, ":1: 'banana' is one value too many on this line"},
    {"bad_object.mtx", MUS_BAD_INPUT, ":1: 'vector' is not a known object"},
    {"bad_format.mtx", MUS_BAD_INPUT, ":1: 'elemental' is not a known format"},
    {"bad_field.mtx", MUS_BAD_INPUT, ":1: 'quaternion' is not a known field"},
    {"bad_symmetry.mtx", MUS_BAD_INPUT, ":1: 'lopsided' is not a known symmetry"},
    {"bad_complex.mtx", MUS_UNSUPPORTED, ":1: field 'complex' is not supported"},
    {"bad_hermitian.mtx", MUS_UNSUPPORTED, ":1: symmetry 'hermitian' is not supported"},
    {"bad_skew_symmetric.mtx", MUS_UNSUPPORTED, ":1: symmetry 'skew-symmetric' is not supported"},
    {"bad_array_pattern.mtx", MUS_BAD_INPUT, ":1: an array holds values"},
    {"bad_no_size_line.mtx", MUS_BAD_INPUT, ":3: the file ends before the size line"},
    {"bad_size_line_short.mtx", MUS_BAD_INPUT, ":2: the line ends where the number of entries should be"},
    {"bad_size_line_long.mtx", MUS_BAD_INPUT, ":2: '1' is one value too many on this line"},
    {"bad_size_zero.mtx", MUS_BAD_INPUT, ":2: 0 for the number of rows is outside 1..."},
    {"bad_size_negative.mtx", MUS_BAD_INPUT, ":2: -3 for the number of columns is outside 1..."},
    {"bad_size_overflow.mtx", MUS_BAD_INPUT, ":2: 2147483648 for the number of rows is outside 1..."},
    {"bad_size_huge.mtx", MUS_BAD_INPUT, ":2: 99999999999999999999999 is too large for the number of rows"},
    {"bad_size_not_square.mtx", MUS_BAD_INPUT, ":2: 3 x 4 is not square"},
    {"bad_more_than_fit.mtx", MUS_BAD_INPUT, ":2: 10 entries do not fit 3 x 3"},
    {"bad_count_negative.mtx", MUS_BAD_INPUT, ":2: -1 entries do not fit 3 x 3"},
    {"bad_count_1e18.mtx", MUS_BAD_INPUT, ":2: 1000000000000000000 entries are more than"},
    {"bad_count_2e9.mtx", MUS_BAD_INPUT, ":4: the file ends after 1 of 2000000000 entries"},
    {"bad_array_1e9.mtx", MUS_BAD_INPUT, ":5: the file ends after 2 of 1000000000000000000 entries"},
    {"bad_array_symmetric_1e9.mtx", MUS_BAD_INPUT, ":5: the file ends after 2 of 500000000500000000 entries"},
    {"bad_rows_1e9.mtx", MUS_BAD_INPUT, ":2: 1000000000 rows with only 1 entries"},
    {"bad_row_outside.mtx", MUS_BAD_INPUT, ":4: row 4 is outside 1...3: check the size line"},
    {"bad_column_outside.mtx", MUS_BAD_INPUT, ":4: column 5000000000 is outside 1...3"},
    {"bad_row_zero.mtx", MUS_BAD_INPUT, ":3: row 0 is outside 1...3"},
    {"bad_column_negative.mtx", MUS_BAD_INPUT, ":3: column -1 is outside 1...3"},
    {"bad_above_diagonal.mtx", MUS_BAD_INPUT, ":4: entry (1, 2) of a symmetric matrix is above the diagonal"},
    {"bad_truncated.mtx", MUS_BAD_INPUT, ":5: the file ends after 2 of 3 entries"},
    {"bad_truncated_line.mtx", MUS_BAD_INPUT, ":4: the file ends where the value should be"},
    {"bad_truncated_array.mtx", MUS_BAD_INPUT, ":6: the file ends after 3 of 9 entries"},
    {"bad_too_many.mtx", MUS_BAD_INPUT, ":4: there are more than the declared 1 entries"},
    {"bad_too_many_array.mtx", MUS_BAD_INPUT, ":5: there are more than the declared 2 entries"},
    {"bad_value_missing.mtx", MUS_BAD_INPUT, ":3: the line ends where the value should be"},
    {"bad_value_nan.mtx", MUS_BAD_INPUT, ":4: the value is not a finite number"},
    {"bad_value_infinite.mtx", MUS_BAD_INPUT, ":4: the value is not a finite number"},
    {"bad_value_too_large.mtx", MUS_BAD_INPUT, ":3: '1e309' is not within the range of a double"},
    {"bad_value_text.mtx", MUS_BAD_INPUT, ":3: 'one' is not a number"},
    {"bad_value_hexadecimal.mtx", MUS_BAD_INPUT, ":3: '0x10' is not a number"},
    {"bad_value_comma.mtx", MUS_BAD_INPUT, ":3: '1,5' is not a number"},
    {"bad_value_no_exponent.mtx", MUS_BAD_INPUT, ":3: '1e+' is not a number"},
    {"bad_value_not_whole.mtx", MUS_BAD_INPUT, ":3: 1.5 is not a whole number"},
    {"bad_index_not_whole.mtx", MUS_BAD_INPUT, ":3: '1.0' is not a whole number"},
    {"bad_line_long.mtx", MUS_BAD_INPUT, ":3: '1' is one value too many on this line"},
    {"bad_word_long.mtx", MUS_BAD_INPUT, ":3: more than 4096 characters for the value"},
    {"bad_sum_overflow.mtx", MUS_BAD_INPUT, ": the entries at row 1, column 2 add up to more"},
    {"bad_zero_byte.mtx", MUS_BAD_INPUT, ":3: '1?' is not a number"},
    {"bad_gzip_truncated.mtx.gz", MUS_BAD_INPUT, ": the compressed data is cut off"},
    {"bad_gzip_damaged.mtx.gz", MUS_BAD_INPUT, ": the compressed data is damaged"},
    {"there_is_none.mtx", MUS_IO_ERROR, ": cannot be opened (No such file or directory)"},
    {".", MUS_IO_ERROR, ": reading failed (Is a directory)"},
};

static long largest_memory(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss; // KiB
}

static void test_refuses_with_place_and_reason(void **state) {
  (void)state;
  long before = largest_memory();
  for (size_t k = 0; k < sizeof REFUSED / sizeof *REFUSED; ++k) {
    char path[128], expected[256];
    snprintf(path, sizeof path, DATA "%s", REFUSED[k].file);
    snprintf(expected, sizeof expected, "%s%s", path, REFUSED[k].text);
    mus_matrix_market m = UNTOUCHED;
    mus_status status = mus_matrix_market_read(path, &m);
    if (status != REFUSED[k].status || !begins(mus_last_error(), expected))
      fail_msg("%s gave %s: %s", path, mus_status_name(status), mus_last_error());
    assert_untouched(&m);
  }
  assert_true(largest_memory() - before < 64 * 1024);
}

// The reason must not fall off the end when the path is long.
static void test_long_name_leaves_room_for_the_reason(void **state) {
  (void)state;
  char name[3000];
  memset(name, 'n', sizeof name);
  strcpy(name + sizeof name - 10, "/last.mtx");
  mus_matrix_market m;
  assert_int_equal(mus_matrix_market_parse(name, "?", 1, &m), MUS_BAD_INPUT);
  assert_non_null(strstr(mus_last_error(), "n/last.mtx:1: this is no Matrix Market file"));
  assert_int_equal(mus_matrix_market_read(name, &m), MUS_IO_ERROR);
  assert_non_null(strstr(mus_last_error(), "n/last.mtx: cannot be opened"));
}

static size_t load(const char *path, char *to, size_t size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  size_t length = fread(to, 1, size, file);
  assert_true(length < size);
  fclose(file);
  return length;
}

// Every file of the folder, and every beginning of it, gives a status.
static void check_file(const char *name) {
  enum { SIZE = 1 << 16 };
  char path[512];
  snprintf(path, sizeof path, DATA "%s", name);
  mus_matrix_market m;
  mus_status status = mus_matrix_market_read(path, &m);
  if (begins(name, "good_") && status != MUS_OK)
    fail_msg("%s", mus_last_error());
  if (begins(name, "bad_"))
    assert_int_not_equal(status, MUS_OK);
  if (status == MUS_OK)
    mus_matrix_market_free(&m);
  char *text = malloc(SIZE);
  assert_non_null(text);
  size_t length = load(path, text, SIZE);
  for (size_t part = 0; part <= length; part += 1 + part / 64)
    if (mus_matrix_market_parse(name, text, part, &m) == MUS_OK)
      mus_matrix_market_free(&m);
  free(text);
}

static void test_every_file_of_the_folder(void **state) {
  (void)state;
  DIR *folder = opendir(DATA);
  assert_non_null(folder);
  int files = 0;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
    if (entry->d_name[0] != '.') {
      check_file(entry->d_name);
      ++files;
    }
  closedir(folder);
  assert_true(files > 60);
}

// --- what is written -----------------------------------------------------------------------------------------------

// A folder of its own, so that what is left in it can be counted.
static char folder_path[] = "/tmp/muslin_matrix_market_XXXXXX";

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder_path) ? 0 : -1;
}

static int remove_folder(void **state) {
  (void)state;
  return rmdir(folder_path);
}

static const char *in_folder(const char *name) {
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", folder_path, name);
  return path;
}

static int files_in_folder(void) {
  DIR *folder = opendir(folder_path);
  assert_non_null(folder);
  int files = 0;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
    files += entry->d_name[0] != '.';
  closedir(folder);
  return files;
}

static void check_round_trip(const mus_matrix_market *m, int symmetric, const char *name) {
  const char *path = in_folder(name);
  mus_matrix_market back;
  if (mus_matrix_market_write(path, m, symmetric) != MUS_OK || mus_matrix_market_read(path, &back) != MUS_OK)
    fail_msg("%s", mus_last_error());
  assert_same(m, &back);
  mus_matrix_market_free(&back);
  assert_int_equal(files_in_folder(), 1);
  unlink(path);
}

// A symmetric band matrix of n rows with values of all sizes.
static mus_matrix_market band_matrix(int n) {
  mus_matrix_market m = {.rows = n, .columns = n};
  m.row_start = mus_alloc((size_t)n + 1, sizeof(int));
  m.column = mus_alloc((size_t)n * 3, sizeof(int));
  m.value = mus_alloc((size_t)n * 3, sizeof(double));
  assert_true(m.row_start && m.column && m.value);
  int k = 0;
  for (int i = 0; i < n; ++i) {
    m.row_start[i] = k;
    for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; ++j, ++k) {
      m.column[k] = j;
      m.value[k] = mus_random(6, (uint64_t)(i + j)) * pow(10, (i + j) % 600 - 300);
    }
  }
  m.row_start[n] = k;
  return m;
}

static void test_round_trips(void **state) {
  (void)state;
  mus_matrix_market m = band_matrix(5000);
  check_round_trip(&m, 0, "general.mtx");
  check_round_trip(&m, 1, "symmetric.mtx");
  check_round_trip(&m, 1, "symmetric.mtx.gz");
  mus_matrix_market_free(&m);
  double value[] = {0x1.fffffffffffffp1023, -0.0, 0x1p-1074, 0.1, 1.0 / 3, -1e22};
  mus_matrix_market dense = {.rows = 2, .columns = 3, .dense = 1, .value = value};
  check_round_trip(&dense, 0, "dense.mtx");
  double both[] = {1, 0.3, 0.3, 0x1.123456789abcdp-500};
  mus_matrix_market symmetric = {.rows = 2, .columns = 2, .dense = 1, .value = both};
  check_round_trip(&symmetric, 1, "dense_symmetric.mtx");
  int row_start[] = {0, 0, 0}, column[] = {0};
  mus_matrix_market empty = {.rows = 2, .columns = 7, .row_start = row_start, .column = column, .value = both};
  check_round_trip(&empty, 0, "empty.mtx");
}

// The decimal sign stays a point where the surroundings use a comma, and the surroundings stay as they were.
static void test_locale_does_not_matter(void **state) {
  (void)state;
  static const char *const comma[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8", "de_DE", "fr_FR"};
  const char *found = NULL;
  for (size_t k = 0; k < sizeof comma / sizeof *comma && !found; ++k)
    found = setlocale(LC_NUMERIC, comma[k]);
  if (!found)
    skip();
  double value[] = {0.1, -1.2345678901234567e-89};
  mus_matrix_market m = {.rows = 2, .columns = 1, .dense = 1, .value = value}, back;
  const char *path = in_folder("locale.mtx");
  assert_int_equal(mus_matrix_market_write(path, &m, 0), MUS_OK);
  assert_int_equal(mus_matrix_market_read(path, &back), MUS_OK);
  unlink(path);
  assert_same(&m, &back);
  mus_matrix_market_free(&back);
  char text[16];
  snprintf(text, sizeof text, "%.1f", 0.5);
  setlocale(LC_NUMERIC, "C");
  assert_string_equal(text, "0,5");
}

static void test_writes_short_numbers_and_gzip(void **state) {
  (void)state;
  double value[] = {0.1, 1.0 / 3, 1e300, 5};
  mus_matrix_market m = {.rows = 4, .columns = 1, .dense = 1, .value = value};
  char text[256];
  const char *path = in_folder("short.mtx");
  assert_int_equal(mus_matrix_market_write(path, &m, 0), MUS_OK);
  text[load(path, text, sizeof text)] = '\0';
  unlink(path);
  assert_string_equal(text, BANNER "array real general\n4 1\n0.1\n0.3333333333333333\n1e+300\n5\n");
  path = in_folder("short.mtx.gz");
  assert_int_equal(mus_matrix_market_write(path, &m, 0), MUS_OK);
  load(path, text, sizeof text);
  unlink(path);
  assert_memory_equal(text, "\x1f\x8b", 2);
}

static void test_refuses_to_write_what_cannot_be_read(void **state) {
  (void)state;
  double value[] = {1, NAN, INFINITY};
  const char *path = in_folder("never.mtx");
  mus_matrix_market dense = {.rows = 2, .columns = 1, .dense = 1, .value = value};
  assert_int_equal(mus_matrix_market_write(path, &dense, 0), MUS_BAD_INPUT);
  dense.rows = 1, dense.value = value + 2;
  assert_int_equal(mus_matrix_market_write(path, &dense, 0), MUS_BAD_INPUT);
  dense.rows = 3;
  assert_int_equal(mus_matrix_market_write(path, &dense, 1), MUS_BAD_INPUT);
  dense.rows = 0;
  assert_int_equal(mus_matrix_market_write(path, &dense, 0), MUS_BAD_INPUT);
  int row_start[] = {0, 1}, column[] = {1};
  mus_matrix_market sparse = {.rows = 1, .columns = 1, .row_start = row_start, .column = column, .value = value};
  assert_int_equal(mus_matrix_market_write(path, &sparse, 0), MUS_BAD_INPUT);
  assert_true(begins(mus_last_error(), path));
  assert_int_equal(files_in_folder(), 0);
}

// A full disk, a file size limit, a folder that is not there: said, the old file kept, nothing left behind.
static void test_failed_writing_leaves_nothing(void **state) {
  (void)state;
  mus_matrix_market m = band_matrix(20000), back;
  assert_int_equal(mus_matrix_market_write(in_folder("none/a.mtx"), &m, 0), MUS_IO_ERROR);
  assert_non_null(strstr(mus_last_error(), "none/a.mtx: cannot be written (No such file or directory)"));

  double one = 1;
  mus_matrix_market old = {.rows = 1, .columns = 1, .dense = 1, .value = &one};
  const char *path = in_folder("kept.mtx");
  assert_int_equal(mus_matrix_market_write(path, &old, 0), MUS_OK);
  struct rlimit limit, small;
  getrlimit(RLIMIT_FSIZE, &limit);
  small = limit;
  small.rlim_cur = 100000;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  mus_status status = mus_matrix_market_write(path, &m, 0);
  setrlimit(RLIMIT_FSIZE, &limit);
  signal(SIGXFSZ, SIG_DFL);
  assert_int_equal(status, MUS_IO_ERROR);
  assert_non_null(strstr(mus_last_error(), "kept.mtx: cannot be written (File too large)"));
  assert_int_equal(files_in_folder(), 1);
  assert_int_equal(mus_matrix_market_read(path, &back), MUS_OK);
  assert_same(&old, &back);
  mus_matrix_market_free(&back);
  unlink(path);
  mus_matrix_market_free(&m);
}

// Renaming over a device would destroy it. A pipe stands for all of them here: that one may break.
static void test_devices_stay(void **state) {
  (void)state;
  double one = 1;
  mus_matrix_market m = {.rows = 1, .columns = 1, .dense = 1, .value = &one};
  const char *path = in_folder("pipe");
  assert_int_equal(mkfifo(path, 0600), 0);
  int pipe = open(path, O_RDWR | O_NONBLOCK);
  assert_true(pipe >= 0);
  assert_int_equal(mus_matrix_market_write(path, &m, 0), MUS_OK);
  struct stat about;
  assert_true(stat(path, &about) == 0 && S_ISFIFO(about.st_mode));
  char text[256];
  ssize_t length = read(pipe, text, sizeof text - 1);
  assert_true(length > 0);
  text[length] = '\0';
  assert_string_equal(text, BANNER "array real general\n1 1\n1\n");
  close(pipe);
  unlink(path);
  if (access("/dev/full", W_OK) == 0) {
    assert_int_equal(mus_matrix_market_write("/dev/full", &m, 0), MUS_IO_ERROR);
    assert_non_null(strstr(mus_last_error(), "No space left on device"));
  }
}

static void test_symbolic_links_stay(void **state) {
  (void)state;
  double one = 1;
  mus_matrix_market m = {.rows = 1, .columns = 1, .dense = 1, .value = &one};
  char target[256], link[256];
  strcpy(target, in_folder("target.mtx"));
  strcpy(link, in_folder("link.mtx"));
  assert_int_equal(mus_matrix_market_write(target, &m, 0), MUS_OK);
  assert_int_equal(symlink(target, link), 0);
  one = 2;
  assert_int_equal(mus_matrix_market_write(link, &m, 0), MUS_OK);
  struct stat about;
  assert_true(lstat(link, &about) == 0 && S_ISLNK(about.st_mode));
  mus_matrix_market back;
  assert_int_equal(mus_matrix_market_read(target, &back), MUS_OK);
  assert_true(back.value[0] == 2);
  mus_matrix_market_free(&back);
  unlink(link);
  unlink(target);
  assert_int_equal(files_in_folder(), 0);
}

// --- blocks --------------------------------------------------------------------------------------------------------

static void check_blocks(const mus_matrix_market *m, int block) {
  mus_matrix_market_blocks blocks;
  assert_int_equal(mus_matrix_market_to_blocks(m, block, &blocks), MUS_OK);
  assert_int_equal(blocks.rows * block, m->rows);
  assert_int_equal(blocks.block, block);
  assert_int_equal(mus_pattern_check(blocks.rows, blocks.rows, blocks.row_start, blocks.column), MUS_OK);
  mus_pattern pattern = {blocks.rows, blocks.rows, blocks.row_start, blocks.column};
  for (int i = 0; i < m->rows; ++i) {
    assert_true(mus_pattern_find(&pattern, i / block, i / block) >= 0);
    for (int j = 0; j < m->rows; ++j) {
      int k = mus_pattern_find(&pattern, i / block, j / block);
      double value = k < 0 ? 0 : blocks.value[(k * block + i % block) * block + j % block];
      assert_true(value == at(m, i, j));
    }
  }
  mus_matrix_market_blocks_free(&blocks);
  assert_null(blocks.value);
}

static void test_blocks(void **state) {
  (void)state;
  mus_matrix_market m = parse(BANNER "coordinate real general\n12 12 9\n"
                                     "1 1 1\n1 12 2\n2 3 3\n3 2 4\n7 1 5\n8 12 6\n12 1 7\n12 12 8\n10 4 9\n");
  for (int block = 1; block <= 12; ++block)
    if (12 % block == 0)
      check_blocks(&m, block);
  mus_matrix_market_blocks blocks;
  assert_int_equal(mus_matrix_market_to_blocks(&m, 3, &blocks), MUS_OK);
  assert_int_equal(blocks.row_start[4], 9); // (0,0) (0,3) (1,1) (2,0) (2,2) (2,3) (3,0) (3,1) (3,3)
  mus_matrix_market_blocks_free(&blocks);
  mus_matrix_market_free(&m);
  m = band_matrix(60);
  for (int block = 1; block <= 6; ++block)
    check_blocks(&m, block);
  mus_matrix_market_free(&m);
  m = read_data("good_array_symmetric.mtx");
  check_blocks(&m, 1);
  check_blocks(&m, 3);
  mus_matrix_market_free(&m);
}

static void test_blocks_refuse(void **state) {
  (void)state;
  mus_matrix_market m = band_matrix(26);
  mus_matrix_market_blocks blocks = {.rows = -1};
  assert_int_equal(mus_matrix_market_to_blocks(&m, 3, &blocks), MUS_BAD_INPUT);
  assert_non_null(strstr(mus_last_error(), "block size 3 does not divide the 26 rows"));
  assert_int_equal(mus_matrix_market_to_blocks(&m, 0, &blocks), MUS_BAD_INPUT);
  assert_int_equal(mus_matrix_market_to_blocks(&m, 13, &blocks), MUS_BAD_INPUT);
  m.column[1] = 26;
  assert_int_equal(mus_matrix_market_to_blocks(&m, 1, &blocks), MUS_BAD_INPUT);
  mus_matrix_market_free(&m);
  m = read_data("good_general.mtx");
  assert_int_equal(mus_matrix_market_to_blocks(&m, 1, &blocks), MUS_BAD_INPUT);
  mus_matrix_market_free(&m);
  assert_int_equal(blocks.rows, -1);
}

// --- memory, and real matrices -------------------------------------------------------------------------------------

// Reads, regroups and writes with the n-th allocation failing.
static mus_status all_calls(const char *source, const char *target) {
  mus_matrix_market m = UNTOUCHED;
  mus_status status = mus_matrix_market_read(source, &m);
  if (status != MUS_OK) {
    assert_untouched(&m);
    return status;
  }
  mus_matrix_market_blocks blocks;
  status = mus_matrix_market_to_blocks(&m, 1, &blocks);
  if (status == MUS_OK) {
    mus_matrix_market_blocks_free(&blocks);
    status = mus_matrix_market_write(target, &m, 0);
  }
  mus_matrix_market_free(&m);
  return status;
}

static void sweep(const char *source, int least) {
  char target[256];
  strcpy(target, in_folder("swept.mtx"));
  mus_status status = MUS_OUT_OF_MEMORY;
  int failures = 0;
  for (; status != MUS_OK; ++failures) {
    mus_memory_fail_after(failures);
    status = all_calls(source, target);
    mus_memory_fail_after(-1);
    if (status != MUS_OK)
      assert_int_equal(status, MUS_OUT_OF_MEMORY);
    assert_int_equal(files_in_folder(), status == MUS_OK);
  }
  assert_true(failures > least);
  unlink(target);
}

static void test_allocation_failures(void **state) {
  (void)state;
  char shuffled[256];
  strcpy(shuffled, in_folder("shuffled.mtx"));
  FILE *file = fopen(shuffled, "w");
  assert_non_null(file);
  fprintf(file, PRINTF_BANNER "coordinate real symmetric\n3000 3000 3000\n");
  for (int k = 0; k < 3000; ++k)
    fprintf(file, "3000 %d 1\n", 3000 - k);
  fclose(file);
  mus_matrix_market m = UNTOUCHED;
  int failures = 0;
  mus_status status = MUS_OUT_OF_MEMORY;
  for (; status != MUS_OK; ++failures) {
    mus_memory_fail_after(failures);
    status = mus_matrix_market_read(shuffled, &m);
    mus_memory_fail_after(-1);
    assert_true(status == MUS_OK || status == MUS_OUT_OF_MEMORY);
  }
  assert_true(failures > 7); // buffer, three sizes of the list, three arrays, sorting
  mus_matrix_market_free(&m);
  unlink(shuffled);
  sweep(DATA "good_symmetric.mtx", 11);
  sweep(DATA "good_array_symmetric.mtx", 11);
}

static void test_collection_matrices(void **state) {
  (void)state;
  static const struct {
    const char *path;
    int rows, entries;
  } known[] = {{"../shared/data/matrices/bcsstk15.mtx.gz", 3948, 117816},
               {"../shared/data/matrices/bcsstk16.mtx.gz", 4884, 290378},
               {"../shared/data/matrices/msc04515.mtx.gz", 4515, 97707}};
  for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
    if (access(known[k].path, R_OK) != 0)
      skip();
    mus_matrix_market m;
    assert_int_equal(mus_matrix_market_read(known[k].path, &m), MUS_OK);
    assert_int_equal(m.rows, known[k].rows);
    assert_int_equal(m.row_start[m.rows], known[k].entries);
    for (int i = 0; i < m.rows; ++i)
      for (int e = m.row_start[i]; e < m.row_start[i + 1]; ++e)
        assert_true(m.value[e] == at(&m, m.column[e], i));
    check_round_trip(&m, 1, "collection.mtx");
    mus_matrix_market_free(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_refuses_with_place_and_reason), // first: it looks at the memory taken so far
      cmocka_unit_test(test_long_name_leaves_room_for_the_reason),
      cmocka_unit_test(test_every_file_of_the_folder),
      cmocka_unit_test(test_reads_all_kinds),
      cmocka_unit_test(test_reads_extreme_values),
      cmocka_unit_test(test_numbers_are_correctly_rounded),
      cmocka_unit_test(test_long_lines),
      cmocka_unit_test(test_any_order_and_duplicates),
      cmocka_unit_test(test_round_trips),
      cmocka_unit_test(test_locale_does_not_matter),
      cmocka_unit_test(test_writes_short_numbers_and_gzip),
      cmocka_unit_test(test_refuses_to_write_what_cannot_be_read),
      cmocka_unit_test(test_failed_writing_leaves_nothing),
      cmocka_unit_test(test_devices_stay),
      cmocka_unit_test(test_symbolic_links_stay),
      cmocka_unit_test(test_blocks),
      cmocka_unit_test(test_blocks_refuse),
      cmocka_unit_test(test_allocation_failures),
      cmocka_unit_test(test_collection_matrices),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
