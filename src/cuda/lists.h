// What the device needs to know of a hierarchy's structure beyond patterns, made on the host once: slices, and the
// lists of the Galerkin product. See sliced.h and renew_kernels.h.
#ifndef MUS_CUDA_LISTS_H
#define MUS_CUDA_LISTS_H

#include <algorithm>
#include <vector>

#include "cuda/prolong_kernels.h"
#include "cuda/stages.h"

struct mus_slices {
  int slices, block, inner;
  std::vector<int> base, column;

  size_t values() const { return (size_t)base[(size_t)slices] * (size_t)(inner * MUS_SLICE * block); }
  size_t at(int i, int k) const {
    return ((size_t)base[(size_t)(i / MUS_SLICE)] + (size_t)k) * (size_t)(inner * MUS_SLICE * block) +
           (size_t)(i % MUS_SLICE * block);
  }
};

inline int mus_slices_of(int rows) { return (rows + MUS_SLICE - 1) / MUS_SLICE; }

inline mus_slices mus_make_slices(const mus_stage_pattern &p, int block, int inner) {
  mus_slices s = {mus_slices_of(p.rows), block, inner, {}, {}};
  s.base.assign((size_t)s.slices + 1, 0);
  for (int k = 0; k < s.slices; ++k) {
    int width = 0;
    for (int i = k * MUS_SLICE; i < p.rows && i < (k + 1) * MUS_SLICE; ++i)
      width = std::max(width, p.row_start[i + 1] - p.row_start[i]);
    s.base[(size_t)k + 1] = s.base[(size_t)k] + width;
  }
  s.column.assign((size_t)s.base[(size_t)s.slices] * MUS_SLICE, 0);
  for (int i = 0; i < p.rows; ++i)
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k)
      s.column[((size_t)s.base[(size_t)(i / MUS_SLICE)] + (size_t)(k - p.row_start[i])) * MUS_SLICE +
               (size_t)(i % MUS_SLICE)] = p.column[k];
  return s;
}

// The transpose of a pattern; block k of it is block source[k] of the original.
struct mus_turned {
  std::vector<int> row_start, column, source;
};

inline mus_turned mus_turn(const mus_stage_pattern &p) {
  mus_turned t;
  size_t blocks = (size_t)p.row_start[p.rows];
  t.row_start.assign((size_t)p.columns + 1, 0);
  t.column.resize(blocks);
  t.source.resize(blocks);
  for (size_t k = 0; k < blocks; ++k)
    ++t.row_start[(size_t)p.column[k] + 1];
  for (size_t j = 0; j < (size_t)p.columns; ++j)
    t.row_start[j + 1] += t.row_start[j];
  std::vector<int> next(t.row_start.begin(), t.row_start.end() - 1);
  for (int i = 0; i < p.rows; ++i)
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k) {
      size_t to = (size_t)next[(size_t)p.column[k]]++;
      t.column[to] = i;
      t.source[to] = k;
    }
  return t;
}

// Pairs of blocks for each block of a product.
struct mus_pairs {
  std::vector<int> start;
  std::vector<mus_pair> pair;
};

struct mus_product_lists {
  mus_stage_pattern ap; // over the vectors below
  std::vector<int> ap_start, ap_column;
  mus_pairs first, second;
  std::vector<mus_target> target;
};

// A P: row by row, the columns that it has, then which pairs go where. Blocks of P have `size` numbers.
inline void mus_list_first(const mus_stage_pattern &a, const mus_slices &a_at, const mus_stage_pattern &p, size_t size,
                           mus_product_lists *out) {
  std::vector<int> place((size_t)p.columns, -1), count;
  std::vector<std::vector<mus_pair>> of;
  out->ap_start.assign(1, 0);
  out->first.start.assign(1, 0);
  for (int i = 0; i < a.rows; ++i) {
    size_t begin = out->ap_column.size(), blocks = 0;
    for (int k = a.row_start[i]; k < a.row_start[i + 1]; ++k)
      for (int m = a.column[k], l = p.row_start[m]; l < p.row_start[m + 1]; ++l) {
        int *at = &place[(size_t)p.column[l]];
        if (*at < 0) {
          *at = (int)blocks++;
          out->ap_column.push_back(p.column[l]);
          if (of.size() < blocks)
            of.emplace_back();
          of[blocks - 1].clear();
        }
        of[(size_t)*at].push_back(mus_pair{(unsigned)a_at.at(i, k - a.row_start[i]), (unsigned)((size_t)l * size)});
      }
    for (size_t k = 0; k < blocks; ++k) {
      place[(size_t)out->ap_column[begin + k]] = -1;
      out->first.pair.insert(out->first.pair.end(), of[k].begin(), of[k].end());
      out->first.start.push_back((int)out->first.pair.size());
    }
    out->ap_start.push_back((int)out->ap_column.size());
  }
}

inline int mus_find(const mus_stage_pattern &p, int row, int column) {
  const int *begin = p.column + p.row_start[row], *end = p.column + p.row_start[row + 1];
  return (int)(std::lower_bound(begin, end, column) - begin);
}

// The members of aggregates, in ascending order.
struct mus_members {
  std::vector<int> start, member;
};

