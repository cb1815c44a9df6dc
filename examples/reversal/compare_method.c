// SPDX-License-Identifier: MIT
// The rows of sections 1.2 to 1.8: the worked example, what attention's weights sum to, shapes, norms, the position table.
#include "compare.h"
#include "af_math.h"

#include <string.h>

void append(char text[TEXT_BYTES], const char *const format, const double number) {
    const size_t n = strlen(text);
    (void)snprintf(text + n, TEXT_BYTES - n, format, number);
}

size_t dim_of(const char *const name, const size_t d) {
    return af_map_find(&af_map, name).dim[d];
}

const char *shape_text(char out[SHAPE_BYTES], const char *const name, const char *const between) {
    const struct af_tensor t = af_map_find(&af_map, name);
    size_t n = 0;
    out[0] = '\0';
    for (size_t d = 0; d < t.rank && n < SHAPE_BYTES; d++) {
        n += (size_t)snprintf(out + n, SHAPE_BYTES - n, "%s%zu", d > 0 ? between : "", t.dim[d]);
    }
    return out;
}

// ---------------------------------------------------------------------------------------------------------------- 1.2

enum { N_KEYS = 4 };

/// The worked example: "it" looks at "the", "cat", "sat", "on".
static void rows_worked_example(struct comparison *const c) {
    static const af_real query[2] = {1, 2};
    static const af_real key[N_KEYS][2] = {{0, 0}, {1, 2}, {1, 0}, {0, 1}};
    static const af_real value[N_KEYS][2] = {{0, 0}, {2, 1}, {0, 1}, {1, 0}};
    af_real score[N_KEYS];
    af_real weight[N_KEYS];
    char scores[TEXT_BYTES] = "";
    char weights[TEXT_BYTES] = "";
    double full[2] = {0, 0};
    double rounded[2] = {0, 0};
    const af_real divisor = af_sqrt(AF_R(2));
    for (size_t j = 0; j < N_KEYS; j++) {
        score[j] = (query[0] * key[j][0] + query[1] * key[j][1]) / divisor;
    }
    af_softmax(weight, score, N_KEYS);
    for (size_t j = 0; j < N_KEYS; j++) {
        const double hundredths = (double)(int)((double)weight[j] * 100 + 0.5);
        for (size_t m = 0; m < 2; m++) {
            full[m] += (double)weight[j] * (double)value[j][m];
            rounded[m] += hundredths / 100 * (double)value[j][m];
        }
        append(scores, j > 0 ? " %.2f" : "%.2f", (double)score[j]);
        append(weights, j > 0 ? " %.2f" : "%.2f", (double)weight[j]);
    }
    compare_text(c, (struct statement){"1.2", "divisor, root of the dimension 2", "1.41"}, EXACT, "", "%.2f",
                 (double)divisor);
    compare_text(c, (struct statement){"1.2", "scores of the, cat, sat, on", "0.00 3.54 0.71 1.41"}, EXACT, "", "%s",
                 scores);
    compare_text(c, (struct statement){"1.2", "their weights", "0.02 0.83 0.05 0.10"}, EXACT, "", "%s", weights);
    compare_text(c, (struct statement){"1.2", "output from the rounded weights", "(1.76, 0.88)"}, EXACT, "",
                 "(%.2f, %.2f)", rounded[0], rounded[1]);
    compare_text(c, (struct statement){"1.2", "output in full precision", "(1.75, 0.88)"}, EXACT, "", "(%.2f, %.2f)",
                 full[0], full[1]);
}

// -------------------------------------------------------------------------------------------- 1.3 and 1.4: the weights

const char attention_string[N_ATTENTION + 1] = "fgcabe";

bool run_attention_example(void) {
    static struct example example;
    struct letters letters;
    if (!letters_parse(&letters, attention_string)) {
        return false;
    }
    struct af_sequence sequence = example_of(&example, &letters);
    sequence.n = N_POSITIONS; // without padding
    const struct af_model model = program_model();
    return af_forward(&model, &sequence, 1, AF_EVERY) == AF_OK;
}

static const af_real *attention_row(const size_t block, const size_t head, const size_t query) {
    return af_arena.work.train.block[block].att[query][head];
}

/// The rows of attention of all blocks and heads in the example: their sums, and what is above the diagonal.
static void rows_attention_sums(struct comparison *const c, const struct facts *const facts) {
    double worst = 0;
    double largest = 0;
    for (size_t r = 0; r < AF_BLOCKS * AF_HEADS * N_POSITIONS; r++) {
        const size_t query = r % N_POSITIONS;
        const af_real *const weight = attention_row(r / (AF_HEADS * N_POSITIONS), r / N_POSITIONS % AF_HEADS, query);
        double sum = 0;
        for (size_t key = 0; key < AF_CONTEXT; key++) {
            sum += (double)weight[key];
            largest = key > query && (double)weight[key] > largest ? (double)weight[key] : largest;
        }
        const double error = sum > 1 ? sum - 1 : 1 - sum;
        worst = error > worst ? error : worst;
    }
    const double unit = AF_REAL_IS_DOUBLE ? DBL_EPSILON : (double)FLT_EPSILON;
    rest_on(c, facts, ON_AXIS);
    compare_row(c, (struct statement){"1.3", "trained model: every row of weights sums to", "one"}, EXACT,
                worst <= N_POSITIONS * unit, "up to rounding", "1, +- %.1e, %d rows", worst,
                (int)(AF_BLOCKS * AF_HEADS * N_POSITIONS));
    rest_on(c, facts, ON_MASK);
    compare_row(c, (struct statement){"1.5", "trained model: weight on a later key", "exactly 0"}, EXACT,
                !(largest > 0), "", "%g", largest);
}

