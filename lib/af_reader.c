// SPDX-License-Identifier: MIT
// Layers as the kernels see them, and packing their weights.
#define AF_FILE_reader 0, AF_OWN
#include "af_inner_kernels.h"
#include "af_inner_reader.h"
#include "af_reader.h"

struct af_reader af_reader_of(const struct af_model *const model) {
    struct af_reader reader = {&model->weight->at, NULL, model->kernels, NULL};
#if AF_PACKED
    reader.packed = model->packed;
#endif
#if AF_TRAINING
    if (model->state != NULL) {
        reader.progress = &model->state->progress[0];
    }
#endif
    return reader;
}

const struct af_kernels *af_kernels_of(const struct af_reader *const reader) {
    return reader->kernels == NULL ? &af_kernels_plain : reader->kernels;
}

/// Every linear layer: name, weights, bias, inputs, outputs, and member of the packed weights.
#define AFI_LAYERS(ROW)                                                                                                \
    ROW(AF_LAYER_Q, b->qkv_w[0], b->qkv_b, AF_DIM, AF_DIM, block[block].q)                                             \
    ROW(AF_LAYER_KV, b->qkv_w[AF_DIM], &b->qkv_b[AF_DIM], AF_DIM, 2 * AF_DIM, block[block].kv)                         \
    ROW(AF_LAYER_OUT, b->out_w[0], b->out_b, AF_DIM, AF_DIM, block[block].out)                                         \
    ROW(AF_LAYER_FF1, b->ff1_w[0], b->ff1_b, AF_DIM, AF_FF, block[block].ff1)                                          \
    ROW(AF_LAYER_FF2, b->ff2_w[0], b->ff2_b, AF_FF, AF_DIM, block[block].ff2)                                          \
    ROW(AF_LAYER_HEAD, w->head_w[0], w->head_b, AF_DIM, AF_VOCAB, head)

#if !AF_PACKED
#define AFI_PACKED(place)      NULL
#define AFI_PACKED_BACK(place) NULL
#else
#define AFI_PACKED(place) (p != NULL ? p->place : NULL)
#if AF_TRAINING
#define AFI_PACKED_BACK(place) (p != NULL ? p->place##_back : NULL)
#else
#define AFI_PACKED_BACK(place) NULL
#endif
#endif

struct af_layer af_layer_of(const struct af_reader *const reader, const enum af_layer_name name, const size_t block) {
    const struct af_weights *const w = reader->weight;
    const struct af_block_weights *const b = &w->block[block];
    const struct af_layer none = {NULL, NULL, NULL, NULL, 0, 0};
#if AF_PACKED
    const struct af_packed *const p = reader->packed;
#endif
    switch (name) {
#define AFI_LAYER(its_name, weights, bias, inputs, outputs, place)                                                     \
    case its_name: {                                                                                                   \
        const struct af_layer layer = {weights, bias, AFI_PACKED(place), AFI_PACKED_BACK(place), inputs, outputs};     \
        return layer;                                                                                                  \
    }
        AFI_LAYERS(AFI_LAYER)
    default:
        return none;
    }
}

#if AF_PACKED
/// Address of a layer's packed weights, for forward or for backward; NULL if there is no such layer.
static af_real *packed_place(struct af_packed *const p, const enum af_layer_name name, const size_t block,
                             const bool is_back) {
    switch (name) {
#define AFI_PLACE(its_name, weights, bias, inputs, outputs, place)                                                     \
    case its_name:                                                                                                     \
        return is_back ? AFI_PACKED_BACK(place) : p->place;
        AFI_LAYERS(AFI_PLACE)
    default:
        return NULL;
    }
}

/// A piece packs one layer for one direction: blocks first, forward before backward.
#define AFI_N_DIRECTIONS    (1 + AF_TRAINING)
#define AFI_LAYERS_OF_BLOCK ((size_t)AF_LAYER_HEAD)
#define AFI_N_LAYERS        (AF_BLOCKS * AFI_LAYERS_OF_BLOCK + 1)

static void pack_layer(void *const work, const size_t piece, const size_t worker) {
    const struct af_model *const model = (const struct af_model *)work;
    const struct af_reader reader = af_reader_of(model);
    const size_t layer = piece / AFI_N_DIRECTIONS;
    const bool is_back = piece % AFI_N_DIRECTIONS == 1;
    const bool is_head = layer == AFI_N_LAYERS - 1;
    const size_t block = is_head ? 0 : layer / AFI_LAYERS_OF_BLOCK;
    const enum af_layer_name name = is_head ? AF_LAYER_HEAD : (enum af_layer_name)(layer % AFI_LAYERS_OF_BLOCK);
    const struct af_layer l = af_layer_of(&reader, name, block);
    af_real *const packed = packed_place(model->packed, name, block, is_back);
    (void)worker;
    if (is_back) {
        af_pack(packed, l.w, 1, l.n_in, l.n_in, l.n_out);
    } else {
        af_pack(packed, l.w, l.n_in, 1, l.n_out, l.n_in);
    }
}
#endif

af_status af_pack_weights(const struct af_model *const model) {
#if AF_PACKED
    struct af_model work = *model;
    const struct af_reader reader = af_reader_of(model);
    if (af_kernels_of(&reader)->needs_packed) {
        const af_status status = af_run(model->runner, pack_layer, &work, AFI_N_LAYERS * AFI_N_DIRECTIONS);
#if AF_TRAINING
        if (status == AF_OK && model->state != NULL) {
            model->state->progress[0].is_packed = 1;
        }
#endif
        return status;
    }
#else
    (void)model;
#endif
    return AF_OK;
}

#include "af_inner_export.h"
