// A font of strokes. See text.h.
//
// A glyph is a list of strokes, parted by blanks. A stroke is a list of points, two digits each: x from 0, and y from 0
// at the descenders' foot over 2, the base line, and 7, the top of small letters, to 9, the top of capitals. Points are
// joined by lines; after ~ they are the control points of a quadratic B-spline that starts and ends at its first and
// last point; after @ it is closed.
#include "render/text.h"
#include "render/range.h"

#include <stddef.h>
#include <string.h>

enum { FIRST = ' ', LAST = '~', POINTS = 16, CURVE_STEPS = 6 };

static const float base_line = 2, capital_height = 7, pen = 0.52f, gap = 1.9f;

static const char *const glyph[LAST - FIRST + 1] = {
    ['!' - FIRST] = "0905 0202",
    ['#' - FIRST] = "1219 3239 0444 0747",
    ['%' - FIRST] = "0249 @07171909 @32424434",
    ['\'' - FIRST] = "0907",
    ['(' - FIRST] = "~290520",
    [')' - FIRST] = "~092500",
    ['*' - FIRST] = "2824 0745 4705",
    ['+' - FIRST] = "0545 2723",
    [',' - FIRST] = "1201",
    ['-' - FIRST] = "0535",
    ['.' - FIRST] = "0202",
    ['/' - FIRST] = "0139",
    ['0' - FIRST] = "@02424909",
    ['1' - FIRST] = "072922 0242",
    ['2' - FIRST] = "~070949460302 0242",
    ['3' - FIRST] = "~0809494616 ~1646420203",
    ['4' - FIRST] = "32390444",
    ['5' - FIRST] = "490906 ~064743420203",
    ['6' - FIRST] = "~390904 @02424606",
    ['7' - FIRST] = "094912",
    ['8' - FIRST] = "@02424606 @06464909",
    ['9' - FIRST] = "@05454909 ~474212",
    [':' - FIRST] = "0202 0606",
    ['<' - FIRST] = "470542",
    ['=' - FIRST] = "0444 0646",
    ['>' - FIRST] = "074502",
    ['A' - FIRST] = "022942 1434",
    ['B' - FIRST] = "0209 ~09494606 ~06464202",
    ['C' - FIRST] = "~484909024243",
    ['D' - FIRST] = "0209 ~09494202",
    ['E' - FIRST] = "49090242 0636",
    ['F' - FIRST] = "490902 0636",
    ['G' - FIRST] = "~484909024245 4525",
    ['H' - FIRST] = "0209 4249 0646",
    ['I' - FIRST] = "0209",
    ['J' - FIRST] = "3934 ~34320204",
    ['K' - FIRST] = "0209 4904 1542",
    ['L' - FIRST] = "090242",
    ['M' - FIRST] = "0209345962 6269",
    ['N' - FIRST] = "02094249",
    ['O' - FIRST] = "@02525909",
    ['P' - FIRST] = "0209 ~09494505",
    ['Q' - FIRST] = "@02525909 3451",
    ['R' - FIRST] = "0209 ~09494505 2542",
    ['S' - FIRST] = "~4849090645420203",
    ['T' - FIRST] = "0949 2922",
    ['U' - FIRST] = "0904 ~04024244 4449",
    ['V' - FIRST] = "092249",
    ['W' - FIRST] = "0912273249",
    ['X' - FIRST] = "0249 0942",
    ['Y' - FIRST] = "092549 2522",
    ['Z' - FIRST] = "09490242",
    ['[' - FIRST] = "29090020",
    [']' - FIRST] = "09292000",
    ['^' - FIRST] = "071927",
    ['_' - FIRST] = "0141",
    ['a' - FIRST] = "@02424707 4742",
    ['b' - FIRST] = "0902 @02424707",
    ['c' - FIRST] = "~464707024243",
    ['d' - FIRST] = "@02424707 4942",
    ['e' - FIRST] = "0545 ~454707024243",
    ['f' - FIRST] = "~391916 1612 0737",
    ['g' - FIRST] = "@02424707 4742 ~42400001",
    ['h' - FIRST] = "0902 ~04074745 4542",
    ['i' - FIRST] = "0207 0909",
    ['j' - FIRST] = "1712 ~121000 1919",
    ['k' - FIRST] = "0902 3704 1532",
    ['l' - FIRST] = "0902",
    ['m' - FIRST] = "0702 ~04073735 3532 ~34376765 6562",
    ['n' - FIRST] = "0702 ~04074745 4542",
    ['o' - FIRST] = "@02424707",
    ['p' - FIRST] = "0700 @02424707",
    ['q' - FIRST] = "@02424707 4740",
    ['r' - FIRST] = "0702 ~040737",
    ['s' - FIRST] = "~4647070544420203",
    ['t' - FIRST] = "1914 ~141232 0737",
    ['u' - FIRST] = "0704 ~04024244 4742",
    ['v' - FIRST] = "072247",
    ['w' - FIRST] = "0712263247",
    ['x' - FIRST] = "0247 0742",
    ['y' - FIRST] = "0722 4710",
    ['z' - FIRST] = "07470242",
    ['|' - FIRST] = "0900",
    ['~' - FIRST] = "~0406264446",
};

