// SPDX-License-Identifier: MIT
// The operations on register tiles: one micro-kernel serves every matrix product.
//
// A tile is a few rows by AF_LANES columns of outputs in registers. The sum index runs innermost and in order, and each
// step multiplies, rounds, adds and rounds. So a tile decides which outputs are computed together, never the order of a
// sum, and the bits are those of the plain loops. This file is compiled once for each level of the instruction set:
// AF_TILE_TABLE is the name of the table, the compiler's options give the level.
#include "af_inner_elementwise.h"
#include "af_inner_liberties.h"
#include "af_kernels.h"

#if AF_HAS_TILE

#ifndef AF_TILE_TABLE
#define AF_TILE_TABLE af_kernels_tile
#define AF_TILE_NAME  "tile"
#endif

// Vectors are as wide as the instruction set's, and a tile has as many rows as its registers hold beside two vectors of
// columns. With 64-byte vectors a tile is one vector wide: as fast as two of half the width, with half the
// instructions. Without vectors that keep subnormal numbers (32-bit Arm's NEON and AltiVec do not), a vector is a
// single number, and a tile of 4 by 4 fits into 32 registers.
#ifndef AF_TILE_VECTOR_BYTES
#if defined(__AVX512VL__)
#define AF_TILE_VECTOR_BYTES 64
#elif defined(__AVX2__)
#define AF_TILE_VECTOR_BYTES 32
#elif defined(__SSE2__) || defined(__aarch64__) || defined(__VSX__) || defined(__wasm_simd128__)
#define AF_TILE_VECTOR_BYTES 16
#else
#define AF_TILE_VECTOR_BYTES 4
#endif
#endif
#if AF_TILE_VECTOR_BYTES != 4 && AF_TILE_VECTOR_BYTES != 16 && AF_TILE_VECTOR_BYTES != 32 && AF_TILE_VECTOR_BYTES != 64
#error "AF_TILE_VECTOR_BYTES must be 4, 16, 32 or 64."
#endif
#define AFI_MAX_ROWS     (AF_TILE_VECTOR_BYTES == 64 ? 16 : AF_TILE_VECTOR_BYTES == 4 ? 4 : 6)
#define AFI_N_VECTORS    (AF_TILE_VECTOR_BYTES == 64 ? 1 : AF_TILE_VECTOR_BYTES == 4 ? 4 : 2)
#define AFI_VECTOR_LANES (AF_TILE_VECTOR_BYTES / 4)
#define AFI_TILE_COLUMNS (AFI_N_VECTORS * AFI_VECTOR_LANES)

#if AFI_VECTOR_LANES > 1
typedef af_real vector __attribute__((vector_size(AF_TILE_VECTOR_BYTES)));
typedef af_real vector_in_memory __attribute__((vector_size(AF_TILE_VECTOR_BYTES), aligned(4), may_alias));
#else
typedef af_real vector;
typedef af_real vector_in_memory;
#endif

#if defined(__clang__)
#define AFI_UNROLL _Pragma("clang loop unroll(full)")
#else
#define AFI_UNROLL _Pragma("GCC unroll 16")
#endif

// Keeps a broadcast in a register: otherwise the compilers load it again for each multiplication.
// (AVX-512 multiplies by a number in memory at no cost.)
#if defined(__x86_64__) && AF_TILE_VECTOR_BYTES < 64
#define AFI_IN_REGISTER(v) __asm("" : "+x"(v))
#else
#define AFI_IN_REGISTER(v) (void)(v)
#endif

// One pointer for each AFI_GROUP rows of a tile: from a single pointer, the offsets of 16 rows take more registers than
// there are. AFI_APART keeps the compiler from deriving one pointer from another.
#define AFI_GROUP          (AF_TILE_VECTOR_BYTES == 64 ? 4 : 8)
#define AFI_APART(pointer) __asm("" : "+r"(pointer))

/// A product: c[i][j] += sum over s of a[i][s] b[s][j], with a_row, a_sum, b_sum, c_row the strides in numbers, and b's
/// columns side by side. Columns come in panels of AF_LANES, b_panel numbers apart. Sums start from c or, if it is not
/// NULL, from `start` [columns].
struct product {
    af_real *c;
    const af_real *a;
    const af_real *b;
    size_t c_row;
    size_t a_row;
    size_t a_sum;
    size_t b_sum;
    size_t b_panel;
    size_t n_rows;
    size_t n_columns;
    size_t n_sum;
    const af_real *start; // what every row's sums start from; NULL: from c
    bool is_padded;       // b's last panel is whole, though n_columns may end inside it
};

