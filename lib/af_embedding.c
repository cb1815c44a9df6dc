// SPDX-License-Identifier: MIT
// Token and position embedding, and their gradients.
#define AF_FILE_embedding 0, AF_OWN
#include "af_inner_liberties.h"
#include "af_ops.h"

void af_embedding_forward(af_real *const x, const af_real *const tok, const af_real *const pos,
                          const af_token *const token, const af_index *const position, const size_t n) {
    for (size_t r = 0; r < n; r++) {
        for (size_t i = 0; i < AF_DIM; i++) {
            x[r * AF_DIM + i] = tok[token[r] * (size_t)AF_DIM + i] + pos[position[r] * (size_t)AF_DIM + i];
        }
    }
}

#if AF_TRAINING
void af_embedding_backward(af_real *const d_tok, af_real *const d_pos, const af_real *const d_x,
                           const af_token *const token, const af_index *const position, const size_t n,
                           const size_t from, const size_t n_part) {
    for (size_t r = 0; r < n; r++) {
        for (size_t i = from; i < from + n_part; i++) {
            d_tok[token[r] * (size_t)AF_DIM + i] += d_x[r * AF_DIM + i];
            d_pos[position[r] * (size_t)AF_DIM + i] += d_x[r * AF_DIM + i];
        }
    }
}
#endif

af_status af_liberties_embedding(const volatile af_real *const v) {
    return af_liberties(v);
}

#include "af_inner_export.h"