static const char *glyph_of(char c) {
  const char *strokes = c >= FIRST && c <= LAST ? glyph[c - FIRST] : NULL;
  return strokes ? strokes : "";
}

// How far the next letter stands off, in the glyph's units.
static float advance(const char *strokes) {
  float right = 0;
  for (const char *p = strokes; *p;)
    if (*p >= '0' && *p <= '9') {
      right = fmaxf(right, (float)(*p - '0'));
      p += 2;
    } else
      ++p;
  return *strokes ? right + gap : 2.2f;
}

float mus_text_width(const char *text, float size) {
  float width = 0;
  for (; *text; ++text)
    width += advance(glyph_of(*text));
  return fmaxf(0, width - gap) * size / capital_height;
}

// --- strokes ------------------------------------------------------------------------------------------------------

// What a stroke is drawn with.
typedef struct text_brush {
  mus_picture *picture;
  float x, y, scale; // where the glyph's origin lies, and pixels a unit
  float *cover;      // of the glyph's pixels
  int left, top, width, height;
} text_brush;

typedef struct point {
  float x, y;
} point;

static float distance_to(point a, point b, float x, float y) {
  float dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
  float t = square > 0 ? mus_clamp(((x - a.x) * dx + (y - a.y) * dy) / square, 0, 1) : 0;
  return hypotf(x - a.x - t * dx, y - a.y - t * dy);
}

// Strokes of one glyph overlap: the most that any covers counts.
static void draw_segment(text_brush *brush, point a, point b) {
  for (int j = 0; j < brush->height; ++j)
    for (int i = 0; i < brush->width; ++i) {
      float distance = distance_to(a, b, (float)(brush->left + i) + 0.5f, (float)(brush->top + j) + 0.5f);
      float cover = mus_clamp(pen * brush->scale + 0.5f - distance, 0, 1);
      float *here = &brush->cover[j * brush->width + i];
      *here = fmaxf(*here, cover);
    }
}

static point middle(point a, point b) { return (point){(a.x + b.x) / 2, (a.y + b.y) / 2}; }

static void draw_curve(text_brush *brush, point a, point control, point b) {
  point before = a;
  for (int k = 1; k <= CURVE_STEPS; ++k) {
    float t = (float)k / CURVE_STEPS, s = 1 - t;
    point here = {s * s * a.x + 2 * s * t * control.x + t * t * b.x, s * s * a.y + 2 * s * t * control.y + t * t * b.y};
    draw_segment(brush, before, here);
    before = here;
  }
}

static void draw_stroke(text_brush *brush, char kind, int count, const point *p) {
  if (kind == '@')
    for (int k = 0; k < count; ++k) {
      point next = p[(k + 1) % count];
      draw_curve(brush, middle(p[(k + count - 1) % count], p[k]), p[k], middle(p[k], next));
    }
  else if (kind == '~')
    for (int k = 1; k < count - 1; ++k)
      draw_curve(brush, k == 1 ? p[0] : middle(p[k - 1], p[k]), p[k],
                 k == count - 2 ? p[count - 1] : middle(p[k], p[k + 1]));
  else
    for (int k = 0; k + 1 < count; ++k)
      draw_segment(brush, p[k], p[k + 1]);
}

static void draw_strokes(text_brush *brush, const char *strokes) {
  while (*strokes) {
    char kind = *strokes == '@' || *strokes == '~' ? *strokes++ : ' ';
    point p[POINTS];
    int count = 0;
    for (; *strokes && *strokes != ' '; strokes += 2)
      p[count++] = (point){brush->x + (float)(strokes[0] - '0') * brush->scale,
                           brush->y - ((float)(strokes[1] - '0') - base_line) * brush->scale};
    draw_stroke(brush, kind, count, p);
    strokes += *strokes == ' ';
  }
}

enum { LARGEST = 96 }; // pixels each way that a glyph may cover

void mus_text_draw(mus_picture *picture, float x, float y, float size, mus_float3 colour, const char *text) {
  float cover[LARGEST * LARGEST];
  text_brush brush = {.picture = picture, .y = y, .scale = fminf(size, 60) / capital_height, .cover = cover};
  for (; *text; ++text) {
    const char *strokes = glyph_of(*text);
    brush.x = x;
    brush.left = (int)floorf(x - brush.scale);
    brush.top = (int)floorf(y - 8 * brush.scale);
    brush.width = (int)ceilf(fminf(8 * brush.scale + 2, LARGEST));
    brush.height = (int)ceilf(fminf(11 * brush.scale + 2, LARGEST));
    memset(cover, 0, sizeof cover);
    draw_strokes(&brush, strokes);
    for (int j = 0; j < brush.height; ++j)
      for (int i = 0; i < brush.width; ++i)
        mus_picture_mix(picture, brush.left + i, brush.top + j, colour, cover[j * brush.width + i]);
    x += advance(strokes) * brush.scale;
  }
}