/// How many strips a product of a single row takes at a time.
#define AFI_WIDE 4

/// A `start` for sums that start from 0; its columns are the same for every strip.
static const af_real zeros[AFI_WIDE * AFI_TILE_COLUMNS] = {0};

/// Initial values of the sums of row r, from column j on.
static const af_real *start_of(const struct product *const p, const size_t r, const size_t j) {
    return p->start == NULL ? &p->c[r * p->c_row + j] : p->start == zeros ? zeros : &p->start[j];
}

// ------------------------------------------------------------------------------------------------- the micro-kernel

typedef void tile(af_real *c, size_t c_row, const af_real *start, size_t start_row, const af_real *a, size_t a_row,
                  size_t a_sum, const af_real *b, size_t b_sum, size_t n_sum);

#define AFI_TILE(ROWS)                                                                                                 \
    static void tile_##ROWS(af_real *const c, const size_t c_row, const af_real *const start, const size_t start_row,  \
                            const af_real *const a, const size_t a_row, const size_t a_sum, const af_real *b,          \
                            const size_t b_sum, const size_t n_sum) {                                                  \
        vector sum[ROWS][AFI_N_VECTORS];                                                                               \
        AFI_UNROLL for (size_t r = 0; r < ROWS; r++) {                                                                 \
            AFI_UNROLL for (size_t v = 0; v < AFI_N_VECTORS; v++) {                                                    \
                sum[r][v] = *(const vector_in_memory *)&start[r * start_row + v * AFI_VECTOR_LANES];                   \
            }                                                                                                          \
        }                                                                                                              \
        const af_real *row[(ROWS + AFI_GROUP - 1) / AFI_GROUP];                                                        \
        AFI_UNROLL for (size_t r = 0; r < ROWS; r += AFI_GROUP) {                                                      \
            row[r / AFI_GROUP] = &a[r * a_row];                                                                        \
            AFI_APART(row[r / AFI_GROUP]);                                                                             \
        }                                                                                                              \
        for (size_t s = 0; s < n_sum; s++) {                                                                           \
            vector column[AFI_N_VECTORS];                                                                              \
            AFI_UNROLL for (size_t v = 0; v < AFI_N_VECTORS; v++) {                                                    \
                column[v] = *(const vector_in_memory *)&b[v * AFI_VECTOR_LANES];                                       \
            }                                                                                                          \
            b += b_sum;                                                                                                \
            AFI_UNROLL for (size_t r = 0; r < ROWS; r++) {                                                             \
                vector x = row[r / AFI_GROUP][r % AFI_GROUP * a_row] - (vector){0};                                    \
                AFI_IN_REGISTER(x);                                                                                    \
                AFI_UNROLL for (size_t v = 0; v < AFI_N_VECTORS; v++) {                                                \
                    sum[r][v] = sum[r][v] + x * column[v];                                                             \
                }                                                                                                      \
            }                                                                                                          \
            AFI_UNROLL for (size_t r = 0; r < ROWS; r += AFI_GROUP) {                                                  \
                row[r / AFI_GROUP] += a_sum;                                                                           \
            }                                                                                                          \
        }                                                                                                              \
        AFI_UNROLL for (size_t r = 0; r < ROWS; r++) {                                                                 \
            AFI_UNROLL for (size_t v = 0; v < AFI_N_VECTORS; v++) {                                                    \
                *(vector_in_memory *)&c[r * c_row + v * AFI_VECTOR_LANES] = sum[r][v];                                 \
            }                                                                                                          \
        }                                                                                                              \
    }

AFI_TILE(1)
AFI_TILE(2)
AFI_TILE(3)
AFI_TILE(4)
#if AFI_MAX_ROWS > 4
AFI_TILE(5)
AFI_TILE(6)
#endif
#if AFI_MAX_ROWS > 6
AFI_TILE(7)
AFI_TILE(8)
AFI_TILE(9)
AFI_TILE(10)
AFI_TILE(11)
AFI_TILE(12)
AFI_TILE(13)
AFI_TILE(14)
AFI_TILE(15)
AFI_TILE(16)
#endif

static tile *const tile_of_rows[AFI_MAX_ROWS] = {
    tile_1, tile_2, tile_3, tile_4,
#if AFI_MAX_ROWS > 4
    tile_5, tile_6,
#endif
#if AFI_MAX_ROWS > 6
    tile_7, tile_8, tile_9, tile_10, tile_11, tile_12, tile_13, tile_14, tile_15, tile_16,
#endif
};