inline mus_members mus_list_members(int nodes, const mus_stage_grouping &g) {
  mus_members m;
  m.start.assign((size_t)g.aggregates + 1, 0);
  for (int i = 0; i < nodes; ++i)
    if (g.aggregate[i] >= 0)
      ++m.start[(size_t)g.aggregate[i] + 1];
  for (size_t k = 0; k < (size_t)g.aggregates; ++k)
    m.start[k + 1] += m.start[k];
  m.member.resize((size_t)m.start.back());
  std::vector<int> next(m.start.begin(), m.start.end() - 1);
  for (int i = 0; i < nodes; ++i)
    if (g.aggregate[i] >= 0)
      m.member[(size_t)next[(size_t)g.aggregate[i]]++] = i;
  return m;
}

// P = Q - omega D^-1 A Q, block by block of P; see mus_smooth_kernel. Weak neighbours, node by node; see
// mus_weak_kernel.
struct mus_smooth_lists {
  mus_pairs pairs, weak; // weak: empty where P is not filtered
  std::vector<mus_prolong_target> target;
};

inline bool mus_is_filtered(const mus_stage_grouping &g) { return g.is_filtered && g.part.rows > 0; }

// Blocks of a row of A that smooth nothing, between nodes with aggregates.
inline void mus_list_weak(const mus_stage_level &l, const mus_slices &a_at, size_t size, mus_pairs *out) {
  const mus_stage_grouping &g = l.grouping;
  out->start.assign(1, 0);
  for (int i = 0; i < l.a.rows && mus_is_filtered(g); ++i) {
    int kept = g.part.row_start[i], end = g.part.row_start[i + 1];
    for (int b = l.a.row_start[i]; g.aggregate[i] >= 0 && b < l.a.row_start[i + 1]; ++b)
      if (kept < end && g.source[kept] == b)
        ++kept;
      else if (g.aggregate[l.a.column[b]] >= 0)
        out->pair.push_back(
            mus_pair{(unsigned)a_at.at(i, b - l.a.row_start[i]), (unsigned)((size_t)l.a.column[b] * size)});
    out->start.push_back((int)out->pair.size());
  }
}

inline mus_smooth_lists mus_list_smoothing(const mus_stage_level &l, const mus_slices &a_at, const mus_slices &p_at,
                                           const mus_turned &pt, const mus_slices &pt_at) {
  const mus_stage_grouping &g = l.grouping;
  mus_smooth_lists out;
  std::vector<size_t> there((size_t)l.p.row_start[l.p.rows]);
  for (int j = 0; j < l.p.columns; ++j)
    for (int k = pt.row_start[(size_t)j]; k < pt.row_start[(size_t)j + 1]; ++k)
      there[(size_t)pt.source[(size_t)k]] = pt_at.at(j, k - pt.row_start[(size_t)j]);
  size_t size = (size_t)(p_at.block * p_at.inner);
  mus_list_weak(l, a_at, size, &out.weak);
  out.pairs.start.assign(1, 0);
  out.target.reserve(there.size());
  for (int i = 0; i < l.p.rows; ++i)
    for (int k = l.p.row_start[i]; k < l.p.row_start[i + 1]; ++k) {
      int to = l.p.column[k], is_home = to == g.aggregate[i];
      for (int e = g.part.rows > 0 ? g.part.row_start[i] : 0; e < (g.part.rows > 0 ? g.part.row_start[i + 1] : 0); ++e)
        if (g.aggregate[g.part.column[e]] == to)
          out.pairs.pair.push_back(mus_pair{(unsigned)a_at.at(i, g.source[e] - l.a.row_start[i]),
                                            (unsigned)((size_t)g.part.column[e] * size)});
      out.pairs.start.push_back((int)out.pairs.pair.size());
      out.target.push_back(
          mus_prolong_target{(unsigned)p_at.at(i, k - l.p.row_start[i]), (unsigned)there[(size_t)k], i, is_home});
    }
  return out;
}

// P^T (A P), the blocks on and above the diagonal of the coarse pattern.
inline void mus_list_second(size_t size, const mus_turned &pt, const mus_stage_pattern &coarse,
                            const mus_slices &coarse_at, mus_product_lists *out) {
  std::vector<int> place((size_t)coarse.columns, -1);
  std::vector<std::vector<mus_pair>> of;
  out->second.start.assign(1, 0);
  for (int row = 0; row < coarse.rows; ++row) {
    size_t blocks = 0;
    for (int k = coarse.row_start[row]; k < coarse.row_start[row + 1]; ++k) {
      int column = coarse.column[k];
      if (column < row)
        continue;
      place[(size_t)column] = (int)blocks++;
      if (of.size() < blocks)
        of.emplace_back();
      of[blocks - 1].clear();
      out->target.push_back(mus_target{(unsigned)coarse_at.at(row, k - coarse.row_start[row]),
                                       (unsigned)coarse_at.at(column, mus_find(coarse, column, row))});
    }
    for (int k = pt.row_start[(size_t)row]; k < pt.row_start[(size_t)row + 1]; ++k) {
      int i = pt.column[(size_t)k], source = pt.source[(size_t)k];
      for (int l = out->ap_start[(size_t)i]; l < out->ap_start[(size_t)i + 1]; ++l) {
        int at = place[(size_t)out->ap_column[(size_t)l]];
        if (at >= 0)
          of[(size_t)at].push_back(mus_pair{(unsigned)((size_t)source * size), (unsigned)l});
      }
    }
    for (int k = coarse.row_start[row]; k < coarse.row_start[row + 1]; ++k)
      place[(size_t)coarse.column[k]] = -1;
    for (size_t k = 0; k < blocks; ++k) {
      out->second.pair.insert(out->second.pair.end(), of[k].begin(), of[k].end());
      out->second.start.push_back((int)out->second.pair.size());
    }
  }
}

#endif
