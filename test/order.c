// SPDX-License-Identifier: MIT
// In which order does each sum of the library add its terms, on this machine, with this build? The headers say: with
// one accumulator, in index order (af_ops.h). This program finds out from results alone, as FPRev does (P. Xie, Y. Gao,
// J. Zhang, FPRev: Revealing the Order of Floating-Point Summation, 2024), and needs no C library: it runs on boards
// too.
//
// An order of n terms is a binary tree. Of terms i and j let L(i, j) be the number of terms under the addition in which
// they meet; these numbers determine the tree.
//
// Where terms may be negative, term i is made huge, term j its opposite, all others are 1: a 1 that is added to
// something before the huge ones have met is lost, so the sum is n - L(i, j).
//
// Where terms are positive, as behind an exponential, three of them are not 0: one is 1, two are a little less than
// half of its last place. Both are lost when each meets the 1 alone, and seen when they meet each other first. So of
// any three terms it is known which two meet first, and L(i, j) is 2 plus the number of k where these are not i and j.
//
// Of a sum of squares behind a root too few bits are left for that. There, random rows tell the documented order from
// others that a compiler or a kernel might choose.
//
// Prints "ok TABLE/SUM: ..." for each sum that is as documented, else "FAIL TABLE/SUM: ..." with the tree that was
// found.
// promise: sums-in-order
#include "af.h"
#include "af_inner_kernels.h"
#include "af_inner_pass.h"
#include "af_port.h"
#include "layers/layers.h"
#include "tables.h"

AF_STATIC_ASSERT(AF_TRAINING &&AF_CAUSAL && !AF_SOFTMAX_QUERIES && AF_CONTEXT >= 8, the_chapters_attention);

/// Rows whose gradients are added up: on a machine with tiles, more than these add in one go.
#define N_ROWS (AF_HAS_TILE ? 101 : 14)
#define N_KEYS (AF_HAS_TILE && AF_CONTEXT >= 16 ? 16 : 8) /* a power of two: so that 1 / N_KEYS is exact */
enum { N_MOST = N_ROWS > AF_DIM ? N_ROWS + 1 : AF_DIM + 1, N_FEW = 14, INVALID = 255 };
AF_STATIC_ASSERT(N_MOST < INVALID, numbers_of_terms_fit_into_a_byte);
AF_STATIC_ASSERT(AF_ROWS + 1 >= N_FEW, losses_fit_into_the_micro_batch);

#if AF_REAL_IS_DOUBLE
#define HUGE_TERM     AF_R(1152921504606846976.0) /* 2^60 */
#define LOG_OF_LITTLE AF_R(-36.8)                 /* its exponential is 0.94 of half the last place of 1 */
#define HUGE_LOSS     AF_R(576460752303423488.0)  /* 2^59: its last place is worth 128 */
#else
#define HUGE_TERM     AF_R(8589934592.0) /* 2^33 */
#define LOG_OF_LITTLE AF_R(-16.7)
#define HUGE_LOSS     AF_R(1073741824.0)
#endif
#define LOG_OF_NOTHING AF_R(-2000.0)
#define LITTLE_LOSS    AF_R(60.0)

// -------------------------------------------------------------------------------------------------------- console

static int n_failed;

static void print(const char *const text) {
    size_t n = 0;
    while (text[n] != '\0') {
        n++;
    }
    af_port_write(text, n);
}

static void print_whole(size_t n) {
    char text[24];
    size_t from = sizeof(text) - 1;
    text[from] = '\0';
    do {
        text[--from] = (char)('0' + n % 10);
        n /= 10;
    } while (n > 0);
    print(&text[from]);
}

static void verdict(const bool is_good, const char *const table, const char *const name) {
    n_failed += is_good ? 0 : 1;
    print(is_good ? "ok " : "FAIL ");
    print(table);
    print("/");
    print(name);
    print(": ");
}

// ---------------------------------------------------------------------------------------------------------- trees

static uint8_t meet[N_MOST][N_MOST]; // L(i, j), INVALID where a result made no sense

/// Prints the tree of the terms in `leaf`: those that meet leaf[0] first come first.
static void print_tree(const uint8_t *const leaf, const size_t n) {
    uint8_t group[N_MOST];
    for (size_t k = 1; k < n; k++) {
        bool is_new = true;
        for (size_t m = 1; m < k; m++) {
            is_new = is_new && meet[leaf[0]][leaf[m]] != meet[leaf[0]][leaf[k]];
        }
        print(is_new ? "(" : "");
    }
    print_whole(leaf[0]);
    for (unsigned level = 0; level <= INVALID; level++) {
        size_t n_group = 0;
        for (size_t k = 1; k < n; k++) {
            if (meet[leaf[0]][leaf[k]] == level) {
                group[n_group++] = leaf[k];
            }
        }
        if (n_group > 0) {
            print(" + ");
            print_tree(group, n_group);
            print(level == INVALID ? "?)" : ")");
        }
    }
}

/// Judges what was found: terms that are added one after another meet when the later one comes.
static void judge(const char *const table, const char *const name, const size_t n) {
    uint8_t leaf[N_MOST];
    bool is_good = true;
    for (size_t j = 0; j < n; j++) {
        leaf[j] = (uint8_t)j;
        for (size_t i = 0; i < j; i++) {
            is_good = is_good && meet[i][j] == j + 1;
        }
    }
    verdict(is_good, table, name);
    if (is_good) {
        print_whole(n);
        print(" terms, one after another\n");
    } else {
        print_tree(leaf, n);
        print("\n");
    }
}