/// All rows of one strip of AFI_TILE_COLUMNS columns, from column j on, in tiles of nearly equal height.
static void strip(const struct product *const p, const size_t j) {
    const af_real *const b = &p->b[j / AF_LANES * p->b_panel + j % AF_LANES];
    af_real *const c = &p->c[j];
    size_t n_tiles = (p->n_rows + AFI_MAX_ROWS - 1) / AFI_MAX_ROWS;
    for (size_t r = 0; r < p->n_rows; n_tiles--) {
        const size_t rows = (p->n_rows - r + n_tiles - 1) / n_tiles;
        tile_of_rows[rows - 1](&c[r * p->c_row], p->c_row, start_of(p, r, j), p->start != NULL ? 0 : p->c_row,
                               &p->a[r * p->a_row], p->a_row, p->a_sum, b, p->b_sum, p->n_sum);
        r += rows;
    }
}

/// One row, as in decoding: AFI_WIDE strips side by side, so that no sum waits for its own last addition.
static void wide_row(const struct product *const p, const size_t j) {
    const af_real *const start = start_of(p, 0, j);
    const af_real *b[AFI_WIDE];
    vector sum[AFI_WIDE][AFI_N_VECTORS];
    AFI_UNROLL for (size_t w = 0; w < AFI_WIDE; w++) {
        const size_t column = j + w * AFI_TILE_COLUMNS;
        b[w] = &p->b[column / AF_LANES * p->b_panel + column % AF_LANES];
        AFI_UNROLL for (size_t v = 0; v < AFI_N_VECTORS; v++) {
            sum[w][v] = *(const vector_in_memory *)&start[w * AFI_TILE_COLUMNS + v * AFI_VECTOR_LANES];
        }
    }
    for (size_t s = 0; s < p->n_sum; s++) {
        const vector x = p->a[s * p->a_sum] - (vector){0};
        AFI_UNROLL for (size_t w = 0; w < AFI_WIDE; w++) {
            AFI_UNROLL for (size_t v = 0; v < AFI_N_VECTORS; v++) {
                sum[w][v] = sum[w][v] + x * *(const vector_in_memory *)&b[w][s * p->b_sum + v * AFI_VECTOR_LANES];
            }
        }
    }
    AFI_UNROLL for (size_t w = 0; w < AFI_WIDE; w++) {
        AFI_UNROLL for (size_t v = 0; v < AFI_N_VECTORS; v++) {
            *(vector_in_memory *)&p->c[j + w * AFI_TILE_COLUMNS + v * AFI_VECTOR_LANES] = sum[w][v];
        }
    }
}

/// The columns from j on, which do not fill a strip, if b is padded: computes whole tiles in memory of its own and
/// copies these columns to c.
static void padded_rest(const struct product *const p, const size_t j) {
    const size_t n = p->n_columns - j;
    const af_real *const b = &p->b[j / AF_LANES * p->b_panel + j % AF_LANES];
    for (size_t r = 0; r < p->n_rows; r += AFI_MAX_ROWS) {
        const size_t rows = p->n_rows - r < AFI_MAX_ROWS ? p->n_rows - r : AFI_MAX_ROWS;
        af_real beside[AFI_MAX_ROWS][AFI_TILE_COLUMNS] = {{0}};
        for (size_t i = 0; i < rows; i++) {
            for (size_t k = 0; k < n; k++) {
                beside[i][k] = start_of(p, r + i, j)[k];
            }
        }
        tile_of_rows[rows - 1](beside[0], AFI_TILE_COLUMNS, beside[0], AFI_TILE_COLUMNS, &p->a[r * p->a_row], p->a_row,
                               p->a_sum, b, p->b_sum, p->n_sum);
        for (size_t i = 0; i < rows; i++) {
            for (size_t k = 0; k < n; k++) {
                p->c[(r + i) * p->c_row + j + k] = beside[i][k];
            }
        }
    }
}

/// The same if nothing may be read behind b's columns: the plain loop.
static void rest(const struct product *const p, const size_t from) {
    for (size_t i = 0; i < p->n_rows; i++) {
        for (size_t j = from; j < p->n_columns; j++) {
            const af_real *const b = &p->b[j / AF_LANES * p->b_panel + j % AF_LANES];
            af_real sum = *start_of(p, i, j);
            for (size_t s = 0; s < p->n_sum; s++) {
                sum += p->a[i * p->a_row + s * p->a_sum] * b[s * p->b_sum];
            }
            p->c[i * p->c_row + j] = sum;
        }
    }
}

