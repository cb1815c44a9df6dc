// SPDX-License-Identifier: MIT
// How fast a core multiplies and adds when everything is in registers: what the operations can reach at most.
//
// Twelve sums run side by side, more than the latency of an addition needs. Nothing is known to the compiler about x
// between two products, so none of them is left out; the values stay finite and far from the subnormal numbers.
#include "bench.h"
#include "af_port.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { N_SUMS = 12, N_ROUNDS = 200000 };

#if defined(__GNUC__)

#if defined(__x86_64__)
#define OPAQUE(v) __asm__ volatile("" : "+x"(v))
#elif defined(__aarch64__)
#define OPAQUE(v) __asm__ volatile("" : "+w"(v))
#else
#define OPAQUE(v) __asm__ volatile("" : "+m"(v))
#endif

#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

typedef float vector16 __attribute__((vector_size(16)));

/// Defines a measurement: `add_product` adds x y to sum[k].
#define PEAK(name, attribute, vector, add_product)                                                                     \
    attribute static float name(const size_t n_rounds) {                                                               \
        vector sum[N_SUMS];                                                                                            \
        vector x = {1e-9f, 1e-9f, 1e-9f, 1e-9f};                                                                       \
        vector y = {1e-9f, 1e-9f, 1e-9f, 1e-9f};                                                                       \
        float all = 0;                                                                                                 \
        UNROLL for (size_t k = 0; k < N_SUMS; k++) {                                                                   \
            sum[k] = (vector){1.0f, 1.0f, 1.0f, 1.0f};                                                                 \
        }                                                                                                              \
        OPAQUE(y);                                                                                                     \
        for (size_t round = 0; round < n_rounds; round++) {                                                            \
            UNROLL for (size_t k = 0; k < N_SUMS; k++) {                                                               \
                OPAQUE(x);                                                                                             \
                add_product;                                                                                           \
            }                                                                                                          \
        }                                                                                                              \
        UNROLL for (size_t k = 0; k < N_SUMS; k++) {                                                                   \
            all += sum[k][0];                                                                                          \
        }                                                                                                              \
        return all;                                                                                                    \
    }

PEAK(strict_16, , vector16, sum[k] = sum[k] + x * y)

#if defined(__x86_64__)
typedef float vector32 __attribute__((vector_size(32)));
PEAK(strict_32, __attribute__((target("avx2,fma"))), vector32, sum[k] = sum[k] + x * y)
PEAK(fused_32, __attribute__((target("avx2,fma"))), vector32,
     sum[k] = (vector32)_mm256_fmadd_ps((__m256)x, (__m256)y, (__m256)sum[k]))
#endif

#endif // __GNUC__

size_t peak_vector_bytes(const struct af_kernels *const kernels) {
#if defined(__x86_64__) && AF_HAS_TILE
    return kernels == &af_kernels_tile_v3 || kernels == &af_kernels_tile_v4 ? 32 : 16;
#else
    (void)kernels;
    return 16;
#endif
}

// ----------------------------------------------------------------------------------------------------------- on cores

enum { MAX_CORES = 2 };

struct run {
    float (*loop)(size_t n_rounds);
    float result[MAX_CORES];
};

static void piece(void *const work, const size_t number, const size_t worker) {
    struct run *const run = work;
    (void)worker;
    run->result[number] = run->loop(N_ROUNDS);
}

static float (*loop_of(const enum peak_kind kind, const size_t vector_bytes))(size_t) {
#if !defined(__GNUC__)
    (void)kind;
    (void)vector_bytes;
    return NULL;
#else
#if defined(__x86_64__)
    if (vector_bytes == 32) {
        return kind == PEAK_STRICT ? strict_32 : fused_32;
    }
#endif
    (void)vector_bytes;
    return kind == PEAK_STRICT ? strict_16 : NULL;
#endif
}

double peak_gflops(const enum peak_kind kind, const struct af_kernels *const kernels, const size_t n_cores) {
    const size_t vector_bytes = peak_vector_bytes(kernels);
    struct run run = {loop_of(kind, vector_bytes), {0, 0}};
    if (run.loop == NULL || n_cores < 1 || n_cores > MAX_CORES) {
        return 0;
    }
    af_port_set_workers(n_cores);
    const uint64_t from = af_port_ticks();
    if (n_cores > 1) {
        af_port_run(NULL, piece, &run, n_cores);
    } else {
        piece(&run, 0, 0);
    }
    const double ms = milliseconds(from, af_port_ticks());
    const double flops = 2.0 * (double)(vector_bytes / sizeof(float)) * N_SUMS * N_ROUNDS * (double)n_cores;
    return ms > 0 ? flops / ms * 1e-6 : 0;
}
