// SPDX-License-Identifier: MIT
// The worked example of section 1.2 step by step, or the same for numbers of the user.
#include "reversal.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_KEYS = 16, MAX_COMPONENTS = 16, NAME_BYTES = 16, NUMBER_BYTES = 32 };

/// Largest number taken: products and sums of 16 of them stay finite.
#define LARGEST 1e6

/// Beyond this exp() is no number to show: all exponents are then taken less the largest score, as af_softmax() does.
#define LARGEST_EXPONENT AF_R(30)

struct example_by_hand {
    size_t n_keys;
    size_t n_query; // components of the query and of each key
    size_t n_value; // components of each value
    af_real query[MAX_COMPONENTS];
    af_real key[MAX_KEYS][MAX_COMPONENTS];
    af_real value[MAX_KEYS][MAX_COMPONENTS];
    char name[MAX_KEYS][NAME_BYTES];
    bool is_scaled;
};

// --------------------------------------------------------------------------------------------------------- reading

/// Copies the next piece of *text, up to `separator`, without spaces around it. False at the end of the text.
static bool next_piece(char *const out, const size_t out_bytes, const char **const text, const char separator) {
    if (*text == NULL) {
        return false;
    }
    const char *from = *text;
    const char *const found = strchr(from, separator);
    const char *end = found != NULL ? found : from + strlen(from);
    *text = found != NULL ? found + 1 : NULL;
    while (from < end && *from == ' ') {
        from++;
    }
    while (end > from && end[-1] == ' ') {
        end--;
    }
    (void)snprintf(out, out_bytes, "%.*s", (int)(end - from), from);
    return true;
}

/// Reads one number; a piece that was cut off is longer than any number has to be.
static bool read_number(af_real *const out, const char *const piece, const char *const option) {
    char *end = NULL;
    const double number = strtod(piece, &end);
    if (end == piece || *end != '\0' || strlen(piece) + 1 >= NUMBER_BYTES ||
        !(number >= -LARGEST && number <= LARGEST)) {
        (void)complain("byhand: --%s: \"%s\" is not a number from -1000000 to 1000000", option, piece);
        return false;
    }
    *out = (af_real)number;
    return true;
}

/// Reads "1,2,3".
static bool read_vector(af_real out[MAX_COMPONENTS], size_t *const n, const char *text, const char *const option) {
    char piece[NUMBER_BYTES];
    *n = 0;
    while (next_piece(piece, sizeof(piece), &text, ',')) {
        if (*n == MAX_COMPONENTS) {
            (void)complain("byhand: --%s: a vector has at most %d components", option, (int)MAX_COMPONENTS);
            return false;
        }
        if (!read_number(&out[*n], piece, option)) {
            return false;
        }
        (*n)++;
    }
    return true;
}

/// Reads "1,2;3,4": vectors of the same length.
static bool read_vectors(af_real out[MAX_KEYS][MAX_COMPONENTS], size_t *const n_vectors, size_t *const n_components,
                         const char *text, const char *const option) {
    char piece[MAX_COMPONENTS * NUMBER_BYTES];
    *n_vectors = 0;
    while (next_piece(piece, sizeof(piece), &text, ';')) {
        size_t n = 0;
        if (*n_vectors == MAX_KEYS) {
            (void)complain("byhand: --%s: at most %d vectors", option, (int)MAX_KEYS);
            return false;
        }
        if (!read_vector(out[*n_vectors], &n, piece, option)) {
            return false;
        }
        if (*n_vectors > 0 && n != *n_components) {
            (void)complain("byhand: --%s: all vectors need the same length: number %zu has %zu, the first one %zu",
                           option, *n_vectors + 1, n, *n_components);
            return false;
        }
        *n_components = n;
        (*n_vectors)++;
    }
    return true;
}

/// Reads "the,cat,sat,on"; without text the keys are numbered.
static bool read_names(struct example_by_hand *const e, const char *text) {
    size_t n = 0;
    if (text == NULL) {
        for (size_t j = 0; j < e->n_keys; j++) {
            (void)snprintf(e->name[j], NAME_BYTES, "key %u", (unsigned)j & 0xFFU); // below MAX_KEYS
        }
        return true;
    }
    char piece[NAME_BYTES + 1];
    while (next_piece(piece, sizeof(piece), &text, ',')) {
        if (strlen(piece) >= NAME_BYTES) {
            (void)complain("byhand: --names: a name has at most %d characters", NAME_BYTES - 1);
            return false;
        }
        if (n < e->n_keys) {
            (void)memcpy(e->name[n], piece, strlen(piece) + 1);
        }
        n++;
    }
    if (n != e->n_keys) {
        (void)complain("byhand: %zu names for %zu keys", n, e->n_keys);
        return false;
    }
    return true;
}

