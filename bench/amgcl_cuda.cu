// AMGCL's smoothed aggregation with its CUDA back end: the host sets up, the device iterates. See amgcl_cuda.h.
#include "amgcl_cuda.h"

#include <amgcl/adapter/crs_tuple.hpp>
#include <amgcl/amg.hpp>
#include <amgcl/backend/cuda.hpp>
#include <amgcl/coarsening/smoothed_aggregation.hpp>
#include <amgcl/make_solver.hpp>
#include <amgcl/relaxation/chebyshev.hpp>
#include <amgcl/relaxation/spai0.hpp>
#include <amgcl/solver/cg.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <tuple>
#include <vector>

struct peer {
  virtual ~peer() = default;
  virtual int solve(const double *values, const double *b, double *x, double *setup_s, double *solve_s) = 0;
};

namespace {

double seconds() {
  cudaDeviceSynchronize();
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <template <class> class Relaxation> class multigrid final : public peer {
  typedef amgcl::backend::cuda<double> backend;
  typedef amgcl::amg<backend, amgcl::coarsening::smoothed_aggregation, Relaxation> hierarchy;
  typedef amgcl::make_solver<hierarchy, amgcl::solver::cg<backend>> solver;

  peer_options options;
  int rows;
  std::vector<int> row_start, column;
  backend::params device;
  std::unique_ptr<solver> made;

  typename solver::params parameters() const {
    typename solver::params p;
    p.solver.tol = options.tolerance;
    p.solver.maxiter = 1000;
    p.precond.allow_rebuild = options.setup == PEER_REBUILD;
    p.precond.coarse_enough = 900;
    p.precond.coarsening.aggr.block_size = 3;
    p.precond.coarsening.nullspace.cols = options.count;
    p.precond.coarsening.nullspace.B.assign(options.kernel, options.kernel + (size_t)rows * (size_t)options.count);
    return p;
  }

public:
  multigrid(const peer_options &o, int n, const int *start, const int *c)
      : options(o), rows(n), row_start(start, start + n + 1), column(c, c + start[n]) {
    cusparseCreate(&device.cusparse_handle);
  }
  ~multigrid() override {
    made.reset();
    cusparseDestroy(device.cusparse_handle);
  }

  int solve(const double *values, const double *b, double *x, double *setup_s, double *solve_s) override {
    double begin = seconds();
    auto a = std::make_tuple((size_t)rows, amgcl::make_iterator_range(row_start.data(), row_start.data() + rows + 1),
                             amgcl::make_iterator_range(column.data(), column.data() + column.size()),
                             amgcl::make_iterator_range(values, values + column.size()));
    std::shared_ptr<typename backend::matrix> now;
    if (!made || options.setup == PEER_FULL)
      made.reset(new solver(a, parameters(), device));
    else if (options.setup == PEER_REBUILD)
      made->precond().rebuild(a, device);
    else
      now = backend::copy_matrix(std::make_shared<amgcl::backend::crs<double>>(a), device);
    double middle = seconds();
    thrust::device_vector<double> right(b, b + rows), left((size_t)rows, 0.0);
    size_t iterations;
    double left_over;
    std::tie(iterations, left_over) = now ? (*made)(*now, right, left) : (*made)(right, left);
    thrust::copy(left.begin(), left.end(), x);
    *setup_s = middle - begin;
    *solve_s = seconds() - middle;
    return left_over <= 1.01 * options.tolerance ? (int)iterations : -(int)iterations;
  }
};

} // namespace

peer *peer_create(const peer_options *o, int rows, const int *row_start, const int *column) {
  try {
    if (o->chebyshev)
      return new multigrid<amgcl::relaxation::chebyshev>(*o, rows, row_start, column);
    return new multigrid<amgcl::relaxation::spai0>(*o, rows, row_start, column);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "AMGCL: %s\n", e.what());
    return nullptr;
  }
}

int peer_solve(peer *p, const double *values, const double *b, double *x, double *setup_s, double *solve_s) {
  try {
    return p->solve(values, b, x, setup_s, solve_s);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "AMGCL: %s\n", e.what());
    return -1;
  }
}

void peer_free(peer *p) { delete p; }
