// SPDX-License-Identifier: MIT
/// The arena: the struct types that hold every tensor, built by the compiler from af_tensors.def.
///
/// The path of a tensor in the map is its path in C: the map's `weight.at.block[1].qkv_w` is
/// `af_arena.weight.at.block[1].qkv_w`, an `af_real [3 * AF_DIM][AF_DIM]`. Its gradient has the same path under `grad`,
/// its two moments under `adam_m` and `adam_v`.
///
/// An instance of the model is six regions (two where training is left out; one more with AF_PACKED), and struct
/// af_model says where they are. By default they are the members of one `struct af_arena`. A program that wants, say,
/// the moments in slow memory and the workspace in fast memory defines the regions one by one. `af_arena` is lib/'s
/// only mutable static storage.
/// promise: regions-may-move, no-static-storage
#ifndef AF_ARENA_H
#define AF_ARENA_H

#include "af_config.h"
#include "af_status.h"
#include "af_numpy.h"
#include "af_torch.h"

#ifdef __cplusplus
extern "C" {
#endif

// --------------------------------------------------------------------------------- from a row of the list to C

#define AF_ROUND8(n)    (((n) + 7) / 8 * 8)
#define AF_GAP_BYTES(n) (AF_ALIGN - (n) % AF_ALIGN) // 1 to AF_ALIGN: every gap is a member; aligns the next region

// A shape is written (a, b, c): AF_RANK counts its axes, AF_DECLARATOR makes [a][b][c] of it.
#define AF_COUNT_(a, b, c, d, n, ...) n
#define AF_RANK(...)                  AF_COUNT_(__VA_ARGS__, 4, 3, 2, 1, 0)
#define AF_DECLARATOR(...)            AF_PASTE(AF_DECLARATOR_, AF_RANK(__VA_ARGS__))(__VA_ARGS__)
#define AF_DECLARATOR_1(a)            [a]
#define AF_DECLARATOR_2(a, b)         [a][b]
#define AF_DECLARATOR_3(a, b, c)      [a][b][c]
#define AF_DECLARATOR_4(a, b, c, d)   [a][b][c][d]

#define AF_WEIGHT_MEMBER(name, shape, start, torch, text) af_real name AF_DECLARATOR shape;
#define AF_MEMBER(type, name, shape, live, text)          AF_C_##type name AF_DECLARATOR shape;

#define AF_C_REAL     af_real
#define AF_C_TOKEN    af_token
#define AF_C_INDEX    af_index
#define AF_C_NUMPY    struct af_numpy
#define AF_C_TORCH    struct af_torch
#define AF_C_PROGRESS struct af_progress
#define AF_C_FLAG     uint8_t

/// Phases: a tensor is live in a phase in which its content is written, read or has to be kept. Tensors that are live
/// in the same phase never share a byte.
/// promise: live-tensors-apart
enum {
    AF_LIVE_INIT = 1,               // drawing initial weights
    AF_LIVE_FORWARD = 2,            // embedding to loss
    AF_LIVE_BACKWARD_FF = 4,        // gradients of the output layer and of the MLPs
    AF_LIVE_BACKWARD_ATTENTION = 8, // gradients of attention and of the embeddings
    AF_LIVE_UPDATE = 16,            // AdamW
    AF_LIVE_DECODE = 32,            // greedy decoding
    AF_LIVE_BACKWARD = AF_LIVE_BACKWARD_FF | AF_LIVE_BACKWARD_ATTENTION,
    AF_LIVE_PASS = AF_LIVE_FORWARD | AF_LIVE_BACKWARD,
    AF_LIVE_STEP = AF_LIVE_PASS | AF_LIVE_UPDATE,
    AF_LIVE_MLP = AF_RECOMPUTE ? AF_LIVE_FORWARD | AF_LIVE_BACKWARD_FF : AF_LIVE_PASS,
    AF_LIVE_READ = AF_LIVE_PASS | AF_LIVE_DECODE,
    AF_LIVE_ALWAYS = AF_LIVE_INIT | AF_LIVE_STEP | AF_LIVE_DECODE
};

/// Row numbers and positions.
#if AF_ROWS < 65535
typedef uint16_t af_index;
#else
typedef uint32_t af_index;
#endif

// -------------------------------------------------------------------------------------- sizes that the kernels need

/// Columns of a panel of packed weights: AF_PACK... tensors hold [panel][sum index][AF_LANES].
#define AF_LANES                          16
#define AF_PANELS(n_columns)              (((n_columns) + AF_LANES - 1) / AF_LANES)
#define AF_PACKED_REALS(n_columns, n_sum) (AF_PANELS(n_columns) * AF_LANES * (n_sum))

/// Scratch of one worker: keys or values of a head with the axes exchanged, and a plane of scores; the plain loops use
/// one row of it.
#if AF_PACKED
#define AF_SCRATCH_COLUMNS (AF_PANELS(AF_CONTEXT) * AF_LANES)
#define AF_SCRATCH_REALS   (AF_SCRATCH_COLUMNS * (AF_HEAD_DIM + AF_CONTEXT))
#else
#define AF_SCRATCH_REALS AF_CONTEXT
#endif

// ------------------------------------------------------------------------------------------------- sizes in numbers

/// Number of parameters, by formula; af_arena.c compares it with the struct. The chapter's model: 103,244.
#define AF_BLOCK_PARAMS                                                                                                \
    (4 * AF_DIM + 3 * AF_DIM * (AF_DIM + 1) + AF_DIM * (AF_DIM + 1) + AF_FF * (AF_DIM + 1) + AF_DIM * (AF_FF + 1))
#define AF_N_PARAMS                                                                                                    \
    ((AF_VOCAB + AF_CONTEXT) * AF_DIM + AF_BLOCKS * AF_BLOCK_PARAMS + 2 * AF_DIM + AF_VOCAB * (AF_DIM + 1))

/// Sizes in bytes for `#if` and for linker scripts, by formula; af_arena.c compares each with sizeof.
#define AF_LARGER(a, b)    ((a) > (b) ? (a) : (b))
#define AF_SPAN(bytes)     ((bytes) + AF_GAP_BYTES(bytes)) /* a region and the gap behind it */
#define AF_INDEX_BYTES     (AF_ROWS < 65535 ? 2 : 4)
#define AF_TOKEN_BYTES     (AF_VOCAB < 255 ? 1 : 2)
#define AF_PLANE_BYTES     (AF_N_PARAMS * AF_REAL_BYTES)
#define AF_ATTENTION_REALS (5 * AF_DIM + 4 + AF_HEADS * AF_CONTEXT)  /* a row of what attention saves */
#define AF_MLP_REALS       (AF_CHUNK_ROWS * (2 + AF_PACKED) * AF_FF) /* what the MLP saves */
#define AF_NORM_REALS      (AF_CHUNK_ROWS * AF_DIM)                  /* what a layer norm saves */
#define AF_BACKWARD_REALS  AF_LARGER((AF_RECOMPUTE ? AF_MLP_REALS : 0) + AF_CHUNK_ROWS * AF_FF, (AF_ROWS * 4 * AF_DIM))
#define AF_TRAIN_REALS                                                                                                 \
    (AF_ROWS * (AF_BLOCKS * AF_DIM + (AF_RECOMPUTE == 2 ? 1 : AF_BLOCKS) * AF_ATTENTION_REALS) +                       \
     (AF_RECOMPUTE ? AF_NORM_REALS : AF_BLOCKS * (2 * AF_NORM_REALS + AF_MLP_REALS) + AF_NORM_REALS) +                 \
     AF_ROWS * (3 * AF_DIM + 3 + (AF_RECOMPUTE ? 1 : 2) * AF_VOCAB) + AF_BACKWARD_REALS +                              \
     AF_WORKERS * AF_SCRATCH_REALS)
#if AF_TRAINING
#define AF_TRAIN_BYTES                                                                                                 \
    (AF_TRAIN_REALS * AF_REAL_BYTES + 2 * (AF_ROUND8(AF_ROWS) + AF_ROUND8(AF_MICRO_BATCH + 1)) * AF_INDEX_BYTES +      \
     2 * AF_ROUND8(AF_ROWS) * AF_TOKEN_BYTES)
#else
#define AF_TRAIN_BYTES 0
#endif
#define AF_DECODE_BYTES                                                                                                \
    ((AF_BLOCKS * AF_CONTEXT * 2 * AF_DIM + AF_DECODE_ROWS * (5 * AF_DIM + AF_HEADS * AF_CONTEXT + AF_FF) + AF_VOCAB + \
      (AF_DECODE_ROWS > 1 ? AF_SCRATCH_REALS : 0)) *                                                                   \
         AF_REAL_BYTES +                                                                                               \
     8 * AF_INDEX_BYTES)
#define AF_PACKED_BLOCK_REALS                                                                                          \
    (2 * AF_PACKED_REALS(AF_DIM, AF_DIM) + AF_PACKED_REALS(2 * AF_DIM, AF_DIM) + AF_PACKED_REALS(AF_FF, AF_DIM) +      \
     AF_PACKED_REALS(AF_DIM, AF_FF) +                                                                                  \
     AF_TRAINING * (AF_PACKED_REALS(AF_DIM, 4 * AF_DIM + AF_FF) + AF_PACKED_REALS(AF_FF, AF_DIM)))
#define AF_PACKED_BYTES                                                                                                \
    ((AF_BLOCKS * AF_PACKED_BLOCK_REALS + AF_PACKED_REALS(AF_VOCAB, AF_DIM) +                                          \
      AF_TRAINING * AF_PACKED_REALS(AF_DIM, AF_VOCAB)) *                                                               \
     AF_REAL_BYTES)
#define AF_INIT_STREAM_BYTES (AF_STREAMS * 2500)
#define AF_STATE_BYTES       (6 * AF_REAL_BYTES + 32 + AF_STREAMS * 40)
#define AF_WORK_BYTES        AF_LARGER(AF_LARGER(AF_TRAIN_BYTES, AF_DECODE_BYTES), AF_INIT_STREAM_BYTES)
#define AF_ARENA_BYTES                                                                                                 \
    ((1 + 3 * AF_TRAINING) * AF_SPAN(AF_PLANE_BYTES) + AF_TRAINING * AF_SPAN(AF_STATE_BYTES) +                         \
     AF_PACKED * AF_SPAN(AF_PACKED_BYTES) + AF_SPAN(AF_WORK_BYTES))
#if AF_ARENA_BYTES > 2147483647
#error "The arena exceeds 2147483647 bytes: make AF_DIM, AF_FF, AF_BLOCKS, AF_CONTEXT or AF_MICRO_BATCH smaller."
#endif

// ----------------------------------------------------------------------------------------------- weights: a plane

struct af_block_weights {
#define AF_WEIGHT_BLOCK AF_WEIGHT_MEMBER
#include "af_tensors.def"
};

struct af_weights {
#define AF_WEIGHT_INPUT AF_WEIGHT_MEMBER
#include "af_tensors.def"
    struct af_block_weights block[AF_BLOCKS];
#define AF_WEIGHT_OUTPUT AF_WEIGHT_MEMBER
#include "af_tensors.def"
};

/// A plane, by name and as one vector.
union af_plane {
    struct af_weights at;
    af_real flat[AF_N_PARAMS];
};

// ------------------------------------------------------------------------------- workspace of training, of decoding

#if AF_TRAINING
struct af_saved_block {
#define AF_SAVED_BLOCK AF_MEMBER
#include "af_tensors.def"
};

#if AF_RECOMPUTE == 2
struct af_saved_once {
#define AF_SAVED_ONCE AF_MEMBER
#include "af_tensors.def"
};
#endif

struct af_backward_ff {
#define AF_BACKWARD_FF AF_MEMBER
#include "af_tensors.def"
};

struct af_backward_attention {
#define AF_BACKWARD_ATTENTION AF_MEMBER
#include "af_tensors.def"
};

/// The two halves of a block's backward pass take turns. With AF_RECOMPUTE the MLP's activations are in its half.
union af_backward_part {
    struct af_backward_ff ff;
    struct af_backward_attention attention;
};

struct af_train {
    struct af_saved_block block[AF_BLOCKS];
#if AF_RECOMPUTE == 2
    struct af_saved_once once; // of the current block
#endif
#define AF_SAVED AF_MEMBER
#include "af_tensors.def"
#define AF_BACKWARD AF_MEMBER
#include "af_tensors.def"
    union af_backward_part part;
#define AF_SCRATCH AF_MEMBER
#include "af_tensors.def"
#define AF_BATCH AF_MEMBER
#include "af_tensors.def"
};
#endif

struct af_cache_block {
#define AF_CACHE_BLOCK AF_MEMBER
#include "af_tensors.def"
};

struct af_decode {
    struct af_cache_block block[AF_BLOCKS];
#define AF_DECODE AF_MEMBER
#include "af_tensors.def"
};

#if AF_PACKED
struct af_packed_block {
#define AF_PACK_BLOCK AF_MEMBER
#include "af_tensors.def"
};

struct af_packed {
    struct af_packed_block block[AF_BLOCKS];
#define AF_PACK AF_MEMBER
#include "af_tensors.def"
};
#endif

/// Three things that are never live together share these bytes: a micro-batch of training, a decoding, and the stream
/// of the initial weights.
union af_work {
#if AF_TRAINING
    struct af_train train;
#endif
    struct af_decode decode;
#define AF_START AF_MEMBER
#include "af_tensors.def"
};

// ----------------------------------------------------------------------------------------------------------- state

#if AF_TRAINING
/// Progress of training. A program may read it; only af_train_*() and loads of checkpoints write it.
struct af_progress {
    af_real loss_sum;      // sum of the losses of this step's targets so far
    af_real inverse_count; // 1 / n_targets
    af_real learning_rate; // of the current update
    af_real weight_decay;  // of the current update
    af_real correction1;   // 1 - beta1^step, by the recurrence c = c * beta1 + (1 - beta1)
    af_real correction2;   // 1 - beta2^step
    uint32_t step;         // updates done since the weights were new
    uint32_t n_targets;    // targets announced for the current step
    uint32_t n_taken;      // targets taken so far
    uint32_t cursor;       // parameters updated so far
    uint64_t run;          // incremented by af_train_reset() and by each load of a checkpoint
    uint16_t phase;        // what may come next: enum af_train_phase
    uint8_t stage;         // next stage of the current pass
    uint8_t is_packed;     // 1: packed weights equal `weight`, unless the program has written one of them
    uint16_t n_sequences;  // sequences in the current micro-batch
    uint16_t unused;       // 0
};

struct af_state {
#define AF_STATE AF_MEMBER
#include "af_tensors.def"
};
#endif

// ----------------------------------------------------------------------------------------------------------- arena

struct af_arena {
#define AF_REGION(type, name, live, text)                                                                              \
    type name;                                                                                                         \
    uint8_t name##_gap[AF_GAP_BYTES(sizeof(type))];
#include "af_tensors.def"
};

/// Offset of a tensor in the arena, a compile-time constant: AF_OFFSET(weight.at.block[1].qkv_w).
#define AF_OFFSET(path) offsetof(struct af_arena, path)
// promise: compile-time-offsets, arena-bytes-in-if

/// Addresses of the regions of one instance of the model. Regions SHALL be distinct. Instances may share only `weight`,
/// and only while none of them trains. Functions that take a model and return a status refuse a region that is not
/// aligned for its type (AF_ERR_ALIGN). Aligned to AF_ALIGN, regions share no cache line.
struct af_model {
#define AF_REGION(type, name, live, text) type *name;
#include "af_tensors.def"
    const struct af_kernels *kernels; // how operations are carried out; NULL: the plain loops
    const struct af_runner *runner;   // who runs pieces of a step; NULL: this thread, one after another
};

/// Does piece number `piece` of the work that `work` describes. `worker` is below AF_WORKERS; pieces that run at the
/// same time have different workers.
typedef void af_piece(void *work, size_t piece, size_t worker);

/// Runs pieces 0 to n_pieces - 1, in any order, at the same time or not, and returns when all are done. The pieces see
/// what the calling thread wrote before; afterwards it sees what they wrote.
/// promise: workers-same-bits
struct af_runner {
    void (*run)(void *context, af_piece *piece, void *work, size_t n_pieces);
    void *context;
    size_t n_workers; // most pieces at the same time, 1 to AF_WORKERS
};

/// The default instance. Nothing in lib/ refers to it, so a program that brings its own regions does not link it.
extern struct af_arena af_arena;

/// The regions of `arena` as a model. Kernels and runner are NULL: plain loops on this thread.
struct af_model af_model_of(struct af_arena *arena);

/// A number that differs between configurations whose weights or training states cannot be exchanged: CRC-32C over
/// the sizes, the real type, the switches that change the model, and the constants of AdamW and layer norm.
/// It does not depend on the micro-batch and the features. Cost: a few microseconds.
/// promise: config-digest
uint32_t af_config_digest(void);

#if AF_STREAMS
/// Draws the initial weights as `torch.manual_seed(seed)` and PyTorch's default initialisation would: embeddings from
/// N(0, 1), linear layers from U(-1/sqrt(n_in), 1/sqrt(n_in)), layer norms 1 and 0: bit for bit the floats of PyTorch
/// 1.13 on x86-64 with AVX2. Overwrites `weight` and `stream`. `stream` may be the work region's init_stream, which
/// shares its bytes: then no step SHALL be open, and decoding memory from af_decode_open() becomes invalid. Returns
/// AF_OK. Errors, with nothing written: AF_ERR_NULL; AF_ERR_ALIGN if an address is not aligned for its struct; the
/// codes of af_float_check() if this thread is in a wrong mode.
af_status af_init_weights(struct af_weights *weight, struct af_torch *stream, uint64_t seed);
#endif
// promise: pytorch-weights

#ifdef __cplusplus
}
#endif
#endif
