// A 64-bit checksum that detects damaged data; it is no defence against deliberate damage.
//
// Eight bytes at a time are mixed in by a multiplication, a rotation and another multiplication, each of which can be
// undone: data that differ in one such word only never have the same sum. Words are read in the machine's byte order,
// so sums of the same bytes differ between machines of different order; files that hold sums say which order they are.
#ifndef MUS_BASE_CHECKSUM_H
#define MUS_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t mus_checksum_rotate(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }

static inline uint64_t mus_checksum_word(uint64_t sum, uint64_t word) {
  word = mus_checksum_rotate(word * 0x9E3779B97F4A7C15u, 31) * 0xD1342543DE82EF95u;
  return mus_checksum_rotate(sum ^ word, 27) * 0xBF58476D1CE4E5B9u + 0x94D049BB133111EBu;
}

// The sum of `bytes` bytes, continuing from `sum`: 0, or the sum of what came before.
static inline uint64_t mus_checksum(uint64_t sum, const void *data, size_t bytes) {
  const unsigned char *p = data;
  uint64_t word;
  sum = mus_checksum_word(sum, bytes);
  for (size_t left = bytes; left >= 8; left -= 8, p += 8) {
    memcpy(&word, p, 8);
    sum = mus_checksum_word(sum, word);
  }
  if (bytes % 8 != 0) {
    word = 0;
    memcpy(&word, p, bytes % 8);
    sum = mus_checksum_word(sum, word);
  }
  sum = (sum ^ sum >> 32) * 0x94D049BB133111EBu;
  return sum ^ sum >> 29;
}

#endif