/// What the options say; NULL where one is not there.
struct texts {
    const char *q;
    const char *k;
    const char *v;
    const char *names;
};

static bool take_texts(struct texts *const texts, int *const argc, char **const argv) {
    return take_option(argc, argv, "q", &texts->q) && take_option(argc, argv, "k", &texts->k) &&
           take_option(argc, argv, "v", &texts->v) && take_option(argc, argv, "names", &texts->names);
}

/// Without numbers of the user it is section 1.2: "the cat sat on", and then "it". False if only some are given.
static bool complete_texts(struct texts *const texts) {
    const int n_given = (texts->q != NULL ? 1 : 0) + (texts->k != NULL ? 1 : 0) + (texts->v != NULL ? 1 : 0);
    if (n_given == 0) {
        texts->q = "1,2";
        texts->k = "0,0;1,2;1,0;0,1";
        texts->v = "0,0;2,1;0,1;1,0";
        texts->names = texts->names != NULL ? texts->names : "the,cat,sat,on";
    }
    return n_given == 0 || n_given == 3;
}

static bool read_example(struct example_by_hand *const e, const struct texts *const texts) {
    size_t n_components = 0;
    size_t n_values = 0;
    if (!read_vector(e->query, &e->n_query, texts->q, "q") ||
        !read_vectors(e->key, &e->n_keys, &n_components, texts->k, "k") ||
        !read_vectors(e->value, &n_values, &e->n_value, texts->v, "v")) {
        return false;
    }
    if (n_components != e->n_query) {
        (void)complain("byhand: the query has %zu components, the keys %zu: they need the same number", e->n_query,
                       n_components);
        return false;
    }
    if (n_values != e->n_keys) {
        (void)complain("byhand: %zu keys and %zu values: every key needs one value", e->n_keys, n_values);
        return false;
    }
    return read_names(e, texts->names);
}

// -------------------------------------------------------------------------------------------------------- printing

static void print_vector(const af_real *const x, const size_t n) {
    for (size_t m = 0; m < n; m++) {
        (void)printf("%s%.6g", m > 0 ? ", " : "(", (double)x[m]);
    }
    (void)printf(")");
}

static int name_width(const struct example_by_hand *const e) {
    size_t width = 0;
    for (size_t j = 0; j < e->n_keys; j++) {
        width = strlen(e->name[j]) > width ? strlen(e->name[j]) : width;
    }
    return (int)width;
}

/// Step 1: dot products. Sums run in index order, as everywhere in the library.
static void step_dots(af_real dot[MAX_KEYS], const struct example_by_hand *const e) {
    (void)printf("1. Compare the query with every key: the dot product.\n\n");
    for (size_t j = 0; j < e->n_keys; j++) {
        (void)printf("   %-*s  ", name_width(e), e->name[j]);
        print_vector(e->query, e->n_query);
        (void)printf(" . ");
        print_vector(e->key[j], e->n_query);
        (void)printf(" = ");
        dot[j] = 0;
        for (size_t m = 0; m < e->n_query; m++) {
            dot[j] += e->query[m] * e->key[j][m];
            if (e->n_query <= 4) { // more would not fit on a line
                (void)printf("%s%.6g x %.6g", m > 0 ? " + " : "", (double)e->query[m], (double)e->key[j][m]);
            }
        }
        (void)printf("%s%.6g\n", e->n_query <= 4 ? " = " : "", (double)dot[j]);
    }
}

/// Step 2: division by the root of the dimension.
static void step_scores(af_real score[MAX_KEYS], const af_real dot[MAX_KEYS], const struct example_by_hand *const e) {
    const af_real root = e->is_scaled ? af_sqrt((af_real)e->n_query) : AF_R(1);
    if (e->is_scaled) {
        (void)printf("\n2. Divide by the square root of the dimension, sqrt(%zu) = %.4f: the scores.\n\n", e->n_query,
                     (double)root);
    } else {
        (void)printf("\n2. Without scaling the dot products are the scores.\n\n");
    }
    for (size_t j = 0; j < e->n_keys; j++) {
        score[j] = dot[j] / root;
        (void)printf("   %-*s  ", name_width(e), e->name[j]);
        if (e->is_scaled) {
            (void)printf("%.6g / %.4f = ", (double)dot[j], (double)root);
        }
        (void)printf("%.2f\n", (double)score[j]);
    }
}