static void row_divisor(struct comparison *const c, const struct facts *const facts) {
    const double divisor = score_divisor(N_POSITIONS);
    rest_on(c, facts, ON_AXIS);
    compare_row(c, (struct statement){"1.4", "what scores are divided by", "5.66"}, EXACT,
                divisor > 5.655 && divisor < 5.665, "from the trained model's products and weights", "%.2f", divisor);
}

// -------------------------------------------------------------------------------------------------- 1.6, 1.7 and 1.8

static void rows_shapes(struct comparison *const c, const struct facts *const facts) {
    char shape[4][SHAPE_BYTES];
    const size_t n_heads = dim_of("work.train.block[0].att", 1);
    const size_t width = dim_of("work.train.block[0].q", 1);
    rest_on(c, facts, 0);
    compare_text(c, (struct statement){"1.6", "width, and heads of what width", "64, 2 heads of 32"}, EXACT, "",
                 "%zu, %zu heads of %zu", width, n_heads, width / n_heads);
    compare_row(
        c,
        (struct statement){"1.6", "one matmul makes q, k, v; heads beside the batch, then stitched together",
                           "view(B, T, h, dk) .transpose(1, 2)"},
        SHOWN, true, "shapes of the map; see reversal shapes", "weights %s; q %s, weights of keys %s, heads %s",
        shape_text(shape[0], "weight.at.block[0].qkv_w", "x"), shape_text(shape[1], "work.train.block[0].q", "x"),
        shape_text(shape[2], "work.train.block[0].att", "x"), shape_text(shape[3], "work.train.block[0].heads", "x"));
}

/// Mean and variance of what the norm makes of each row, without its scale and offset.
struct moments {
    double mean;  // the one furthest from 0
    double least; // variance
    double most;
};

/// Takes rows of residual stream, as the norms of the trained model get them.
static void widen_moments(struct moments *const all, const af_real *const x) {
    static af_real one[AF_DIM];
    static const af_real zero[AF_DIM];
    af_real y[AF_DIM];
    af_real unused[2];
    double sum = 0;
    double squares = 0;
    for (size_t i = 0; i < AF_DIM; i++) {
        one[i] = 1;
    }
    af_layernorm_forward(y, &unused[0], &unused[1], x, one, zero, 1);
    for (size_t i = 0; i < AF_DIM; i++) {
        sum += (double)y[i];
        squares += (double)y[i] * (double)y[i];
    }
    const double mean = sum / AF_DIM;
    const double variance = squares / AF_DIM - mean * mean;
    const double size = mean > 0 ? mean : -mean;
    all->mean = size > all->mean ? size : all->mean;
    all->least = variance < all->least ? variance : all->least;
    all->most = variance > all->most ? variance : all->most;
}

/// The words are exact but for the 0.00001 that is added to the variance.
static void row_norm(struct comparison *const c, const struct facts *const facts) {
    struct moments all = {0, 10, 0};
    for (size_t i = 0; i < (size_t)AF_BLOCKS * N_POSITIONS; i++) {
        widen_moments(&all, af_arena.work.train.block[i / N_POSITIONS].x[i % N_POSITIONS]);
        widen_moments(&all, af_arena.work.train.block[i / N_POSITIONS].x_mid[i % N_POSITIONS]);
    }
    rest_on(c, facts, 0);
    compare_row(c,
                (struct statement){"1.7", "layer norm, before scale and offset: each row of fgcabe|ebacgf",
                                   "zero mean and unit variance"},
                EXACT, all.mean < 1e-5 && all.least > 0.999 && all.most < 1.00001,
                "not quite 1, since 0.00001 is added to the variance", "+- %.0e; %.5f to %.5f", all.mean, all.least,
                all.most);
}

/// The longest string that the model takes with separator and reversal, tried one length after another.
static size_t longest_string(void) {
    static const af_token token[2 * AF_CONTEXT] = {0};
    static const af_token target[2 * AF_CONTEXT] = {0};
    size_t n = 0;
    uint32_t n_targets = 0;
    struct af_sequence sequence = {token, target, 3};
    while (sequence.n <= sizeof(token) / sizeof(token[0]) && af_sequence_check(&sequence, &n_targets) == AF_OK) {
        n++;
        sequence.n += 2;
    }
    return n;
}

unsigned reach_of(const struct run *const run) {
    const bool has_batch = (uint64_t)run->note.n_steps * run->batch >= BATCH;
    return ON_REACH | (has_batch ? 0U : (unsigned)(ON_STEPS | ON_BATCH));
}

static void rows_positions(struct comparison *const c, const struct facts *const facts) {
    uint32_t n_trained = 0;
    while (n_trained < AF_CONTEXT && position_gradient(n_trained) > 0) {
        n_trained++;
    }
    rest_on(c, facts, 0);
    compare_text(c, (struct statement){"1.8", "rows of the position table", "25"}, EXACT, "", "%zu",
                 dim_of("weight.at.pos", 0));
    compare_text(c, (struct statement){"1.8", "longest string that fits, with its reversal", "12"}, EXACT, "", "%zu",
                 longest_string());
    rest_on(c, facts, reach_of(&facts->run));
    compare_text(c, (struct statement){"1.8", "rows that training reaches: the first ...", "16"}, EXACT, "", "%u",
                 (unsigned)n_trained);
}

void rows_of_method(struct comparison *const c, const struct facts *const facts) {
    rest_on(c, facts, 0);
    rows_worked_example(c);
    if (run_attention_example()) {
        rows_attention_sums(c, facts);
        row_divisor(c, facts);
    }
    row_first_below(c, facts);
    rows_shapes(c, facts);
    if (run_attention_example()) {
        row_norm(c, facts);
    }
    (void)first_batch_gradient(&facts->run); // stays in af_arena.grad until the last row
    rows_positions(c, facts);
}
