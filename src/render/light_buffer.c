// Light for every pixel. See light_buffer.h.
#include "render/light_buffer.h"

#include <string.h>

#include "base/error.h"
#include "par/par.h"
#include "render/sampling.h"

// Rays go in packets of pixels of one row that take the same run of the pattern: their directions are then the same but
// for the normals.
enum { STRIDE = 4, STRIP = STRIDE * MUS_RAYS };

// How far around a pixel the rays ahead must agree.
enum { REACH = 4 };

mus_status mus_light_buffer_create(mus_arena *arena, int width, int rows, mus_light_buffer *out) {
  size_t pixels = (size_t)width * (size_t)rows;
  *out = (mus_light_buffer){.width = width, .capacity = rows, .bottom = rows};
  out->site = mus_arena_alloc(arena, pixels, sizeof *out->site);
  out->raw = mus_arena_alloc(arena, pixels, sizeof *out->raw);
  out->lit = mus_arena_alloc(arena, pixels, sizeof *out->lit);
  out->answers = mus_arena_alloc(arena, pixels, 1);
  out->around = mus_arena_alloc(arena, pixels, 1);
  return out->site && out->raw && out->lit && out->answers && out->around ? MUS_OK : mus_fail_memory();
}

// One packet: the pixels x, x + 4, ... x + 28 of a row. Returns how many of them see something.
static int gather(const mus_light_buffer *buffer, int x, int y, mus_sites *sites) {
  int seeing = 0;
  for (int i = 0; i < MUS_RAYS; ++i) {
    int column = x + i * STRIDE;
    sites->site[i].what = MUS_SEES_NOTHING;
    sites->site[i].normal = mus_v3(0, 1, 0);
    if (column < buffer->width)
      sites->site[i] = buffer->site[mus_light_buffer_index(buffer, column, y)];
    sites->run[i] = mus_pixel_run(column, y);
    seeing += sites->site[i].what != MUS_SEES_NOTHING;
  }
  return seeing;
}

// Two bits a light: a ray was blocked; a ray arrived.
static unsigned char answer(const mus_lit *lit, int lights) {
  unsigned bits = 0;
  for (int l = 0; l < lights; ++l) {
    float seen = lit->channel[MUS_SEEN + l];
    bits |= (seen < 1 ? 1u : 0) << (2 * l) | (seen > 0 ? 2u : 0) << (2 * l);
  }
  return (unsigned char)bits;
}

// The sky, and the rays ahead.
static void scout_packet(mus_light_buffer *buffer, const mus_world *world, const mus_light_samples *samples, int x,
                         int y) {
  mus_sites sites;
  mus_lit lit[MUS_RAYS];
  int wanted[MUS_RAYS], seeing = gather(buffer, x, y, &sites);
  memset(lit, 0, sizeof lit);
  for (int i = 0; i < MUS_RAYS; ++i)
    wanted[i] = sites.site[i].what != MUS_SEES_NOTHING;
  for (int l = 0; l < world->lights && seeing; ++l)
    mus_light_by_light(world, &samples->scout, l, &sites, wanted, lit);
  if (seeing)
    mus_light_by_sky(world, &samples->sky, &sites, lit);
  for (int i = 0; i < MUS_RAYS && x + i * STRIDE < buffer->width; ++i) {
    size_t here = mus_light_buffer_index(buffer, x + i * STRIDE, y);
    buffer->raw[here] = lit[i];
    buffer->answers[here] = wanted[i] ? answer(&lit[i], world->lights) : 0;
  }
}

// Collects the answers from left and right.
static void spread_row(mus_light_buffer *buffer, int y) {
  const unsigned char *row = &buffer->answers[mus_light_buffer_index(buffer, 0, y)];
  for (int x = 0; x < buffer->width; ++x) {
    int from = x > REACH ? x - REACH : 0, to = x + REACH < buffer->width ? x + REACH : buffer->width - 1;
    unsigned bits = 0;
    for (int i = from; i <= to; ++i)
      bits |= row[i];
    buffer->around[mus_light_buffer_index(buffer, x, y)] = (unsigned char)bits;
  }
}

// And from above and below.
static unsigned answers_around(const mus_light_buffer *buffer, int x, int y) {
  int from = y - REACH > buffer->top ? y - REACH : buffer->top;
  int to = y + REACH < buffer->bottom ? y + REACH : buffer->bottom - 1;
  unsigned bits = 0;
  for (int j = from; j <= to; ++j)
    bits |= buffer->around[mus_light_buffer_index(buffer, x, j)];
  return bits;
}

