// Compiles a template for both precisions: the one way in which code here is written once for double and for float.
//
//   #define TEMPLATE "multigrid/cycle_template.h"
//   #include "base/both_precisions.h"
//
// includes the file twice. In it
//   REAL         is double, then float
//   NAME(stem)   is stem, then stem_f: a function, a variable or a member of a struct
//   TYPE(stem)   is the same for types (told apart so that clang-format knows which is which)
//   SINGLE       is 0, then 1, for #if
// Templates are text, so that compilers and debuggers show their lines. What a template defines for itself with #define
// it undefines at its end. This header has no guard: it is included once for each template.
#define REAL double
#define NAME(stem) stem
#define TYPE(stem) stem
#define SINGLE 0
#include TEMPLATE
#undef SINGLE
#undef TYPE
#undef NAME
#undef REAL

#define REAL float
#define NAME(stem) stem##_f
#define TYPE(stem) stem##_f
#define SINGLE 1
#include TEMPLATE
#undef SINGLE
#undef TYPE
#undef NAME
#undef REAL
#undef TEMPLATE