static void multiply(const struct product *const p) {
    size_t j = 0;
    for (; p->n_rows == 1 && j + AFI_WIDE * AFI_TILE_COLUMNS <= p->n_columns; j += AFI_WIDE * AFI_TILE_COLUMNS) {
        wide_row(p, j);
    }
    for (; j + AFI_TILE_COLUMNS <= p->n_columns; j += AFI_TILE_COLUMNS) {
        strip(p, j);
    }
    if (j < p->n_columns) {
        (p->is_padded ? padded_rest : rest)(p, j);
    }
}

// ----------------------------------------------------------------------------------------------------- linear layer

static void linear_forward(af_real *const y, const af_real *const x, const struct af_layer *const l, const size_t n) {
    const struct product p = {.c = y,
                              .a = x,
                              .b = l->packed,
                              .c_row = l->n_out,
                              .a_row = l->n_in,
                              .a_sum = 1,
                              .b_sum = AF_LANES,
                              .b_panel = AF_LANES * l->n_in,
                              .n_rows = n,
                              .n_columns = l->n_out,
                              .n_sum = l->n_in,
                              .start = l->b,
                              .is_padded = true};
    multiply(&p);
}

static void linear_backward_x(af_real *const d_x, const af_real *const d_y, const struct af_layer *const l,
                              const size_t n, const bool adds) {
    const struct product p = {.c = d_x,
                              .a = d_y,
                              .b = l->packed_back,
                              .c_row = l->n_in,
                              .a_row = l->n_out,
                              .a_sum = 1,
                              .b_sum = AF_LANES,
                              .b_panel = AF_LANES * l->n_out,
                              .n_rows = n,
                              .n_columns = l->n_in,
                              .n_sum = l->n_out,
                              .start = adds ? NULL : zeros,
                              .is_padded = true};
    multiply(&p);
}

/// Rows that are summed before a tile of weights is stored: few enough for what they read to stay in the first cache.
#define AFI_SUM_ROWS 96

static void linear_backward_w(af_real *const d_w, af_real *const d_b, const af_real *const d_y, const af_real *const x,
                              const size_t n, const size_t n_in, const size_t n_out, const size_t from,
                              const size_t n_part) {
    for (size_t r = 0; r < n; r += AFI_SUM_ROWS) {
        const size_t rows = n - r < AFI_SUM_ROWS ? n - r : AFI_SUM_ROWS;
        const struct product p = {.c = &d_w[from * n_in],
                                  .a = &d_y[r * n_out + from],
                                  .b = &x[r * n_in],
                                  .c_row = n_in,
                                  .a_row = 1,
                                  .a_sum = n_out,
                                  .b_sum = n_in,
                                  .b_panel = AF_LANES,
                                  .n_rows = n_part,
                                  .n_columns = n_in,
                                  .n_sum = rows,
                                  .start = NULL,
                                  .is_padded = false};
        multiply(&p);
    }
    const af_real one = 1; // multiplying by it changes no bit: the bias is a weight whose input is 1
    const struct product bias = {.c = &d_b[from],
                                 .a = &one,
                                 .b = &d_y[from],
                                 .c_row = 0,
                                 .a_row = 0,
                                 .a_sum = 0,
                                 .b_sum = n_out,
                                 .b_panel = AF_LANES,
                                 .n_rows = 1,
                                 .n_columns = n_part,
                                 .n_sum = n,
                                 .start = NULL,
                                 .is_padded = false};
    multiply(&bias);
}

// ------------------------------------------------------------------------------------------------------- layer norm

/// Rows whose sums run side by side: each sum stays sequential, and none waits for another.
#define AFI_SIDE_BY_SIDE 8

