// SPDX-License-Identifier: MIT
/// Notebook 7, "Attention and the Transformer, from scratch": its arena, and its steps 2 to 8 in order. No C library is
/// needed, so it runs on a board as it runs on a laptop. Compiled with notebook7_config.h as AF_CONFIG_HEADER.
#ifndef NOTEBOOK7_H
#define NOTEBOOK7_H

#include "af.h"
#include "layers/layers.h"

// ---------------------------------------------------------------------------------------------- the document's sizes

#ifndef N7_HIDDEN
#define N7_HIDDEN 16 // d_hidden of the recurrent network
#endif
#ifndef N7_LONG
#define N7_LONG 60 // tokens that it reads
#endif
#ifndef N7_KEYS
#define N7_KEYS 10 // keys of step 4
#endif
#ifndef N7_PLACES
#define N7_PLACES 100 // positions of PE
#endif
#ifndef N7_WIDTH
#define N7_WIDTH 16 // width of PE, even
#endif
#ifndef N7_K
#define N7_K 3 // the offset k of the rotation
#endif

enum {
    N7_TOY_N = 6,        // tokens of the toy sentence
    N7_TOY_D = 4,        // features of a token
    N7_N = AF_CONTEXT,   // tokens of the sentence
    N7_D = AF_DIM,       // d_model
    N7_H = AF_HEADS,     // heads
    N7_DH = N7_D / N7_H, // d_k of a head
    N7_FF = AF_FF        // d_ff
};

AF_STATIC_ASSERT(N7_HIDDEN >= 1 && N7_LONG >= 1 && N7_KEYS >= 1, sizes_of_steps_2_and_4_are_at_least_1);
AF_STATIC_ASSERT(N7_WIDTH >= 2 && N7_WIDTH % 2 == 0 && N7_D % 2 == 0, encodings_of_positions_have_an_even_width);
AF_STATIC_ASSERT(N7_K >= 1 && N7_K < N7_PLACES, the_offset_of_the_rotation_is_below_the_number_of_positions);
AF_STATIC_ASSERT(N7_N >= 5, sentences_of_five_words_are_compared);

extern const char *const n7_tokens[N7_TOY_N]; // of the toy sentence

/// Word i of the sentence: the document's, of which a longer sentence repeats the first ones, unless a program has put
/// others into n7_words.
const char *n7_word(size_t i);
extern const char *n7_words[N7_N];

/// Where the random stream begins: numpy.random.default_rng of it. The document's is 0.
extern uint64_t n7_seed;

enum { N7_PAIN = 4 }; // the toy token that attends

// ------------------------------------------------------------------------------------------------------------ arena

/// Steps in which a tensor is live; bit 0 is step 2.
enum {
    N7_LIVE_RECURRENT = 1,
    N7_LIVE_TOY = 2,
    N7_LIVE_SCALING = 4,
    N7_LIVE_SELF = 8,
    N7_LIVE_HEADS = 16,
    N7_LIVE_POSITIONS = 32,
    N7_LIVE_BLOCK = 64,
    N7_LIVE_FROM_PE = N7_LIVE_POSITIONS | N7_LIVE_BLOCK,
    N7_LIVE_FROM_HEADS = N7_LIVE_HEADS | N7_LIVE_FROM_PE,
    N7_LIVE_FROM_SELF = N7_LIVE_SELF | N7_LIVE_FROM_HEADS,
    N7_LIVE_ALWAYS = 127
};

enum { N7_FIRST_STEP = 2, N7_LAST_STEP = 8 };

struct n7_head {
#define N7_HEAD AF_MEMBER
#include "tensors.def"
};

struct n7_kept {
#define N7_KEPT AF_MEMBER
#include "tensors.def"
    struct n7_head heads[N7_H];
};

struct n7_recurrent {
#define N7_RECURRENT AF_MEMBER
#include "tensors.def"
};

struct n7_toy {
#define N7_TOY AF_MEMBER
#include "tensors.def"
};

#define N7_SCALING AF_MEMBER
#define N7_DK      4
struct n7_scaling_4 {
#include "tensors.def"
};
#undef N7_DK
#define N7_SCALING AF_MEMBER
#define N7_DK      64
struct n7_scaling_64 {
#include "tensors.def"
};
#undef N7_DK
#define N7_SCALING AF_MEMBER
#define N7_DK      512
struct n7_scaling_512 {
#include "tensors.def"
};
#undef N7_DK

struct n7_scaling {
    struct n7_scaling_4 d4;
    struct n7_scaling_64 d64;
    struct n7_scaling_512 d512;
};

struct n7_self {
#define N7_SELF AF_MEMBER
#include "tensors.def"
};

struct n7_positions {
#define N7_POSITIONS AF_MEMBER
#include "tensors.def"
};

struct n7_block {
#define N7_BLOCK AF_MEMBER
#include "tensors.def"
};