/// A sum that may have negative terms: returns what the n terms v add up to.
typedef af_real sum(const struct af_kernels *k, const af_real *v, size_t n);

static void find(const struct af_kernels *const k, const char *const name, sum *const add, const size_t n) {
    af_real v[N_MOST];
    for (size_t i = 0; i < n; i++) {
        v[i] = 1;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            v[i] = HUGE_TERM;
            v[j] = -HUGE_TERM;
            const af_real got = add(k, v, n);
            v[i] = 1;
            v[j] = 1;
            const size_t n_seen = got > AF_R(-0.1) && got < (af_real)n ? (size_t)(got + AF_R(0.5)) : n;
            const af_real off = got - (af_real)n_seen;
            const bool is_whole = off > AF_R(-0.1) && off < AF_R(0.1) && n_seen + 2 <= n;
            meet[i][j] = meet[j][i] = (uint8_t)(is_whole ? n - n_seen : INVALID);
        }
    }
    judge(k->name, name, n);
}

/// What a positive term is.
enum size { NOTHING, LITTLE, LARGE };

/// A sum of positive terms, of which number `large` is LARGE: returns whether more than that is left of it.
typedef bool positive_sum(const struct af_kernels *k, const enum size *v, size_t n, size_t large);

static bool meet_first(const struct af_kernels *const k, positive_sum *const add, const size_t n, const size_t i,
                       const size_t j, const size_t large) {
    enum size v[N_MOST];
    for (size_t m = 0; m < n; m++) {
        v[m] = m == i || m == j ? LITTLE : m == large ? LARGE : NOTHING;
    }
    return add(k, v, n, large);
}

static void find_positive(const struct af_kernels *const k, const char *const name, positive_sum *const add,
                          const size_t n) {
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            meet[i][j] = meet[j][i] = 2;
        }
    }
    for (size_t c = 0; c < n; c++) {
        for (size_t b = 0; b < c; b++) {
            for (size_t a = 0; a < b; a++) {
                const bool ab = meet_first(k, add, n, a, b, c);
                const bool ac = meet_first(k, add, n, a, c, b);
                const bool bc = meet_first(k, add, n, b, c, a);
                const bool is_clear = (ab ? 1 : 0) + (ac ? 1 : 0) + (bc ? 1 : 0) == 1;
                meet[a][b] = (uint8_t)(is_clear ? meet[a][b] + (ab ? 0 : 1) : INVALID);
                meet[a][c] = (uint8_t)(is_clear ? meet[a][c] + (ac ? 0 : 1) : INVALID);
                meet[b][c] = (uint8_t)(is_clear ? meet[b][c] + (bc ? 0 : 1) : INVALID);
                meet[b][a] = meet[a][b];
                meet[c][a] = meet[a][c];
                meet[c][b] = meet[b][c];
            }
        }
    }
    judge(k->name, name, n);
}

/// The common value of n results, or if they are not all the same, one that makes no sense.
static af_real common(const af_real *const x, const size_t n) {
    for (size_t i = 1; i < n; i++) {
        if (!(x[i] >= x[0] && x[i] <= x[0])) {
            return AF_R(-1);
        }
    }
    return x[0];
}

static void fill(af_real *const x, const size_t n, const af_real value) {
    for (size_t i = 0; i < n; i++) {
        x[i] = value;
    }
}

// --------------------------------------------------------------------------------------------------- linear layer

// All outputs have the same terms, so that tiles of every height and rests of every width show up.
enum { MANY = AF_HAS_TILE ? 37 : 5 };
static af_real x_[N_ROWS * N_ROWS], y_[N_ROWS * N_ROWS], d_[N_ROWS * N_ROWS], bias_[N_ROWS];
static af_real packed_[(N_ROWS + AF_LANES) * N_ROWS];

static af_real forward(const struct af_kernels *const k, const af_real *const v, const size_t n, const size_t n_rows,
                       const size_t n_out) {
    struct af_layer layer = {d_, bias_, packed_, NULL, n - 1, n_out};
    fill(d_, layer.n_in * n_out, AF_R(1));
    fill(bias_, n_out, v[0]);
    for (size_t r = 0; r < n_rows; r++) {
        for (size_t i = 1; i < n; i++) {
            x_[r * (n - 1) + i - 1] = v[i];
        }
    }
    af_pack(packed_, d_, layer.n_in, 1, n_out, layer.n_in);
    k->linear_forward(y_, x_, &layer, n_rows);
    return common(y_, n_rows * n_out);
}

static af_real linear_forward(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    return forward(k, v, n, MANY, MANY);
}

static af_real linear_forward_of_one_row(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    return forward(k, v, n, 1, N_ROWS);
}

static af_real backward_x(const struct af_kernels *const k, const af_real *const v, const size_t n_out,
                          const bool adds) {
    struct af_layer layer = {d_, bias_, NULL, packed_, MANY, n_out};
    fill(d_, MANY * n_out, AF_R(1));
    fill(y_, (size_t)MANY * MANY, adds ? v[-1] : AF_R(0));
    for (size_t r = 0; r < MANY; r++) {
        for (size_t o = 0; o < n_out; o++) {
            x_[r * n_out + o] = v[o];
        }
    }
    af_pack(packed_, d_, 1, MANY, MANY, n_out);
    k->linear_backward_x(y_, x_, &layer, MANY, adds);
    return common(y_, (size_t)MANY * MANY);
}

static af_real linear_backward_x(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    return backward_x(k, v, n, false);
}

static af_real linear_backward_x_adds(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    return backward_x(k, &v[1], n - 1, true);
}