static void layernorm_forward(af_real *const y, af_real *const mean, af_real *const rstd, const af_real *const x,
                              const af_real *const g, const af_real *const b, const size_t n) {
    size_t r = 0;
    for (; r + AFI_SIDE_BY_SIDE <= n; r += AFI_SIDE_BY_SIDE) {
        const af_real *const row = &x[r * AF_DIM];
        af_real sum[AFI_SIDE_BY_SIDE] = {0};
        af_real m[AFI_SIDE_BY_SIDE];
        for (size_t i = 0; i < AF_DIM; i++) {
            AFI_UNROLL for (size_t k = 0; k < AFI_SIDE_BY_SIDE; k++) {
                sum[k] += row[k * AF_DIM + i];
            }
        }
        for (size_t k = 0; k < AFI_SIDE_BY_SIDE; k++) {
            m[k] = sum[k] / AF_R(AF_DIM);
            sum[k] = 0;
        }
        for (size_t i = 0; i < AF_DIM; i++) {
            AFI_UNROLL for (size_t k = 0; k < AFI_SIDE_BY_SIDE; k++) {
                const af_real d = row[k * AF_DIM + i] - m[k];
                sum[k] += d * d;
            }
        }
        for (size_t k = 0; k < AFI_SIDE_BY_SIDE; k++) {
            const af_real root = af_sqrt(sum[k] / AF_R(AF_DIM) + AF_R(AF_LAYERNORM_EPS));
            const af_real s = AF_R(1) / af_finite_or_nan(root);
            for (size_t i = 0; i < AF_DIM; i++) {
                y[(r + k) * AF_DIM + i] = (row[k * AF_DIM + i] - m[k]) * s * g[i] + b[i];
            }
            mean[r + k] = m[k];
            rstd[r + k] = s;
        }
    }
    af_layernorm_forward(&y[r * AF_DIM], &mean[r], &rstd[r], &x[r * AF_DIM], g, b, n - r);
}

static void layernorm_backward_x(af_real *const d_x, const af_real *const d_y, const af_real *const x,
                                 const af_real *const mean, const af_real *const rstd, const af_real *const g,
                                 const size_t n) {
    size_t r = 0;
    for (; r + AFI_SIDE_BY_SIDE <= n; r += AFI_SIDE_BY_SIDE) {
        const af_real *const row = &x[r * AF_DIM];
        const af_real *const dy = &d_y[r * AF_DIM];
        af_real sum_h[AFI_SIDE_BY_SIDE] = {0};
        af_real sum_hz[AFI_SIDE_BY_SIDE] = {0};
        for (size_t i = 0; i < AF_DIM; i++) {
            AFI_UNROLL for (size_t k = 0; k < AFI_SIDE_BY_SIDE; k++) {
                const af_real z = (row[k * AF_DIM + i] - mean[r + k]) * rstd[r + k];
                const af_real h = dy[k * AF_DIM + i] * g[i];
                sum_h[k] += h;
                sum_hz[k] += h * z;
            }
        }
        for (size_t k = 0; k < AFI_SIDE_BY_SIDE; k++) {
            const af_real mean_h = sum_h[k] / AF_R(AF_DIM);
            const af_real mean_hz = sum_hz[k] / AF_R(AF_DIM);
            const af_real m = mean[r + k];
            const af_real s = rstd[r + k];
            for (size_t i = 0; i < AF_DIM; i++) {
                const af_real z = (row[k * AF_DIM + i] - m) * s;
                d_x[(r + k) * AF_DIM + i] += s * (dy[k * AF_DIM + i] * g[i] - mean_h - z * mean_hz);
            }
        }
    }
    af_layernorm_backward_x(&d_x[r * AF_DIM], &d_y[r * AF_DIM], &x[r * AF_DIM], &mean[r], &rstd[r], g, n - r);
}

static void layernorm_backward_w(af_real *const d_g, af_real *const d_b, const af_real *const d_y,
                                 const af_real *const x, const af_real *const mean, const af_real *const rstd,
                                 const size_t n) {
    af_layernorm_w_loop(d_g, d_b, d_y, x, mean, rstd, n);
}

// -------------------------------------------------------------------------------------------------------- attention

#define AFI_COLUMNS  AF_SCRATCH_COLUMNS
#define AFI_ATT_ROW  (AF_HEADS * AF_CONTEXT)
#define AFI_KV_ROW   (2 * AF_DIM)
#define AFI_WHOLE(n) (AF_PANELS(n) * AF_LANES)

/// turned[m][j] = x[j][m] for n rows of a head's components, AFI_KV_ROW apart; columns from n to the end of the strip
/// are 0.
static void turn(af_real *const turned, const af_real *const x, const size_t n) {
    for (size_t j = 0; j < n; j++) {
        for (size_t m = 0; m < AF_HEAD_DIM; m++) {
            turned[m * AFI_COLUMNS + j] = x[j * AFI_KV_ROW + m];
        }
    }
    for (size_t m = 0; m < AF_HEAD_DIM; m++) {
        for (size_t j = n; j < AFI_WHOLE(n); j++) {
            turned[m * AFI_COLUMNS + j] = 0;
        }
    }
}

