// SPDX-License-Identifier: MIT
// Layers as the kernels see them, and packing their weights.
#include "af_reader.h"

struct af_reader af_reader_of(const struct af_model *const model) {
    struct af_reader reader = {&model->weight->at, NULL, model->kernels};
#if AF_PACKED
    reader.packed = model->packed;
#endif
    return reader;
}

const struct af_kernels *af_kernels_of(const struct af_reader *const reader) {
    return reader->kernels == NULL ? &af_kernels_plain : reader->kernels;
}

#if AF_PACKED
#define PACKED(layer, place)                                                                                           \
    if (reader->packed != NULL) {                                                                                      \
        (layer).packed = reader->packed->place;                                                                        \
        PACKED_BACK(layer, place)                                                                                      \
    }
#if AF_TRAINING
#define PACKED_BACK(layer, place) (layer).packed_back = reader->packed->place##_back;
#else
#define PACKED_BACK(layer, place)
#endif
#else
#define PACKED(layer, place)
#endif

struct af_layer af_layer_of(const struct af_reader *const reader, const enum af_layer_name name, const size_t block) {
    const struct af_block_weights *const w = &reader->weight->block[block];
    struct af_layer layer = {NULL, NULL, NULL, NULL, AF_DIM, AF_DIM};
    switch (name) {
    case AF_LAYER_Q:
        layer.w = w->qkv_w[0];
        layer.b = w->qkv_b;
        PACKED(layer, block[block].q)
        break;
    case AF_LAYER_KV:
        layer.w = w->qkv_w[AF_DIM];
        layer.b = &w->qkv_b[AF_DIM];
        layer.n_out = 2 * (size_t)AF_DIM;
        PACKED(layer, block[block].kv)
        break;
    case AF_LAYER_OUT:
        layer.w = w->out_w[0];
        layer.b = w->out_b;
        PACKED(layer, block[block].out)
        break;
    case AF_LAYER_FF1:
        layer.w = w->ff1_w[0];
        layer.b = w->ff1_b;
        layer.n_out = AF_FF;
        PACKED(layer, block[block].ff1)
        break;
    case AF_LAYER_FF2:
        layer.w = w->ff2_w[0];
        layer.b = w->ff2_b;
        layer.n_in = AF_FF;
        PACKED(layer, block[block].ff2)
        break;
    case AF_LAYER_HEAD:
    default:
        layer.w = reader->weight->head_w[0];
        layer.b = reader->weight->head_b;
        layer.n_out = AF_VOCAB;
        PACKED(layer, head)
        break;
    }
    return layer;
}

#if AF_PACKED
/// Packs one layer; the places are those of model->packed, which the layer refers to.
static void pack_layer(const struct af_layer *const l, af_real *const packed, af_real *const packed_back) {
    af_pack(packed, l->w, l->n_in, 1, l->n_out, l->n_in);
    if (packed_back != NULL) {
        af_pack(packed_back, l->w, 1, l->n_in, l->n_in, l->n_out);
    }
}
#if AF_TRAINING
#define BACK(place) place##_back
#else
#define BACK(place) NULL
#endif
#endif

void af_pack_weights(const struct af_model *const model) {
#if AF_PACKED
    const struct af_reader reader = af_reader_of(model);
    if (!af_kernels_of(&reader)->needs_packed) {
        return;
    }
    for (size_t b = 0; b < AF_BLOCKS; b++) {
        struct af_packed_block *const p = &model->packed->block[b];
        const struct af_layer q = af_layer_of(&reader, AF_LAYER_Q, b);
        const struct af_layer kv = af_layer_of(&reader, AF_LAYER_KV, b);
        const struct af_layer out = af_layer_of(&reader, AF_LAYER_OUT, b);
        const struct af_layer ff1 = af_layer_of(&reader, AF_LAYER_FF1, b);
        const struct af_layer ff2 = af_layer_of(&reader, AF_LAYER_FF2, b);
        pack_layer(&q, p->q, BACK(p->q));
        pack_layer(&kv, p->kv, BACK(p->kv));
        pack_layer(&out, p->out, BACK(p->out));
        pack_layer(&ff1, p->ff1, BACK(p->ff1));
        pack_layer(&ff2, p->ff2, BACK(p->ff2));
    }
    const struct af_layer head = af_layer_of(&reader, AF_LAYER_HEAD, 0);
    pack_layer(&head, model->packed->head, BACK(model->packed->head));
#else
    (void)model;
#endif
}