static void backward_w(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    fill(y_, (size_t)MANY * MANY, v[0]);
    fill(bias_, MANY, v[0]);
    fill(x_, (n - 1) * MANY, AF_R(1));
    for (size_t r = 0; r + 1 < n; r++) {
        fill(&d_[r * MANY], MANY, v[r + 1]);
    }
    k->linear_backward_w(y_, bias_, d_, x_, n - 1, MANY, MANY, 0, MANY);
}

static af_real linear_backward_w(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    backward_w(k, v, n);
    return common(y_, (size_t)MANY * MANY);
}

static af_real linear_backward_b(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    backward_w(k, v, n);
    return common(bias_, MANY);
}

static void linear(const struct af_kernels *const k) {
    find(k, "linear-forward", linear_forward, N_ROWS + 1);
    find(k, "linear-forward-of-one-row", linear_forward_of_one_row, N_ROWS + 1);
    find(k, "linear-gradient-of-x", linear_backward_x, N_ROWS);
    find(k, "linear-gradient-of-x-added", linear_backward_x_adds, N_ROWS + 1);
    find(k, "linear-gradient-of-weights", linear_backward_w, N_ROWS + 1);
    find(k, "linear-gradient-of-bias", linear_backward_b, N_ROWS + 1);
}

// ----------------------------------------------------------------------------------------------------- layer norm

enum { N_NORMS = AF_HAS_TILE ? 9 : 1, N_ALL = N_NORMS * AF_DIM, N_RANDOM = 32 };
static af_real in_[N_ROWS * AF_DIM], out_[N_ROWS * AF_DIM], d_out_[N_ROWS * AF_DIM], gain_[AF_DIM], shift_[AF_DIM];
static af_real mean_[N_ROWS + N_RANDOM], rstd_[N_ROWS + N_RANDOM];

/// Rows that all are the terms v.
static void repeat(af_real *const x, const af_real *const v, const size_t n, const size_t n_rows) {
    for (size_t i = 0; i < n * n_rows; i++) {
        x[i] = v[i % n];
    }
}

/// The place of a term that is 1.
static size_t one_of(const af_real *const v) {
    size_t i = 0;
    while (v[i] > AF_R(1) || v[i] < AF_R(0)) {
        i++;
    }
    return i;
}

static af_real norm_mean(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    repeat(in_, v, n, N_NORMS);
    k->layernorm_forward(out_, mean_, rstd_, in_, gain_, shift_, N_NORMS);
    return common(mean_, N_NORMS) * AF_R(AF_DIM);
}

/// d_x = rstd (h - mean(h) - z mean(h z)), with rstd 1, h = d_y; read where d_y is 1.
static af_real norm_backward(const struct af_kernels *const k, const size_t at) {
    fill(out_, N_ALL, AF_R(0));
    fill(mean_, N_NORMS, AF_R(0));
    fill(rstd_, N_NORMS, AF_R(1));
    fill(gain_, AF_DIM, AF_R(1));
    k->layernorm_backward_x(out_, d_out_, in_, mean_, rstd_, gain_, N_NORMS);
    for (size_t r = 0; r < N_NORMS; r++) {
        bias_[r] = out_[r * AF_DIM + at];
    }
    return common(bias_, N_NORMS);
}

static af_real norm_backward_h(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    repeat(d_out_, v, n, N_NORMS);
    fill(in_, N_ALL, AF_R(0)); // z = 0
    return (AF_R(1) - norm_backward(k, one_of(v))) * AF_R(AF_DIM);
}

static af_real norm_backward_hz(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    repeat(in_, v, n, N_NORMS); // z = v
    fill(d_out_, N_ALL, AF_R(1));
    return -norm_backward(k, one_of(v)) * AF_R(AF_DIM);
}

static void norm_weights(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    fill(in_, (n - 1) * AF_DIM, AF_R(1));
    fill(mean_, n - 1, AF_R(0));
    fill(rstd_, n - 1, AF_R(1)); // z = 1
    fill(gain_, AF_DIM, v[0]);
    fill(shift_, AF_DIM, v[0]);
    for (size_t r = 0; r + 1 < n; r++) {
        fill(&d_out_[r * AF_DIM], AF_DIM, v[r + 1]);
    }
    k->layernorm_backward_w(gain_, shift_, d_out_, in_, mean_, rstd_, n - 1);
}

static af_real norm_backward_gain(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    norm_weights(k, v, n);
    return common(gain_, AF_DIM);
}

static af_real norm_backward_bias(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    norm_weights(k, v, n);
    return common(shift_, AF_DIM);
}

/// Orders that a sum of squares might have: so many accumulators side by side, which are added at the end.
static const size_t orders[] = {1, 0, 2, 3, 4, 8, 16};
static const char *const order_names[] = {", one after another",   ", the last one first", ", 2 accumulators",
                                          ", neighbours in pairs", ", 4 accumulators",     ", 8 accumulators",
                                          ", 16 accumulators"};
enum { N_ORDERS = sizeof(orders) / sizeof(orders[0]), BACKWARDS = 0, PAIRS = 3 };

static af_real sum_in(const size_t order, const af_real *const x, const size_t n) {
    af_real part[AF_DIM];
    size_t n_parts = order == BACKWARDS ? 1 : order == PAIRS ? n : order;
    for (size_t i = 0; i < n_parts; i++) {
        part[i] = 0;
    }
    for (size_t i = 0; i < n; i++) {
        part[i % n_parts] += x[order == BACKWARDS ? n - 1 - i : i];
    }
    while (order == PAIRS && n_parts > 1) {
        for (size_t i = 0; i < n_parts / 2; i++) {
            part[i] = part[2 * i] + part[2 * i + 1];
        }
        if (n_parts % 2 == 1) {
            part[n_parts / 2] = part[n_parts - 1];
        }
        n_parts = (n_parts + 1) / 2;
    }
    for (size_t i = 1; i < n_parts; i++) {
        part[0] += part[i];
    }
    return part[0];
}