/// s[i][j] = sum over m of a[i][m] x[j][m], for n queries and n_keys rows of x: scores, or gradients of weights.
static void scores(af_real *const s, af_real *const turned, const af_real *const a, const af_real *const x,
                   const size_t n, const size_t n_keys) {
    turn(turned, x, n_keys);
    const struct product p = {.c = s,
                              .a = a,
                              .b = turned,
                              .c_row = AFI_COLUMNS,
                              .a_row = AF_DIM,
                              .a_sum = 1,
                              .b_sum = AFI_COLUMNS,
                              .b_panel = AF_LANES,
                              .n_rows = n,
                              .n_columns = AFI_WHOLE(n_keys),
                              .n_sum = AF_HEAD_DIM,
                              .start = zeros,
                              .is_padded = true};
    multiply(&p);
}

static void softmax_row(af_real *const weight, af_real *const s, const af_real root, const size_t n) {
    const af_real lowest = -af_real_of(AF_INFINITY_BITS);
    af_real max = lowest;
    for (size_t j = 0; j < AFI_WHOLE(n); j++) {
        s[j] = s[j] / root;
    }
    for (size_t j = 0; j < n; j++) {
        max = s[j] > max ? s[j] : max;
    }
    for (size_t j = 0; j < AFI_WHOLE(n); j++) {
        s[j] = af_exp(s[j] - max);
    }
    af_real sum = 0;
    for (size_t j = 0; j < n; j++) {
        sum += s[j];
    }
    for (size_t j = 0; j < n; j++) {
        weight[j] = s[j] / sum;
    }
    for (size_t j = n; j < AF_CONTEXT; j++) {
        weight[j] = 0;
    }
}

/// heads[i][h] = sum over j of att[i][h][j] v[j], for n queries of head h.
static void weighted_values(af_real *const heads, const af_real *const att, const af_real *const kv, const size_t h,
                            const size_t n, const size_t n_keys) {
    const struct product p = {.c = &heads[h * AF_HEAD_DIM],
                              .a = &att[h * AF_CONTEXT],
                              .b = &kv[AF_DIM + h * AF_HEAD_DIM],
                              .c_row = AF_DIM,
                              .a_row = AFI_ATT_ROW,
                              .a_sum = 1,
                              .b_sum = AFI_KV_ROW,
                              .b_panel = AF_LANES,
                              .n_rows = n,
                              .n_columns = AF_HEAD_DIM,
                              .n_sum = n_keys,
                              .start = zeros,
                              .is_padded = false};
    multiply(&p);
}

/// One query, as in decoding: the dot products with AFI_SIDE_BY_SIDE keys run together, without a transposed copy. Not
/// inlined, or its scores would be on the stack of every attention.
__attribute__((noinline)) static void attention_row(af_real *const heads, af_real *const att, const af_real *const q,
                                                    const af_real *const kv, const size_t n_keys) {
    const af_real root = AF_SCORE_DIVISOR;
    for (size_t h = 0; h < AF_HEADS; h++) {
        const size_t c = h * AF_HEAD_DIM;
        af_real s[AFI_COLUMNS] = {0};
        for (size_t j = 0; j < AFI_WHOLE(n_keys); j += AFI_SIDE_BY_SIDE) {
            af_real dot[AFI_SIDE_BY_SIDE] = {0};
            const size_t last = n_keys - 1;
            for (size_t m = 0; m < AF_HEAD_DIM; m++) {
                AFI_UNROLL for (size_t k = 0; k < AFI_SIDE_BY_SIDE; k++) {
                    const size_t key = j + k < last ? j + k : last; // behind the last key: any key will do
                    dot[k] += q[c + m] * kv[key * AFI_KV_ROW + c + m];
                }
            }
            for (size_t k = 0; k < AFI_SIDE_BY_SIDE; k++) {
                s[j + k] = dot[k];
            }
        }
        softmax_row(&att[h * AF_CONTEXT], s, root, n_keys);
        weighted_values(heads, att, kv, h, 1, n_keys);
    }
}

#if AF_SOFTMAX_QUERIES

