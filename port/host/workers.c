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

/// Rounds that a waiting thread looks before it goes to sleep (workers) or lets others run (the caller): longer than
/// the serial parts between two calls, far shorter than what anyone would notice.
enum { ROUNDS = 20000 };

/// All threads of the program. What several of them touch at a time is accessed through the __atomic built-ins.
///
/// A piece is taken by adding 1 to `ticket`, which holds the number of the call (16 bits), its number of pieces (24)
/// and the next piece (24). Who gets a piece of a call knows that the call is not over, so that `piece` and `work` are
/// still those of this call; who comes too late gets a number behind the last piece. So a call waits for pieces, not
/// for threads: one that has no processor at the moment delays nobody.
static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    size_t n_threads;  // started, beside the caller
    size_t n_workers;  // wanted, the caller included; 0: not set yet
    size_t n_sleeping; // under the lock
    uint64_t ticket;   // atomic
    size_t n_active;   // atomic: threads that take part
    size_t n_done;     // atomic: pieces of the call at hand that are done
    void (*piece)(void *work, size_t number, size_t worker);
    void *work;
} pool = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0, 0, 0, 0, NULL, NULL};

#define FIELD       ((UINT64_C(1) << 24) - 1)
#define CALL(t)     ((t) >> 48)
#define N_OF(t)     ((t) >> 24 & FIELD)
#define PIECE_OF(t) ((t)&FIELD)

static void relax(void) {
#if (defined(__x86_64__) || defined(__i386__)) && !defined(__TINYC__)
    __builtin_ia32_pause();
#endif
}

/// Runs pieces until none is left.
static void take_pieces(const size_t worker) {
    for (;;) {
        const uint64_t ticket = __atomic_fetch_add(&pool.ticket, 1, __ATOMIC_ACQUIRE);
        if (PIECE_OF(ticket) >= N_OF(ticket)) {
            return;
        }
        pool.piece(pool.work, (size_t)PIECE_OF(ticket), worker);
        (void)__atomic_fetch_add(&pool.n_done, 1, __ATOMIC_RELEASE);
    }
}

/// Whether there is something to do for a thread that has seen call `seen`.
static bool has_call(const uint64_t seen) {
    return CALL(__atomic_load_n(&pool.ticket, __ATOMIC_ACQUIRE)) != seen;
}

/// Waits for another call than `seen`: looks for a while, then sleeps. Returns its number.
static uint64_t wait_for_call(const uint64_t seen) {
    for (int round = 0; round < ROUNDS && !has_call(seen); round++) {
        relax();
    }
    if (!has_call(seen)) {
        (void)pthread_mutex_lock(&pool.lock);
        pool.n_sleeping++;
        while (!has_call(seen)) {
            (void)pthread_cond_wait(&pool.wake, &pool.lock);
        }
        pool.n_sleeping--;
        (void)pthread_mutex_unlock(&pool.lock);
    }
    return CALL(__atomic_load_n(&pool.ticket, __ATOMIC_ACQUIRE));
}

static void *thread_main(void *const argument) {
    const size_t worker = *(const size_t *)argument;
    uint64_t seen = 0;
    for (;;) {
        seen = wait_for_call(seen);
        if (worker <= __atomic_load_n(&pool.n_active, __ATOMIC_RELAXED)) {
            take_pieces(worker);
        }
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
    if (af_port_workers() == 1 || n_pieces < 2 || n_pieces > FIELD / 2) {
        for (size_t i = 0; i < n_pieces; i++) {
            piece(work, i, 0);
        }
        return;
    }
    start_threads();
    pool.piece = piece;
    pool.work = work;
    __atomic_store_n(&pool.n_active, pool.n_workers - 1, __ATOMIC_RELAXED);
    __atomic_store_n(&pool.n_done, 0, __ATOMIC_RELAXED);
    const uint64_t call = CALL(__atomic_load_n(&pool.ticket, __ATOMIC_RELAXED)) + 1;
    (void)pthread_mutex_lock(&pool.lock);
    __atomic_store_n(&pool.ticket, call << 48 | (uint64_t)n_pieces << 24, __ATOMIC_RELEASE);
    if (pool.n_sleeping > 0) {
        (void)pthread_cond_broadcast(&pool.wake);
    }
    (void)pthread_mutex_unlock(&pool.lock);
    take_pieces(0);
    for (int round = 0; __atomic_load_n(&pool.n_done, __ATOMIC_ACQUIRE) < n_pieces; round++) {
        if (round < ROUNDS) {
            relax();
        } else {
            (void)sched_yield(); // a worker has no processor: give it ours
        }
    }
}