/// The root of a row's variance and eps, with the squares added in an order.
static af_real spread_in(const size_t order, const af_real *const row, const af_real mean) {
    af_real square[AF_DIM];
    for (size_t i = 0; i < AF_DIM; i++) {
        square[i] = (row[i] - mean) * (row[i] - mean);
    }
    return af_sqrt(sum_in(order, square, AF_DIM) / AF_R(AF_DIM) + AF_R(AF_LAYERNORM_EPS));
}

/// Rows of whole numbers, whose mean has no error in any order.
static void draw_rows(af_real *const x, const size_t n, uint32_t *const word) {
    for (size_t i = 0; i < n; i++) {
        *word = *word * 1664525U + 1013904223U;
        x[i] = (af_real)(int32_t)(*word >> 20) - AF_R(2048);
        x[i] = AF_REAL_IS_DOUBLE ? x[i] * AF_R(32749.0) : x[i];
    }
}

/// `layers`: of n7_norm_forward(), which gives the root, not its inverse.
static void norm_squares(const struct af_kernels *const k, const bool layers) {
    bool fits[N_ORDERS];
    uint32_t word = 1;
    for (size_t o = 0; o < N_ORDERS; o++) { // an accumulator for each term is none at all
        fits[o] = orders[o] < AF_DIM;
    }
    for (size_t r = 0; r < N_RANDOM; r++) {
        draw_rows(in_, AF_DIM, &word);
        repeat(in_, in_, AF_DIM, N_NORMS);
        if (layers) {
            n7_norm_forward(out_, rstd_, in_, N_NORMS, AF_DIM);
        } else {
            k->layernorm_forward(out_, mean_, rstd_, in_, gain_, shift_, N_NORMS);
        }
        const af_real got = common(rstd_, N_NORMS);
        const af_real mean = sum_in(1, in_, AF_DIM) / AF_R(AF_DIM);
        for (size_t o = 0; o < N_ORDERS; o++) {
            const af_real spread = spread_in(orders[o], in_, mean);
            const af_real expected = layers ? spread : AF_R(1) / spread;
            fits[o] = fits[o] && got >= expected && got <= expected;
        }
    }
    size_t n_fits = 0;
    for (size_t o = 0; o < N_ORDERS; o++) {
        n_fits += fits[o] ? 1 : 0;
    }
    verdict(fits[0] && n_fits == 1, k->name, "norm-sum-of-squares");
    print_whole(AF_DIM);
    print(" terms");
    for (size_t o = 0; o < N_ORDERS; o++) {
        print(fits[o] ? order_names[o] : "");
    }
    print(n_fits == 0 ? ", in no order that was thought of\n" : "\n");
}

static void norm(const struct af_kernels *const k) {
    find(k, "norm-mean", norm_mean, AF_DIM);
    norm_squares(k, false);
    find(k, "norm-gradient-sum-of-h", norm_backward_h, AF_DIM);
    find(k, "norm-gradient-sum-of-h-z", norm_backward_hz, AF_DIM);
    find(k, "norm-gradient-of-gain", norm_backward_gain, N_ROWS + 1);
    find(k, "norm-gradient-of-bias", norm_backward_bias, N_ROWS + 1);
}

// ------------------------------------------------------------------------------------------------------ attention

static struct {
    af_real q[N_KEYS][AF_DIM], kv[N_KEYS][2 * AF_DIM], heads[N_KEYS][AF_DIM], att[N_KEYS][AF_HEADS][AF_CONTEXT];
    af_real d_q[N_KEYS][AF_DIM], d_kv[N_KEYS][2 * AF_DIM], scratch[AF_SCRATCH_REALS];
} a_;

/// Numbers of the first component of every head: a row of queries, keys or values.
static void set(af_real *const row, const af_real value) {
    for (size_t h = 0; h < AF_HEADS; h++) {
        row[h * AF_HEAD_DIM] = value;
    }
}

static af_real first_of_heads(const af_real *const row) {
    af_real value[AF_HEADS];
    for (size_t h = 0; h < AF_HEADS; h++) {
        value[h] = row[h * AF_HEAD_DIM];
    }
    return common(value, AF_HEADS);
}

static void set_weight(const size_t query, const size_t key, const af_real value) {
    for (size_t h = 0; h < AF_HEADS; h++) {
        a_.att[query][h][key] = value;
    }
}

static void clear(void) {
    fill(a_.q[0], (size_t)N_KEYS * AF_DIM, AF_R(0));
    fill(a_.kv[0], (size_t)N_KEYS * 2 * AF_DIM, AF_R(0));
    fill(a_.heads[0], (size_t)N_KEYS * AF_DIM, AF_R(0));
    fill(a_.att[0][0], (size_t)N_KEYS * AF_HEADS * AF_CONTEXT, AF_R(0));
    fill(a_.d_q[0], (size_t)N_KEYS * AF_DIM, AF_R(0));
    fill(a_.d_kv[0], (size_t)N_KEYS * 2 * AF_DIM, AF_R(0));
}

/// Attention of the last n queries of n_keys.
static void attend(const struct af_kernels *const k, const size_t n, const size_t n_keys) {
    k->attention_forward(a_.heads[0], a_.att[0][0], a_.scratch, a_.q[0], a_.kv[0], n_keys - n, n, n_keys);
}

