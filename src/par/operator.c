// Operators and the host's space. See operator.h.
#include "par/operator.h"

#include "par/vector.h"

const mus_space mus_host = {.dot = mus_dot,
                            .dot_f = mus_dot_f,
                            .max_abs = mus_max_abs,
                            .fill = mus_fill,
                            .copy = mus_copy,
                            .axpy = mus_axpy,
                            .xpay = mus_xpay,
                            .to_float = mus_to_float,
                            .cg_residual = mus_cg_residual,
                            .cg_residual_f = mus_cg_residual_f,
                            .cg_advance = mus_cg_advance,
                            .cg_advance_f = mus_cg_advance_f};

void mus_operator_multiply(const mus_operator *a, const double *x, double *y) { a->multiply(a->self, x, y); }

double mus_operator_multiply_dot(const mus_operator *a, const double *x, double *y) {
  if (a->multiply_dot)
    return a->multiply_dot(a->self, x, y);
  a->multiply(a->self, x, y);
  return a->space->dot(a->size, x, y);
}

void mus_operator_residual(const mus_operator *a, const double *b, const double *x, double *r) {
  if (a->residual) {
    a->residual(a->self, b, x, r);
    return;
  }
  a->multiply(a->self, x, r);
  a->space->xpay(a->size, b, -1, r);
}