/// The weights of a head from its scores: for each key a softmax over the queries that see it, keys side by side.
static void softmax_plane(af_real *const weight, af_real *const s, const af_real root, const size_t first,
                          const size_t n, const size_t n_keys) {
    const af_real lowest = -af_real_of(AF_INFINITY_BITS);
    af_real max[AFI_COLUMNS];
    af_real sum[AFI_COLUMNS];
    for (size_t j = 0; j < n_keys; j++) {
        max[j] = lowest;
        sum[j] = 0;
    }
    for (size_t i = 0; i < n; i++) {
        af_real *const row = &s[i * AFI_COLUMNS];
        for (size_t j = 0; j < af_keys_seen(first + i, n_keys); j++) {
            row[j] = row[j] / root;
            max[j] = row[j] > max[j] ? row[j] : max[j];
        }
    }
    for (size_t i = 0; i < n; i++) {
        af_real *const row = &s[i * AFI_COLUMNS];
        for (size_t j = 0; j < af_keys_seen(first + i, n_keys); j++) {
            row[j] = af_exp(row[j] - max[j]);
            sum[j] += row[j];
        }
    }
    for (size_t i = 0; i < n; i++) {
        const size_t n_seen = af_keys_seen(first + i, n_keys);
        for (size_t j = 0; j < AF_CONTEXT; j++) {
            weight[i * AFI_ATT_ROW + j] = j < n_seen ? s[i * AFI_COLUMNS + j] / sum[j] : AF_R(0);
        }
    }
}

/// From gradients of a head's weights to those of its dot products, in place.
static void plane_backward(af_real *const d, const af_real *const weight, const af_real root, const size_t first,
                           const size_t n, const size_t n_keys) {
    af_real dot[AFI_COLUMNS] = {0};
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < af_keys_seen(first + i, n_keys); j++) {
            dot[j] += weight[i * AFI_ATT_ROW + j] * d[i * AFI_COLUMNS + j];
        }
    }
    for (size_t i = 0; i < n; i++) {
        const size_t n_seen = af_keys_seen(first + i, n_keys);
        for (size_t j = 0; j < n_keys; j++) {
            d[i * AFI_COLUMNS + j] =
                j < n_seen ? weight[i * AFI_ATT_ROW + j] * (d[i * AFI_COLUMNS + j] - dot[j]) / root : AF_R(0);
        }
    }
}

#else

/// The weights of a head from its scores: for each query a softmax over the keys that it sees.
static void softmax_plane(af_real *const weight, af_real *const s, const af_real root, const size_t first,
                          const size_t n, const size_t n_keys) {
    for (size_t i = 0; i < n; i++) {
        softmax_row(&weight[i * AFI_ATT_ROW], &s[i * AFI_COLUMNS], root, af_keys_seen(first + i, n_keys));
    }
}

/// From gradients of a head's weights to those of its dot products, in place.
static void plane_backward(af_real *const d_att, const af_real *const weight, const af_real root, const size_t first,
                           const size_t n, const size_t n_keys) {
    for (size_t i = 0; i < n; i++) {
        const af_real *const w = &weight[i * AFI_ATT_ROW];
        af_real *const d = &d_att[i * AFI_COLUMNS];
        const size_t n_seen = af_keys_seen(first + i, n_keys);
        af_real dot = 0;
        for (size_t j = 0; j < n_seen; j++) {
            dot += w[j] * d[j];
        }
        for (size_t j = 0; j < n_seen; j++) {
            d[j] = w[j] * (d[j] - dot) / root;
        }
        for (size_t j = n_seen; j < n_keys; j++) {
            d[j] = 0; // masked; not w[j] times d[j], which may be infinite
        }
    }
}

#endif

static void attention_forward(af_real *const heads, af_real *const att, af_real *const scratch, const af_real *const q,
                              const af_real *const kv, const size_t first, const size_t n, const size_t n_keys) {
    if (n == 1) {
        attention_row(heads, att, q, kv, af_keys_seen(first, n_keys));
        return;
    }
    const af_real root = AF_SCORE_DIVISOR;
    af_real *const turned = scratch;
    af_real *const s = &scratch[AF_HEAD_DIM * AFI_COLUMNS];
    for (size_t h = 0; h < AF_HEADS; h++) {
        const size_t c = h * AF_HEAD_DIM;
        scores(s, turned, &q[c], &kv[c], n, n_keys);
        softmax_plane(&att[h * AF_CONTEXT], s, root, first, n, n_keys);
        // Weights of masked keys are 0: adding 0 v to a sum that started at 0 changes no bit of it.
        weighted_values(heads, att, kv, h, n, n_keys);
    }
}