/// Step 3: softmax. exp is shown as one would write it down; the weights are the library's.
static void step_weights(af_real weight[MAX_KEYS], const af_real score[MAX_KEYS],
                         const struct example_by_hand *const e) {
    const af_real largest = score[af_argmax(score, e->n_keys)];
    const bool is_shifted = largest > LARGEST_EXPONENT || largest < -LARGEST_EXPONENT;
    const af_real shift = is_shifted ? largest : AF_R(0);
    af_real sum = 0;
    for (size_t j = 0; j < e->n_keys; j++) {
        sum += af_exp(score[j] - shift);
    }
    af_softmax(weight, score, e->n_keys);
    (void)printf("\n3. Exponentiate each score and divide by the sum, %.4f: the weights.\n", (double)sum);
    if (is_shifted) {
        (void)printf("   The largest score, %.2f, is taken off each first: that changes no weight.\n", (double)shift);
    }
    (void)printf("\n");
    for (size_t j = 0; j < e->n_keys; j++) {
        const af_real power = af_exp(score[j] - shift);
        (void)printf("   %-*s  exp(%.2f) = %8.4f   / %.4f = %.2f   in full %.6f\n", name_width(e), e->name[j],
                     (double)(score[j] - shift), (double)power, (double)sum, (double)weight[j], (double)weight[j]);
    }
}

static void print_output(const char *const label, const af_real *const weight, const struct example_by_hand *const e) {
    (void)printf("   %s(", label);
    for (size_t m = 0; m < e->n_value; m++) {
        af_real sum = 0;
        for (size_t j = 0; j < e->n_keys; j++) {
            sum += weight[j] * e->value[j][m];
        }
        (void)printf("%s%.2f", m > 0 ? ", " : "", (double)sum);
    }
    (void)printf(")\n");
}

/// Step 4: the weighted sum of the values, with weights as printed and in full.
static void step_output(const af_real weight[MAX_KEYS], const struct example_by_hand *const e) {
    af_real rounded[MAX_KEYS] = {0};
    (void)printf("\n4. Add up the values, each times its weight: the output.\n\n   ");
    for (size_t j = 0; j < e->n_keys; j++) {
        const int hundredths = (int)((double)weight[j] * 100 + 0.5);
        rounded[j] = (af_real)hundredths / AF_R(100);
        (void)printf("%s%.2f x ", j > 0 ? " + " : "", (double)rounded[j]);
        print_vector(e->value[j], e->n_value);
        if (e->n_value > 4 && j + 1 < e->n_keys) { // a long vector fills its line
            (void)printf("\n  ");
        }
    }
    (void)printf("\n\n");
    print_output("with the rounded weights  ", rounded, e);
    print_output("in full precision         ", weight, e);
    const size_t best = af_argmax(weight, e->n_keys);
    (void)printf("\nThe query puts %.0f%% of its weight on %s.\n", (double)weight[best] * 100, e->name[best]);
}

static void print_example(const struct example_by_hand *const e) {
    af_real dot[MAX_KEYS] = {0};
    af_real score[MAX_KEYS] = {0};
    af_real weight[MAX_KEYS] = {0};
    (void)printf("query ");
    print_vector(e->query, e->n_query);
    (void)printf("\n\n%-*s  key -> value\n", name_width(e), "");
    for (size_t j = 0; j < e->n_keys; j++) {
        (void)printf("%-*s  ", name_width(e), e->name[j]);
        print_vector(e->key[j], e->n_query);
        (void)printf(" -> ");
        print_vector(e->value[j], e->n_value);
        (void)printf("\n");
    }
    (void)printf("\n");
    step_dots(dot, e);
    step_scores(score, dot, e);
    step_weights(weight, score, e);
    step_output(weight, e);
}

// --------------------------------------------------------------------------------------------------------- command

int cmd_byhand(int argc, char **argv) {
    struct texts texts = {NULL, NULL, NULL, NULL};
    static struct example_by_hand example;
    if (!take_texts(&texts, &argc, argv)) {
        return STATUS_USAGE;
    }
    example.is_scaled = !take_switch(&argc, argv, "no-scale");
    if (!no_options_left(argc, argv)) {
        return STATUS_USAGE;
    }
    if (argc > 1) {
        return complain("byhand: takes no argument but options, not \"%s\"", argv[1]);
    }
    if (!complete_texts(&texts)) {
        return complain("byhand: --q, --k and --v belong together");
    }
    if (!read_example(&example, &texts)) {
        return STATUS_USAGE;
    }
    print_example(&example);
    return STATUS_DONE;
}