static void attend_backward(const struct af_kernels *const k, const size_t n) {
    k->attention_backward(a_.d_q[0], a_.d_kv[0], a_.scratch, a_.heads[0], a_.att[0][0], a_.q[0], a_.kv[0], 0, n, n);
}

/// The score of one of two keys is root / sqrt(dk), the other's 0: the sum is read from the ratio of their weights.
static af_real scores_of(const struct af_kernels *const k, const af_real *const v, const size_t n_queries) {
    const size_t last = n_queries - 1;
    clear();
    for (size_t m = 0; m < AF_DIM; m++) {
        a_.q[last][m] = v[m % AF_HEAD_DIM];
        a_.kv[0][m] = 1;
    }
    attend(k, n_queries, 2);
    af_real sums[AF_HEADS];
    for (size_t h = 0; h < AF_HEADS; h++) {
        sums[h] = af_log(a_.att[last][h][0] / a_.att[last][h][1]) * AF_SCORE_DIVISOR;
    }
    return common(sums, AF_HEADS);
}

static af_real scores(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    (void)n;
    return scores_of(k, v, 2);
}

static af_real scores_of_one_query(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    (void)n;
    return scores_of(k, v, 1);
}

static bool softmax_of(const struct af_kernels *const k, const enum size *const v, const size_t n_keys,
                       const size_t large, const size_t n_queries) {
    const size_t last = n_queries - 1;
    clear();
    set(a_.q[last], AF_R(1));
    for (size_t j = 0; j < n_keys; j++) {
        const af_real logarithm = v[j] == LARGE ? AF_R(0) : v[j] == LITTLE ? LOG_OF_LITTLE : LOG_OF_NOTHING;
        set(a_.kv[j], logarithm * AF_SCORE_DIVISOR);
    }
    attend(k, n_queries, n_keys);
    return a_.att[last][AF_HEADS - 1][large] < AF_R(1);
}

static bool softmax(const struct af_kernels *const k, const enum size *const v, const size_t n, const size_t large) {
    return softmax_of(k, v, n, large, 2);
}

static bool softmax_of_one_query(const struct af_kernels *const k, const enum size *const v, const size_t n,
                                 const size_t large) {
    return softmax_of(k, v, n, large, 1);
}

/// All scores are 0, so the weights are 1 / n.
static af_real outputs_of(const struct af_kernels *const k, const af_real *const v, const size_t n_queries) {
    clear();
    for (size_t j = 0; j < N_KEYS; j++) {
        fill(&a_.kv[j][AF_DIM], AF_DIM, v[j]);
    }
    attend(k, n_queries, N_KEYS);
    return common(a_.heads[n_queries - 1], AF_DIM) * AF_R(N_KEYS);
}

static af_real outputs(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    (void)n;
    return outputs_of(k, v, 2);
}

static af_real outputs_of_one_query(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    (void)n;
    return outputs_of(k, v, 1);
}

// With weights of our own, d_score = w (d_w - dot) / sqrt(dk).

/// d_w = sum of d_out v: of two keys with the weights 1/2 and 0, d_score = d_w / (4 sqrt(dk)).
static af_real weights_backward(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    (void)n;
    clear();
    for (size_t m = 0; m < AF_DIM; m++) {
        a_.heads[1][m] = v[m % AF_HEAD_DIM];
        a_.kv[0][AF_DIM + m] = 1;
    }
    set_weight(1, 0, AF_R(0.5));
    set(a_.kv[0], AF_R(1));
    attend_backward(k, 2);
    return first_of_heads(a_.d_q[1]) * (AF_R(4) * AF_SCORE_DIVISOR);
}

/// dot = sum of w d_w: the last key has d_w = 0, so its d_score is -dot / sqrt(dk).
static af_real dot_backward(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    clear();
    set(a_.heads[n], AF_R(1));
    set(a_.q[n], AF_R(1));
    for (size_t j = 0; j <= n; j++) {
        set(&a_.kv[j][AF_DIM], j < n ? v[j] : AF_R(0));
        set_weight(n, j, AF_R(1));
    }
    attend_backward(k, n + 1);
    return -first_of_heads(a_.d_kv[n]) * AF_SCORE_DIVISOR;
}

/// d_q = sum of d_score k, of the last query; all its d_score are the same.
static af_real queries_backward(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    const size_t n_keys = n - 1;
    const af_real d_score = (AF_R(1) - (af_real)n_keys) / AF_SCORE_DIVISOR;
    clear();
    set(a_.heads[n_keys - 1], AF_R(1));
    for (size_t j = 0; j < n_keys; j++) {
        set(&a_.kv[j][AF_DIM], AF_R(1));
        set(a_.kv[j], v[j + 1]);
        set_weight(n_keys - 1, j, AF_R(1));
    }
    set(a_.d_q[n_keys - 1], v[0] * d_score);
    attend_backward(k, n_keys);
    return first_of_heads(a_.d_q[n_keys - 1]) / d_score;
}

/// d_k = sum of d_score q, of key 0, which all queries see.
static af_real keys_backward(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    const af_real d_score = AF_R(0.25) / AF_SCORE_DIVISOR;
    clear();
    set(&a_.kv[0][AF_DIM], AF_R(1));
    for (size_t i = 0; i + 1 < n; i++) {
        set(a_.heads[i], AF_R(1));
        set(a_.q[i], v[i + 1]);
        set_weight(i, 0, AF_R(0.5));
    }
    set(a_.d_kv[0], v[0] * d_score);
    attend_backward(k, n - 1);
    return first_of_heads(a_.d_kv[0]) / d_score;
}

