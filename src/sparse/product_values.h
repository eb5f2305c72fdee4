// Products' values in one precision, as text: included twice by product.c, with
//   REAL, MATRIX, PRODUCT_TASK   the number type, its matrix and task
//   KERNEL                       which of mus_kernels computes rows
//   NAME(stem)                   the stem with this precision's ending

// Rows begin ... end - 1 of C.
static void NAME(run_product)(const PRODUCT_TASK *task, int begin, int end, int *places) {
  const mus_kernels *kernels = mus_kernels_current();
  int runs = (end - begin + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE;
  MUS_PARALLEL
  {
    int *place = places + (size_t)mus_par_index() * (size_t)task->c->columns;
    MUS_SHARE_RUNS
    for (int run = 0; run < runs; ++run) {
      int from = begin + run * ROWS_AT_ONCE, to = end - from > ROWS_AT_ONCE ? from + ROWS_AT_ONCE : end;
      kernels->KERNEL(task, from, to, place);
    }
  }
}

static PRODUCT_TASK NAME(product_task)(const MATRIX *a, const mus_pattern *part, const int *source, const MATRIX *b,
                                       const MATRIX *c) {
  return (PRODUCT_TASK){.a = part,
                        .b = b->pattern,
                        .c = c->pattern,
                        .source = source,
                        .a_value = a->value,
                        .b_value = b->value,
                        .c_value = c->value,
                        .rows = c->row_block,
                        .inner = a->column_block,
                        .columns = c->column_block};
}

// Copies the upper triangle of a symmetric matrix to its lower one, inside the diagonal blocks too.
static void NAME(mirror)(const mus_transpose *transpose, MATRIX *a) {
  int rows = a->pattern->rows, block = a->row_block;
  size_t size = (size_t)(block * block);
  MUS_PARALLEL_FOR_IF(rows > MUS_PAR_MINIMUM)
  for (int i = 0; i < rows; ++i)
    for (int k = a->pattern->row_start[i]; k < a->pattern->row_start[i + 1] && a->pattern->column[k] <= i; ++k) {
      REAL *to = a->value + (size_t)k * size;
      const REAL *from = a->value + (size_t)transpose->source[k] * size;
      for (int r = 0; r < block; ++r)
        for (int c = 0; c < (a->pattern->column[k] == i ? r : block); ++c)
          to[r * block + c] = from[c * block + r];
    }
}

mus_status NAME(mus_galerkin_fill)(const mus_galerkin *plan, const MATRIX *a, const MATRIX *p, MATRIX *coarse) {
  size_t most = 0;
  for (int t = 0; t < plan->tiles; ++t)
    most = tile_blocks(plan, t) > most ? tile_blocks(plan, t) : most;
  REAL *tile = mus_alloc(most * (size_t)(p->row_block * p->column_block), sizeof *tile);
  int *places = places_create(plan->coarse.columns);
  mus_status status = tile && places ? MUS_OK : mus_fail_memory();
  MATRIX ap = {&plan->ap, p->row_block, p->column_block, tile};
  PRODUCT_TASK first = NAME(product_task)(a, a->pattern, NULL, p, &ap);
  PRODUCT_TASK second = NAME(product_task)(p, &plan->pt.pattern, plan->pt.source, &ap, coarse);
  second.transposed = second.upper = 1;
  second.inner = p->row_block;
  for (int t = 0; t < plan->tiles && !status; ++t) {
    first.c_origin = second.b_origin = plan->ap.row_start[plan->needed[t][0]];
    NAME(run_product)(&first, plan->needed[t][0], plan->needed[t][1], places);
    NAME(run_product)(&second, plan->tile[t], plan->tile[t + 1], places);
  }
  mus_free(tile);
  mus_free(places);
  if (!status)
    NAME(mirror)(&plan->coarse_transpose, coarse);
  return status;
}
