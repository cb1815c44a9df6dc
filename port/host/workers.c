// SPDX-License-Identifier: MIT
// The host's processor: which kernels it can run, and threads that run pieces of a step.
#define _POSIX_C_SOURCE 200809L

#include "af_kernels.h"
#include "af_port.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

// --------------------------------------------------------------------------------------------------------- kernels

const struct af_kernels *af_port_kernels(void) {
#if !AF_HAS_TILE
    return NULL;
#elif defined(__x86_64__)
    __builtin_cpu_init();
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512cd");
    if (v4) {
        return &af_kernels_tile_v4;
    }
    return v3 ? &af_kernels_tile_v3 : &af_kernels_tile;
#else
    return &af_kernels_tile;
#endif
}

// --------------------------------------------------------------------------------------------------------- threads

/// Rounds that a waiting thread looks before it goes to sleep (workers) or lets others run (the caller): longer than the
/// serial parts between two calls, far shorter than what anyone would notice.
enum { ROUNDS = 20000 };

/// All threads of the program. What has to be atomic is accessed through the __atomic built-ins.
static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    size_t n_threads;  // started, beside the caller
    size_t n_workers;  // wanted, the caller included; 0: not set yet
    unsigned call;     // atomic: number of the call at hand
    size_t n_sleeping; // under the lock
    size_t n_active;   // threads that take part in the call at hand
    size_t next;       // atomic: next piece
    size_t n_busy;     // atomic: threads that have not finished with the call at hand
    void (*piece)(void *work, size_t number, size_t worker);
    void *work;
    size_t n_pieces;
} pool = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0};

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/// Runs pieces until none is left.
static void take_pieces(const size_t worker) {
    for (;;) {
        const size_t i = __atomic_fetch_add(&pool.next, 1, __ATOMIC_RELAXED);
        if (i >= pool.n_pieces) {
            return;
        }
        pool.piece(pool.work, i, worker);
    }
}

/// Waits for a call after number `seen`: looks for a while, then sleeps.
static unsigned wait_for_call(const unsigned seen) {
    for (int round = 0; round < ROUNDS; round++) {
        const unsigned call = __atomic_load_n(&pool.call, __ATOMIC_ACQUIRE);
        if (call != seen) {
            return call;
        }
        relax();
    }
    (void)pthread_mutex_lock(&pool.lock);
    pool.n_sleeping++;
    while (__atomic_load_n(&pool.call, __ATOMIC_ACQUIRE) == seen) {
        (void)pthread_cond_wait(&pool.wake, &pool.lock);
    }
    pool.n_sleeping--;
    (void)pthread_mutex_unlock(&pool.lock);
    return __atomic_load_n(&pool.call, __ATOMIC_ACQUIRE);
}

static void *thread_main(void *const argument) {
    const size_t worker = *(const size_t *)argument;
    unsigned seen = 0;
    for (;;) {
        seen = wait_for_call(seen);
        if (worker <= pool.n_active) {
            take_pieces(worker);
        }
        (void)__atomic_fetch_sub(&pool.n_busy, 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

size_t af_port_workers(void) {
    if (pool.n_workers == 0) {
        const long n = sysconf(_SC_NPROCESSORS_ONLN);
        af_port_set_workers(n < 1 ? 1 : (size_t)n);
    }
    return pool.n_workers;
}

void af_port_set_workers(const size_t n_workers) {
    pool.n_workers = n_workers < 1 ? 1 : n_workers > AF_WORKERS ? AF_WORKERS : n_workers;
}

/// Starts threads until there are enough of them. A machine that gives none has fewer workers.
static void start_threads(void) {
    static size_t number[AF_WORKERS]; // of each thread, which reads it through a pointer
    while (pool.n_threads + 1 < af_port_workers()) {
        pthread_t thread;
        number[pool.n_threads] = pool.n_threads + 1;
        if (pthread_create(&thread, NULL, thread_main, &number[pool.n_threads]) != 0) {
            pool.n_workers = pool.n_threads + 1;
            return;
        }
        (void)pthread_detach(thread);
        pool.n_threads++;
    }
}

void af_port_run(void *const context, void (*const piece)(void *work, size_t number, size_t worker), void *const work,
                 const size_t n_pieces) {
    (void)context;
    start_threads();
    pool.piece = piece;
    pool.work = work;
    pool.n_pieces = n_pieces;
    pool.n_active = pool.n_workers - 1;
    __atomic_store_n(&pool.next, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&pool.n_busy, pool.n_threads, __ATOMIC_RELAXED);
    (void)pthread_mutex_lock(&pool.lock);
    (void)__atomic_fetch_add(&pool.call, 1, __ATOMIC_RELEASE);
    if (pool.n_sleeping > 0) {
        (void)pthread_cond_broadcast(&pool.wake);
    }
    (void)pthread_mutex_unlock(&pool.lock);
    take_pieces(0);
    for (int round = 0; __atomic_load_n(&pool.n_busy, __ATOMIC_ACQUIRE) > 0; round++) {
        if (round < ROUNDS) {
            relax();
        } else {
            (void)sched_yield(); // a worker has no processor: give it ours
        }
    }
}