static af_real values_backward(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    clear();
    for (size_t i = 0; i + 1 < n; i++) {
        fill(a_.heads[i], AF_DIM, v[i + 1]);
        set_weight(i, 0, AF_R(1));
    }
    fill(&a_.d_kv[0][AF_DIM], AF_DIM, v[0]);
    attend_backward(k, n - 1);
    return common(&a_.d_kv[0][AF_DIM], AF_DIM);
}

static void attention(const struct af_kernels *const k) {
    find(k, "attention-scores", scores, AF_HEAD_DIM);
    find(k, "attention-scores-of-one-query", scores_of_one_query, AF_HEAD_DIM);
    find_positive(k, "attention-softmax", softmax, N_KEYS);
    find_positive(k, "attention-softmax-of-one-query", softmax_of_one_query, N_KEYS);
    find(k, "attention-outputs", outputs, N_KEYS);
    find(k, "attention-outputs-of-one-query", outputs_of_one_query, N_KEYS);
    find(k, "attention-gradient-of-weights", weights_backward, AF_HEAD_DIM);
    find(k, "attention-gradient-of-softmax", dot_backward, N_KEYS - 1);
    find(k, "attention-gradient-of-queries", queries_backward, N_KEYS + 1);
    find(k, "attention-gradient-of-keys", keys_backward, N_KEYS + 1);
    find(k, "attention-gradient-of-values", values_backward, N_KEYS + 1);
}

// ---------------------------------------------------------------- what is the same with every table of kernels

static bool plain_softmax(const struct af_kernels *const k, const enum size *const v, const size_t n,
                          const size_t large) {
    (void)k;
    for (size_t j = 0; j < n; j++) {
        x_[j] = v[j] == LARGE ? AF_R(0) : v[j] == LITTLE ? LOG_OF_LITTLE : LOG_OF_NOTHING;
    }
    af_softmax(y_, x_, n);
    return y_[large] < AF_R(1);
}

static bool entropy_softmax(const struct af_kernels *const k, const enum size *const v, const size_t n,
                            const size_t large) {
    const af_token target = (af_token)((large + 1) % n);
    (void)k;
    for (size_t j = 0; j < n; j++) {
        x_[j] = v[j] == LARGE ? AF_R(0) : v[j] == LITTLE ? LOG_OF_LITTLE : LOG_OF_NOTHING;
    }
    af_real unused = 0;
    af_cross_entropy(y_, &unused, x_, &target, AF_R(1), 1);
    return y_[large] < AF_R(1);
}

static af_real loss_of(const enum size v) {
    return v == LARGE ? HUGE_LOSS : v == LITTLE ? LITTLE_LOSS : AF_R(0);
}

// Not the whole arena: with everything above it would not fit into the smallest board. Linker scripts place by name.
static union af_plane af_arena_weight;
static union af_work af_arena_work;

/// With logits -x, 0, and very small ones, the loss of target 0 is x; term 0 is what the sum starts from.
static bool loss(const struct af_kernels *const k, const enum size *const v, const size_t n, const size_t large) {
    const struct af_model model = {.weight = &af_arena_weight, .work = &af_arena_work};
    struct af_train *const train = &af_arena_work.train;
    (void)k;
    (void)large;
    for (size_t r = 0; r + 1 < n; r++) {
        train->target[r] = v[r + 1] == NOTHING ? AF_IGNORE : 0;
        fill(train->logits[r], AF_VOCAB, -2 * HUGE_LOSS);
        train->logits[r][0] = -loss_of(v[r + 1]);
        train->logits[r][1] = 0;
    }
    train->row_start[0] = 0;
    train->row_start[1] = (af_index)(n - 1);
    train->query_start[0] = 0;
    train->query_start[1] = (af_index)(n - 1);
    af_real total = loss_of(v[0]);
    return af_pass_loss(&model, 1, AF_R(1), &total) == AF_OK && total > HUGE_LOSS;
}

static void embed(const af_real *const v, const size_t n) {
    static const af_token token[N_ROWS];
    static const af_index position[N_ROWS];
    fill(gain_, AF_DIM, v[0]);
    fill(shift_, AF_DIM, v[0]);
    for (size_t r = 0; r + 1 < n; r++) {
        fill(&in_[r * AF_DIM], AF_DIM, v[r + 1]);
    }
    af_embedding_backward(gain_, shift_, in_, token, position, n - 1, 0, AF_DIM);
}

static af_real token_backward(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    (void)k;
    embed(v, n);
    return common(gain_, AF_DIM);
}

static af_real position_backward(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    (void)k;
    embed(v, n);
    return common(shift_, AF_DIM);
}

static void others(void) {
    const struct af_kernels *const k = &af_kernels_plain;
    find_positive(k, "softmax", plain_softmax, N_FEW);
    find_positive(k, "cross-entropy", entropy_softmax, AF_VOCAB < N_FEW ? AF_VOCAB : N_FEW);
    find_positive(k, "loss", loss, N_FEW);
    find(k, "embedding-gradient-of-tokens", token_backward, N_FEW);
    find(k, "embedding-gradient-of-positions", position_backward, N_FEW);
}

// ------------------------------------------------------------------------------------------ the sums of layers.h

static af_real matmul_forward(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    (void)k;
    repeat(x_, v, n, MANY);
    fill(d_, n * MANY, AF_R(1));
    n7_matmul_forward(y_, x_, d_, MANY, n, MANY);
    return common(y_, (size_t)MANY * MANY);
}

static af_real matmul_backward_x(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    (void)k;
    repeat(x_, &v[1], n - 1, MANY);
    fill(d_, (n - 1) * MANY, AF_R(1));
    fill(y_, (size_t)MANY * MANY, v[0]);
    n7_matmul_backward_x(y_, x_, d_, MANY, MANY, n - 1);
    return common(y_, (size_t)MANY * MANY);
}

