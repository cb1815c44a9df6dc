// SPDX-License-Identifier: MIT
// What several steps compute of their tensors.
#include "notebook7.h"
#include "af_numpy.h"

const char *const n7_tokens[N7_TOY_N] = {"the", "patient", "has", "chest", "pain", "arm"};

const char *n7_words[N7_N];

const char *n7_word(const size_t i) {
    static const char *const word[] = {"the", "patient", "has", "chest", "pain", "radiating", "to", "the", "arm"};
    return n7_words[i] != NULL ? n7_words[i] : word[i % (sizeof(word) / sizeof(word[0]))];
}

void n7_normal(struct n7_arena *const a, af_real *const x, const size_t n, const af_real deviation) {
    for (size_t i = 0; i < n; i++) {
        x[i] = af_numpy_normal(&a->kept.rng[0], 0, deviation);
    }
}

af_real n7_norm(const af_real *const x, const size_t n) {
    af_real sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i] * x[i];
    }
    return af_sqrt(sum);
}

af_real n7_mean(const af_real *const x, const size_t n) {
    af_real sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
    }
    return sum / (af_real)n;
}

af_real n7_variance(const af_real *const x, const size_t n) {
    const af_real mean = n7_mean(x, n);
    af_real sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (x[i] - mean) * (x[i] - mean);
    }
    return sum / (af_real)n;
}

af_real n7_std(const af_real *const x, const size_t n) {
    return af_sqrt(n7_variance(x, n));
}

af_real n7_max(const af_real *const x, const size_t n) {
    return x[af_argmax(x, n)];
}

af_real n7_distance(const af_real *const a, const af_real *const b, const size_t n) {
    af_real largest = 0;
    for (size_t i = 0; i < n; i++) {
        const af_real distance = af_abs(a[i] - b[i]);
        largest = distance > largest ? distance : largest;
    }
    return largest;
}

bool n7_allclose(const af_real *const a, const af_real *const b, const size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (!(af_abs(a[i] - b[i]) <= AF_R(1e-8) + AF_R(1e-5) * af_abs(b[i]))) {
            return false;
        }
    }
    return true;
}

void n7_reorder(af_real *const y, const af_real *const x, const af_index *const order, const size_t n) {
    for (size_t r = 0; r < n; r++) {
        for (size_t i = 0; i < N7_D; i++) {
            y[r * N7_D + i] = x[order[r] * (size_t)N7_D + i];
        }
    }
}

void n7_add(af_real *const y, const af_real *const a, const af_real *const b, const size_t n) {
    for (size_t i = 0; i < n; i++) {
        y[i] = a[i] + b[i];
    }
}

af_real n7_rotation_error(const af_real *const pe, const af_real *const rotation, const size_t k) {
    af_real largest = 0;
    for (size_t p = 0; p + k < N7_PLACES; p++) {
        for (size_t i = 0; i < N7_WIDTH; i++) {
            af_real turned = 0;
            for (size_t m = 0; m < N7_WIDTH; m++) {
                turned += pe[p * N7_WIDTH + m] * rotation[i * N7_WIDTH + m];
            }
            const af_real error = af_abs(pe[(p + k) * N7_WIDTH + i] - turned);
            largest = error > largest ? error : largest;
        }
    }
    return largest;
}

size_t n7_attention_parameters(void) {
    return N7_H * sizeof(struct n7_head) / sizeof(af_real) + N7_D * N7_D;
}

size_t n7_block_parameters(void) {
    return n7_attention_parameters() + N7_D * N7_FF + N7_FF + N7_FF * N7_D + N7_D;
}
