// AMGCL's multigrid behind a few plain functions. See solve/amgcl.h.
//
// Patterns and values are AMGCL's own kind of matrix without a copy, except for rounding the values.
#include "solve/amgcl.h"

#include <algorithm>
#include <amgcl/amg.hpp>
#include <amgcl/backend/builtin.hpp>
#include <amgcl/coarsening/smoothed_aggregation.hpp>
#include <amgcl/relaxation/damped_jacobi.hpp>
#include <amgcl/relaxation/gauss_seidel.hpp>
#include <amgcl/value_type/static_matrix.hpp>
#include <cmath>
#include <cstdio>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

struct mus_amgcl {
  virtual ~mus_amgcl() = default;
  virtual void set_up(const double *value) = 0;
  virtual void apply(const double *r, double *z) = 0;
  virtual size_t bytes() const = 0;
};

namespace {

// What differs from AMGCL's own choices: fewer unknowns are solved directly, and less damping would make the cycle
// indefinite, because blocks of cloth reach a spectral radius of 3.5.
const int coarse_numbers = 900;
const float damping = 0.5f;

template <class Number, int block> struct values {
  typedef amgcl::static_matrix<Number, block, block> matrix;
  typedef amgcl::static_matrix<Number, block, 1> vector;
};
template <class Number> struct values<Number, 1> { typedef Number matrix, vector; };

template <class Number, int block, template <class> class Relaxation> class multigrid final : public mus_amgcl {
  typedef typename values<Number, block>::matrix matrix_value;
  typedef typename values<Number, block>::vector vector_value;
  typedef amgcl::backend::builtin<matrix_value, int, int> backend;
  typedef amgcl::amg<backend, amgcl::coarsening::smoothed_aggregation, Relaxation> hierarchy;
  typedef typename backend::matrix matrix;

  mus_amgcl_options options;
  int rows;
  const int *row_start, *column;
  std::vector<matrix_value> value;
  std::vector<vector_value> right, left;
  std::unique_ptr<hierarchy> amg;

  Number *numbers(std::vector<vector_value> &v) { return reinterpret_cast<Number *>(v.data()); }

  typename hierarchy::params parameters() const {
    typename hierarchy::params p;
    p.npre = p.npost = static_cast<unsigned>(options.sweeps);
    p.coarse_enough = static_cast<unsigned>(coarse_numbers / block);
    if constexpr (std::is_same<Relaxation<backend>, amgcl::relaxation::damped_jacobi<backend>>::value)
      p.relax.damping = damping;
    p.allow_rebuild = options.keep != 0;
    return p;
  }

public:
  multigrid(const mus_amgcl_options &o, int n, const int *start, const int *c)
      : options(o), rows(n), row_start(start), column(c), value(static_cast<size_t>(start[n])),
        right(static_cast<size_t>(n)), left(static_cast<size_t>(n)) {}

  void set_up(const double *from) override {
    Number *to = reinterpret_cast<Number *>(value.data());
    const ptrdiff_t count = static_cast<ptrdiff_t>(row_start[rows]) * block * block;
    for (ptrdiff_t k = 0; k < count; ++k)
      to[k] = static_cast<Number>(from[k]);
    auto a = std::make_shared<matrix>();
    a->nrows = a->ncols = static_cast<size_t>(rows);
    a->nnz = static_cast<size_t>(row_start[rows]);
    a->ptr = const_cast<int *>(row_start);
    a->col = const_cast<int *>(column);
    a->val = value.data();
    a->own_data = false;
    if (amg && options.keep)
      amg->rebuild(a);
    else
      amg.reset(new hierarchy(a, parameters()));
  }

  // Residuals are brought to size 1, as for our own cycle in single precision: numbers too small for it take many times
  // as long.
  void apply(const double *r, double *z) override {
    const size_t n = static_cast<size_t>(rows) * block;
    Number *in = numbers(right), *out = numbers(left);
    double size = 0;
    for (size_t k = 0; k < n; ++k)
      size = std::max(size, std::fabs(r[k]));
    size = size > 0 ? size : 1;
    for (size_t k = 0; k < n; ++k)
      in[k] = static_cast<Number>(r[k] / size);
    amg->apply(right, left);
    for (size_t k = 0; k < n; ++k)
      z[k] = size * out[k];
  }

  size_t bytes() const override {
    return value.size() * sizeof(matrix_value) + 2 * right.size() * sizeof(vector_value) + (amg ? amg->bytes() : 0);
  }
};

template <class Number, int block>
mus_amgcl *create_smoothed(const mus_amgcl_options &o, int rows, const int *row_start, const int *column) {
  if (o.gauss_seidel)
    return new multigrid<Number, block, amgcl::relaxation::gauss_seidel>(o, rows, row_start, column);
  return new multigrid<Number, block, amgcl::relaxation::damped_jacobi>(o, rows, row_start, column);
}

template <class Number>
mus_amgcl *create_blocks(const mus_amgcl_options &o, int rows, const int *row_start, const int *column) {
  return o.block == 1 ? create_smoothed<Number, 1>(o, rows, row_start, column)
                      : create_smoothed<Number, 3>(o, rows, row_start, column);
}

} // namespace

mus_amgcl *mus_amgcl_create(const mus_amgcl_options *o, int rows, const int *row_start, const int *column) {
  try {
    return o->single ? create_blocks<float>(*o, rows, row_start, column)
                     : create_blocks<double>(*o, rows, row_start, column);
  } catch (const std::exception &) {
    return nullptr;
  }
}

int mus_amgcl_set_up(mus_amgcl *amgcl, const double *value, size_t size, char *text) {
  try {
    amgcl->set_up(value);
    return 0;
  } catch (const std::exception &e) {
    std::snprintf(text, size, "%s", e.what());
    return 1;
  }
}

void mus_amgcl_apply(mus_amgcl *amgcl, const double *r, double *z) { amgcl->apply(r, z); }

size_t mus_amgcl_bytes(const mus_amgcl *amgcl) { return amgcl->bytes(); }

void mus_amgcl_free(mus_amgcl *amgcl) { delete amgcl; }