static af_real matmul_backward_w(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    (void)k;
    for (size_t r = 0; r + 1 < n; r++) {
        fill(&d_[r * MANY], MANY, v[r + 1]);
    }
    fill(x_, (n - 1) * MANY, AF_R(1));
    fill(y_, (size_t)MANY * MANY, v[0]);
    n7_matmul_backward_w(y_, d_, x_, n - 1, MANY, MANY);
    return common(y_, (size_t)MANY * MANY);
}

/// y = (x - mean) / spread, read where x is 1.
static af_real layers_mean(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    (void)k;
    n7_norm_forward(y_, rstd_, v, 1, n);
    return (AF_R(1) - y_[one_of(v)] * rstd_[0]) * (af_real)n;
}

/// d_x = (d_y - mean(d_y) - y mean(d_y y)) / spread
static af_real layers_norm_backward(const af_real *const d_y, const af_real *const y, const size_t n, const size_t at) {
    rstd_[0] = 1;
    fill(d_, n, AF_R(0));
    n7_norm_backward(d_, d_y, y, rstd_, 1, n);
    return d_[at];
}

static af_real layers_backward_h(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    (void)k;
    fill(y_, n, AF_R(0));
    return (AF_R(1) - layers_norm_backward(v, y_, n, one_of(v))) * (af_real)n;
}

static af_real layers_backward_hz(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    (void)k;
    fill(x_, n, AF_R(1));
    return -layers_norm_backward(x_, v, n, one_of(v)) * (af_real)n;
}

/// Terms so small that tanh does not saturate, read through its inverse.
static af_real recurrent(const af_real *const v, const size_t n, const bool of_input) {
    for (size_t i = 0; i < n * n; i++) {
        x_[i] = v[i % n] / AF_R(128);
    }
    fill(d_, n * n, AF_R(0));
    fill(bias_, n, AF_R(1));
    n7_rnn_forward(y_, bias_, bias_, of_input ? d_ : x_, of_input ? x_ : d_, n, n);
    const af_real h = common(y_, n);
    return AF_R(64) * af_log((1 + h) / (1 - h));
}

static af_real recurrent_state(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    (void)k;
    return recurrent(v, n, false);
}

static af_real recurrent_input(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    (void)k;
    return recurrent(v, n, true);
}

/// h = 0, where the slope of tanh is 1. Returns d_h, leaves d_in in bias_.
static af_real recurrent_backward(const af_real *const v, const size_t n) {
    const size_t d = n - 1;
    for (size_t i = 0; i < d * d; i++) {
        x_[i] = v[1 + i / d];
    }
    fill(d_, d, AF_R(1));
    fill(&d_[d], d, AF_R(0));
    fill(gain_, d, v[0]);
    fill(bias_, d, v[0]);
    n7_rnn_backward(gain_, bias_, y_, &y_[d * d], d_, &d_[d], d_, d_, x_, x_, d, d);
    return common(gain_, d);
}

static af_real recurrent_backward_state(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    (void)k;
    return recurrent_backward(v, n);
}

static af_real recurrent_backward_input(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    (void)k;
    (void)recurrent_backward(v, n);
    return common(bias_, n - 1);
}

static af_real recurrent_jacobian(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    (void)k;
    repeat(x_, v, n, n);
    fill(d_, n * n, AF_R(1));
    fill(bias_, n, AF_R(0));
    n7_rnn_jacobian(y_, d_, bias_, x_, n);
    return common(y_, n * n);
}

/// Biases of a post-norm block of width 2. Where y of its last norm is 0 and d_y is (v, -v), the norm hands d_y on; so
/// d_b2 sums v, and as hidden = 1 and w2 = {{1, 0}, {1, 0}}, d_b1 does too.
static void postnorm(af_real *const d_b1, af_real *const d_b2, const af_real *const v, const size_t n) {
    static const af_real w2[4] = {1, 0, 1, 0};
    static const af_real zero[12];
    static af_real d_head[12], d_w_o[4], d_w1[4], d_w2[4], qkv[6 * N_FEW], weight[N_FEW * N_FEW], rows[8][2 * N_FEW];
    static af_real scratch[9 * N_FEW];
    const struct n7_postnorm w = {{zero, zero, 1, 2}, zero, zero, w2, zero, 2, false};
    const struct n7_postnorm_saved saved = {
        {qkv, weight, rows[0]}, rows[0], rows[0], rows[1], rows[2], rows[0], rows[3]};
    const struct n7_postnorm_grad grad = {{d_head, d_w_o, scratch}, d_w1, d_b1, d_w2, d_b2, rows[4]};
    fill(rows[0], 2 * N_FEW, AF_R(0));
    fill(rows[1], 2 * N_FEW, AF_R(1)); // spread1
    fill(rows[2], 2 * N_FEW, AF_R(1)); // hidden
    fill(rows[3], 2 * N_FEW, AF_R(1)); // spread2
    for (size_t r = 0; r + 1 < n; r++) {
        x_[2 * r] = v[r + 1];
        x_[2 * r + 1] = -v[r + 1];
    }
    d_b1[0] = d_b2[0] = v[0];
    d_b1[1] = d_b2[1] = 0;
    n7_postnorm_backward(d_, &grad, x_, rows[0], &saved, &w, rows[0], n - 1);
}

static af_real postnorm_b1(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    af_real d_b1[2];
    af_real d_b2[2];
    (void)k;
    postnorm(d_b1, d_b2, v, n);
    return d_b1[0];
}