// All samples where the answers differ.
static void finish_packet(mus_light_buffer *buffer, const mus_world *world, const mus_light_samples *samples, int x,
                          int y) {
  mus_sites sites;
  unsigned bits[MUS_RAYS] = {0}, differing = 0;
  for (int i = 0; i < MUS_RAYS && x + i * STRIDE < buffer->width; ++i) {
    if (buffer->answers[mus_light_buffer_index(buffer, x + i * STRIDE, y)])
      bits[i] = answers_around(buffer, x + i * STRIDE, y);
    differing |= bits[i] & bits[i] >> 1;
  }
  for (int l = 0; l < world->lights; ++l) {
    if (!(differing >> (2 * l) & 1))
      continue;
    mus_lit lit[MUS_RAYS];
    int wanted[MUS_RAYS];
    gather(buffer, x, y, &sites);
    for (int i = 0; i < MUS_RAYS; ++i)
      wanted[i] = (bits[i] >> (2 * l) & 3) == 3;
    mus_light_by_light(world, &samples->light[l], l, &sites, wanted, lit);
    for (int i = 0; i < MUS_RAYS; ++i)
      if (wanted[i])
        buffer->raw[mus_light_buffer_index(buffer, x + i * STRIDE, y)].channel[MUS_SEEN + l] =
            lit[i].channel[MUS_SEEN + l];
  }
}

// How much two sites are the same piece of surface: in each other's tangent plane and turned the same way.
static float alike(const mus_site *a, const mus_site *b) {
  if (a->what != b->what)
    return 0;
  float across = mus_v3_dot(mus_v3_subtract(b->position, a->position), a->normal) / (3 * a->pixel);
  float turned = mus_v3_dot(a->normal, b->normal), near = 1 - across * across;
  if (turned <= 0 || near <= 0)
    return 0;
  turned *= turned;
  turned *= turned;
  return near * turned * turned;
}

static void add_scaled(const mus_lit *from, float factor, mus_lit *sum) {
  for (int c = 0; c < MUS_CHANNELS; ++c)
    sum->channel[c] += factor * from->channel[c];
}

static mus_lit smoothed(const mus_light_buffer *buffer, int x, int y) {
  static const float weight[5] = {1, 2, 2, 2, 1};
  size_t here = mus_light_buffer_index(buffer, x, y);
  const mus_site *site = &buffer->site[here];
  mus_lit sum;
  memset(&sum, 0, sizeof sum);
  if (site->what == MUS_SEES_NOTHING)
    return sum;
  float total = 0;
  for (int j = -2; j <= 2; ++j)
    for (int i = -2; i <= 2; ++i) {
      if (x + i < 0 || x + i >= buffer->width || y + j < buffer->top || y + j >= buffer->bottom)
        continue;
      size_t there = mus_light_buffer_index(buffer, x + i, y + j);
      float w = weight[i + 2] * weight[j + 2] * alike(site, &buffer->site[there]);
      if (w > 0)
        add_scaled(&buffer->raw[there], w, &sum);
      total += w;
    }
  mus_lit mean;
  memset(&mean, 0, sizeof mean);
  add_scaled(&sum, 1 / total, &mean);
  return mean;
}

typedef void packet_pass(mus_light_buffer *buffer, const mus_world *world, const mus_light_samples *samples, int x,
                         int y);

static void pass_over_row(packet_pass *pass, mus_light_buffer *buffer, const mus_world *world,
                          const mus_light_samples *samples, int y) {
  for (int strip = 0; strip < buffer->width; strip += STRIP)
    for (int x = strip; x < strip + STRIDE && x < buffer->width; ++x)
      pass(buffer, world, samples, x, y);
}

void mus_light_buffer_fill(mus_light_buffer *buffer, const mus_world *world, const mus_light_samples *samples) {
  MUS_PARALLEL
  {
    MUS_SHARE_RUNS
    for (int y = buffer->top; y < buffer->bottom; ++y) {
      pass_over_row(scout_packet, buffer, world, samples, y);
      spread_row(buffer, y);
    }
    MUS_SHARE_RUNS
    for (int y = buffer->top; y < buffer->bottom; ++y)
      pass_over_row(finish_packet, buffer, world, samples, y);
    MUS_SHARE_RUNS
    for (int y = buffer->top; y < buffer->bottom; ++y)
      for (int x = 0; x < buffer->width; ++x)
        buffer->lit[mus_light_buffer_index(buffer, x, y)] = smoothed(buffer, x, y);
  }
}

int mus_light_buffer_at(const mus_light_buffer *buffer, const mus_site *site, float x, float y, mus_lit *out) {
  float left = floorf(x - 0.5f), top = floorf(y - 0.5f), total = 0;
  mus_lit sum;
  memset(&sum, 0, sizeof sum);
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 2; ++i) {
      int column = (int)left + i, row = (int)top + j;
      if (column < 0 || column >= buffer->width || row < buffer->top || row >= buffer->bottom)
        continue;
      size_t there = mus_light_buffer_index(buffer, column, row);
      float near = (1.05f - fabsf(x - 0.5f - (float)column)) * (1.05f - fabsf(y - 0.5f - (float)row));
      float w = near * alike(site, &buffer->site[there]);
      if (w > 0)
        add_scaled(&buffer->lit[there], w, &sum);
      total += w;
    }
  memset(out, 0, sizeof *out);
  if (!(total > 0.02f))
    return 0;
  add_scaled(&sum, 1 / total, out);
  return 1;
}