static void attention_backward(af_real *const d_q, af_real *const d_kv, af_real *const scratch,
                               const af_real *const d_heads, const af_real *const att, const af_real *const q,
                               const af_real *const kv, const size_t first, const size_t n, const size_t n_keys) {
    const af_real root = AF_SCORE_DIVISOR;
    af_real *const turned = scratch;
    af_real *const d_att = &scratch[AF_HEAD_DIM * AFI_COLUMNS];
    for (size_t h = 0; h < AF_HEADS; h++) {
        const size_t c = h * AF_HEAD_DIM;
        const af_real *const weight = &att[h * AF_CONTEXT];
        scores(d_att, turned, &d_heads[c], &kv[AF_DIM + c], n, n_keys);
        const struct product values = {.c = &d_kv[AF_DIM + c],
                                       .a = weight,
                                       .b = &d_heads[c],
                                       .c_row = AFI_KV_ROW,
                                       .a_row = 1,
                                       .a_sum = AFI_ATT_ROW,
                                       .b_sum = AF_DIM,
                                       .b_panel = AF_LANES,
                                       .n_rows = n_keys,
                                       .n_columns = AF_HEAD_DIM,
                                       .n_sum = n,
                                       .start = NULL,
                                       .is_padded = false};
        multiply(&values);
        plane_backward(d_att, weight, root, first, n, n_keys);
        const struct product queries = {.c = &d_q[c],
                                        .a = d_att,
                                        .b = &kv[c],
                                        .c_row = AF_DIM,
                                        .a_row = AFI_COLUMNS,
                                        .a_sum = 1,
                                        .b_sum = AFI_KV_ROW,
                                        .b_panel = AF_LANES,
                                        .n_rows = n,
                                        .n_columns = AF_HEAD_DIM,
                                        .n_sum = n_keys,
                                        .start = NULL,
                                        .is_padded = false};
        multiply(&queries);
        const struct product keys = {.c = &d_kv[c],
                                     .a = d_att,
                                     .b = &q[c],
                                     .c_row = AFI_KV_ROW,
                                     .a_row = 1,
                                     .a_sum = AFI_COLUMNS,
                                     .b_sum = AF_DIM,
                                     .b_panel = AF_LANES,
                                     .n_rows = n_keys,
                                     .n_columns = AF_HEAD_DIM,
                                     .n_sum = n,
                                     .start = NULL,
                                     .is_padded = false};
        multiply(&keys);
    }
}

// ------------------------------------------------------------------------------ loops that the compiler vectorises

static void gelu_forward(af_real *const y, af_real *const cdf, const af_real *const x, const size_t n) {
    if (cdf == NULL) {
        af_gelu_loop(y, x, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const af_real one_erf = af_one_erf(x[i]);
        cdf[i] = AF_R(0.5) * one_erf;
        y[i] = AF_R(0.5) * x[i] * one_erf;
    }
}

static void gelu_backward(af_real *const d_x, const af_real *const d_y, const af_real *const x,
                          const af_real *const cdf, const size_t n) {
    // First the slopes, in an array of their own: d_x may be d_y, and compilers that have to allow for other overlaps,
    // too, do not vectorise the loop.
    enum { CHUNK = 64 };
    af_real slope[CHUNK];
    for (size_t from = 0; from < n; from += CHUNK) {
        const size_t m = n - from < CHUNK ? n - from : (size_t)CHUNK;
        for (size_t i = 0; i < m; i++) {
            slope[i] = af_gelu_slope(x[from + i], cdf[from + i]);
        }
        for (size_t i = 0; i < m; i++) {
            d_x[from + i] = d_y[from + i] * slope[i];
        }
    }
}

static void adamw_update(af_real *const p, af_real *const m, af_real *const v, const af_real *const d,
                         const struct af_adamw how, const af_real c1, const af_real c2, const size_t n) {
    af_adamw_loop(p, m, v, d, how, c1, c2, n);
}

static af_status liberties(void) {
    return af_liberties(af_liberty_number);
}

const struct af_kernels AF_TILE_TABLE = {
    .name = AF_TILE_NAME,
    .needs_packed = true,
    .linear_forward = linear_forward,
    .layernorm_forward = layernorm_forward,
    .attention_forward = attention_forward,
    .gelu_forward = gelu_forward,
    .linear_backward_x = linear_backward_x,
    .linear_backward_w = linear_backward_w,
    .layernorm_backward_x = layernorm_backward_x,
    .layernorm_backward_w = layernorm_backward_w,
    .attention_backward = attention_backward,
    .gelu_backward = gelu_backward,
    .adamw_update = adamw_update,
    .liberties = liberties,
};

#endif