static af_real postnorm_b2(const struct af_kernels *const k, const af_real *const v, const size_t n) {
    af_real d_b1[2];
    af_real d_b2[2];
    (void)k;
    postnorm(d_b1, d_b2, v, n);
    return d_b2[0];
}

// One head of layers.h, laid out as a head of attention.

struct one_head {
    af_real q[N_KEYS][AF_HEAD_DIM], k[N_KEYS][AF_HEAD_DIM], v[N_KEYS][AF_HEAD_DIM], weight[N_KEYS * N_KEYS];
    uint8_t mask[N_KEYS * N_KEYS];
};
static struct one_head head_, d_head_;

static void copy(af_real *const to, const af_real *const from, const size_t n) {
    for (size_t i = 0; i < n; i++) {
        to[i] = from[i];
    }
}

static void take_rows(struct one_head *const head, const af_real *const q, const af_real *const kv, const size_t h,
                      const size_t n, const size_t n_keys) {
    for (size_t j = 0; j < n_keys; j++) {
        copy(head->q[j], &q[(j < n ? j : 0) * AF_DIM + h * AF_HEAD_DIM], AF_HEAD_DIM);
        copy(head->k[j], &kv[j * 2 * AF_DIM + h * AF_HEAD_DIM], AF_HEAD_DIM);
        copy(head->v[j], &kv[j * 2 * AF_DIM + AF_DIM + h * AF_HEAD_DIM], AF_HEAD_DIM);
    }
}

static void heads_forward(af_real *const heads, af_real *const att, af_real *const scratch, const af_real *const q,
                          const af_real *const kv, const size_t first, const size_t n, const size_t n_keys) {
    (void)scratch;
    for (size_t h = 0; h < AF_HEADS; h++) {
        take_rows(&head_, q, kv, h, n, n_keys);
        for (size_t i = 0; i < n * n_keys; i++) {
            head_.mask[i] = i % n_keys < af_keys_seen(first + i / n_keys, n_keys);
        }
        n7_head_forward(&heads[h * AF_HEAD_DIM], head_.weight, head_.q[0], head_.k[0], head_.v[0], head_.mask, n,
                        n_keys, AF_HEAD_DIM, AF_DIM);
        for (size_t i = 0; i < n; i++) {
            copy(&att[(i * AF_HEADS + h) * AF_CONTEXT], &head_.weight[i * n_keys], n_keys);
        }
    }
}

static void heads_backward(af_real *const d_q, af_real *const d_kv, af_real *const scratch,
                           const af_real *const d_heads, const af_real *const att, const af_real *const q,
                           const af_real *const kv, const size_t first, const size_t n, const size_t n_keys) {
    (void)first;
    for (size_t h = 0; h < AF_HEADS; h++) {
        take_rows(&head_, q, kv, h, n, n_keys);
        take_rows(&d_head_, d_q, d_kv, h, n, n_keys);
        for (size_t i = 0; i < n; i++) {
            copy(&head_.weight[i * n_keys], &att[(i * AF_HEADS + h) * AF_CONTEXT], n_keys);
        }
        n7_head_backward(d_head_.q[0], d_head_.k[0], d_head_.v[0], scratch, &d_heads[h * AF_HEAD_DIM], head_.weight,
                         head_.q[0], head_.k[0], head_.v[0], n, n_keys, AF_HEAD_DIM, AF_DIM);
        for (size_t j = 0; j < n_keys; j++) {
            copy(&d_kv[j * 2 * AF_DIM + h * AF_HEAD_DIM], d_head_.k[j], AF_HEAD_DIM);
            copy(&d_kv[j * 2 * AF_DIM + AF_DIM + h * AF_HEAD_DIM], d_head_.v[j], AF_HEAD_DIM);
        }
        for (size_t i = 0; i < n; i++) {
            copy(&d_q[i * AF_DIM + h * AF_HEAD_DIM], d_head_.q[i], AF_HEAD_DIM);
        }
    }
}

static void layers(void) {
    struct af_kernels table = af_kernels_plain;
    const struct af_kernels *const k = &table;
    table.name = "layers";
    table.attention_forward = heads_forward;
    table.attention_backward = heads_backward;
    find(k, "product", matmul_forward, N_FEW);
    find(k, "product-gradient-of-x", matmul_backward_x, N_FEW);
    find(k, "product-gradient-of-weights", matmul_backward_w, N_FEW);
    find(k, "norm-mean", layers_mean, N_FEW);
    norm_squares(k, true);
    find(k, "norm-gradient-sum-of-h", layers_backward_h, N_FEW);
    find(k, "norm-gradient-sum-of-h-y", layers_backward_hz, N_FEW);
    attention(k);
    find(k, "recurrent-step-sum-over-state", recurrent_state, N_FEW);
    find(k, "recurrent-step-sum-over-input", recurrent_input, N_FEW);
    find(k, "recurrent-step-gradient-of-state", recurrent_backward_state, N_FEW);
    find(k, "recurrent-step-gradient-of-input", recurrent_backward_input, N_FEW);
    find(k, "recurrent-step-jacobian", recurrent_jacobian, N_FEW);
    find(k, "post-norm-gradient-of-b1", postnorm_b1, N_FEW);
    find(k, "post-norm-gradient-of-b2", postnorm_b2, N_FEW);
}

int main(void); // on a board, start-up calls it

int main(void) {
    FOR_PLAIN_AND_EVERY_TABLE(k) {
        linear(k);
        norm(k);
        attention(k);
    }
    others();
    layers();
    return n_failed == 0 ? 0 : 1;
}