/// Steps 6 to 8: the workspace of multi-head attention, and what steps 7 and 8 have of their own.
struct n7_late {
#define N7_MULTIHEAD AF_MEMBER
#include "tensors.def"
    union {
        struct n7_positions positions;
        struct n7_block block;
    } part;
};

/// Steps take turns.
union n7_work {
    struct n7_recurrent recurrent;
    struct n7_toy toy;
    struct n7_scaling scaling;
    struct n7_self self;
    struct n7_late late;
};

struct n7_arena {
#define N7_REGION(type, name, live, text)                                                                              \
    type name;                                                                                                         \
    uint8_t name##_gap[AF_GAP_BYTES(sizeof(type))];
#include "tensors.def"
};

extern struct n7_arena n7_arena;
extern const struct af_map n7_map;

/// Multi-head attention of the arena, and where it leaves what it computes.
struct n7_multihead n7_multihead_of(const struct n7_arena *a);
struct n7_multihead_saved n7_multihead_saved_of(struct n7_arena *a);

/// The block of step 8, likewise.
struct n7_postnorm n7_postnorm_of(const struct n7_arena *a);
struct n7_postnorm_saved n7_postnorm_saved_of(struct n7_arena *a);

// ------------------------------------------------------------------------------------------------------------ steps

/// Takes n characters of output. af_port_write() is one; n7_drop() drops them.
typedef void n7_write(const char *text, size_t n);
void n7_drop(const char *text, size_t n);

/// A step: what it computes, into the arena, and what it then prints, from the arena.
struct n7_step {
    const char *title;
    void (*run)(struct n7_arena *a);
    void (*print)(const struct n7_arena *a, n7_write *write);
};

extern const struct n7_step n7_step[N7_LAST_STEP + 1]; // 2 to 8

/// Step 1: seeds the generator. Every run begins with it.
void n7_begin(struct n7_arena *a);

/// Steps 1 to `last`, silently. What lives in step `last` is then in the arena.
void n7_run_to(struct n7_arena *a, unsigned last);

/// All steps on n7_arena, with what the document prints. Returns one number for all bits behind it: the CRC-32C of
/// every tensor of reals at the end of each step in which it lives. Both are the same on every machine.
uint32_t n7_run(n7_write *write);

void n7_recurrent_run(struct n7_arena *a);
void n7_recurrent_print(const struct n7_arena *a, n7_write *write);
void n7_toy_run(struct n7_arena *a);
void n7_toy_print(const struct n7_arena *a, n7_write *write);
void n7_scaling_run(struct n7_arena *a);
void n7_scaling_print(const struct n7_arena *a, n7_write *write);
void n7_self_run(struct n7_arena *a);
void n7_self_print(const struct n7_arena *a, n7_write *write);
void n7_heads_run(struct n7_arena *a);
void n7_heads_print(const struct n7_arena *a, n7_write *write);
void n7_positions_run(struct n7_arena *a);
void n7_positions_print(const struct n7_arena *a, n7_write *write);
void n7_block_run(struct n7_arena *a);
void n7_block_print(const struct n7_arena *a, n7_write *write);

// ------------------------------------------------------------------------------------------------------- quantities

/// A width of step 4, and where its tensors are.
struct n7_width {
    size_t d_k;
    af_real *q, *K, *raw, *scaled, *w_raw, *w_scaled;
};

enum { N7_WIDTHS = 3 };
struct n7_width n7_width(struct n7_arena *a, size_t i);

/// rng.normal(0, deviation): n numbers from the arena's generator.
void n7_normal(struct n7_arena *a, af_real *x, size_t n, af_real deviation);

/// np.linalg.norm, x.mean(), x.var(), x.std(), x.max() of n numbers.
af_real n7_norm(const af_real *x, size_t n);
af_real n7_mean(const af_real *x, size_t n);
af_real n7_variance(const af_real *x, size_t n);
af_real n7_std(const af_real *x, size_t n);
af_real n7_max(const af_real *x, size_t n);

/// Largest |a - b| of n numbers.
af_real n7_distance(const af_real *a, const af_real *b, size_t n);

/// np.allclose(a, b): |a - b| <= 1e-8 + 1e-5 |b| everywhere.
bool n7_allclose(const af_real *a, const af_real *b, size_t n);

/// y = x[order]: rows of N7_D.
void n7_reorder(af_real *y, const af_real *x, const af_index *order, size_t n);

/// y = a + b.
void n7_add(af_real *y, const af_real *a, const af_real *b, size_t n);

/// Largest |PE[k:] - PE[:-k] R_k^T| over all positions, R_k the rotation by k positions.
af_real n7_rotation_error(const af_real *pe, const af_real *rotation, size_t k);

/// Parameters of multi-head attention, and of the whole block.
size_t n7_attention_parameters(void);
size_t n7_block_parameters(void);

#endif
