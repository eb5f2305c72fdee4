// libFuzzer target for the checkpoint reader: any bytes give a status, and what is accepted is sound. The first byte
// says whether the sums are put right first: without that, hardly any file gets past them.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/checksum.h"
#include "io/checkpoint.h"

static char path[64];

static void require(int condition) {
  if (!condition)
    abort();
}

static void clean_up(void) { remove(path); }

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerInitialize(int *count, char ***arguments) {
  (void)count, (void)arguments;
  snprintf(path, sizeof path, "%s/muslin-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  int descriptor = mkstemp(path);
  require(descriptor >= 0);
  close(descriptor);
  atexit(clean_up);
  return 0;
}

static uint64_t word_at(const uint8_t *data, size_t offset) {
  uint64_t word;
  memcpy(&word, data + offset, sizeof word);
  return word;
}

static void put_word(uint8_t *data, size_t offset, uint64_t word) { memcpy(data + offset, &word, sizeof word); }

// See checkpoint.h for where they stand.
static void put_sums_right(uint8_t *data, size_t size) {
  if (size < 64)
    return;
  uint64_t sections = word_at(data, 24);
  if (sections <= (size - 64) / 64) {
    for (size_t at = 64; at < 64 + 64 * (size_t)sections; at += 64) {
      uint64_t offset = word_at(data, at + 40), bytes = word_at(data, at + 48);
      if (offset <= size && bytes <= size - offset)
        put_word(data, at + 56, mus_checksum(0, data + offset, (size_t)bytes));
    }
    put_word(data, 48, mus_checksum(0, data + 64, 64 * (size_t)sections));
  }
  put_word(data, 32, size);
  put_word(data, 56, mus_checksum(0, data, 56));
}

static void check(const mus_checkpoint *checkpoint) {
  require(checkpoint->frame >= 0 && checkpoint->count >= 1 && checkpoint->count <= MUS_CHECKPOINT_SECTIONS);
  for (int i = 0; i < checkpoint->count; ++i) {
    const mus_checkpoint_section *section = &checkpoint->sections[i];
    size_t length = strlen(section->name);
    require(length >= 1 && length < MUS_CHECKPOINT_NAME);
    mus_checksum(0, section->data, section->bytes); // every byte can be read
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1)
    return 0;
  uint8_t *copy = malloc(size);
  require(copy != NULL);
  memcpy(copy, data + 1, size - 1);
  if (data[0] & 1)
    put_sums_right(copy, size - 1);
  FILE *file = fopen(path, "wb");
  require(file != NULL);
  require(fwrite(copy, 1, size - 1, file) == size - 1);
  require(fclose(file) == 0);
  free(copy);
  mus_arena arena = {0};
  mus_checkpoint checkpoint;
  if (mus_checkpoint_read(path, &arena, &checkpoint) == MUS_OK)
    check(&checkpoint);
  mus_arena_clear(&arena);
  return 0;
}
