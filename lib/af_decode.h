// SPDX-License-Identifier: MIT
/// Greedy decoding with a key/value cache: the weights are only read and may be in flash, the memory is one struct
/// af_decode. A prompt goes through the model AF_DECODE_ROWS tokens at a time, what follows one token at a time, and of
/// the last block only keys and values are computed but for the newest token. Every number has the bits that computing
/// the whole sequence anew would give, whatever AF_DECODE_ROWS is.
/// promise: cache-same-bits, weights-in-flash
///
/// Without AF_CAN_CACHE rows change with later tokens: every token is then computed from all tokens before it, anew and
/// without padding, in af_decode_greedy() alone.
/// promise: no-cache-refused
#ifndef AF_DECODE_H
#define AF_DECODE_H

#include "af_reader.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Weights that are being trained. A reader of af_reader_of() shows where their training stands, and each call looks:
/// decoding goes on while a step is open, from the weights before it, up to the first slice of the update that changes
/// them. From there to the end of the update, after it where packed weights are those of before, and with tokens in the
/// memory that went through the weights of an earlier step, it is AF_ERR_ORDER. A reader without `progress` is for
/// weights that nobody trains.
/// promise: weights-of-one-step
///
/// Numbers. Weights are not looked at, but logits are: where one is infinite or NaN no token is chosen
/// (AF_ERR_NOT_FINITE). Huge weights whose products overflow end there too. What is finite is not judged.
/// promise: logits-are-numbers
///
/// Memory. The number of tokens so far is compared with AF_CONTEXT before it is used; keys, values and a smaller number
/// of tokens that have changed by themselves are not noticed, unless they make logits that are none.

/// The decoding memory of a model's workspace, emptied. It shares its bytes with training's activations and the stream
/// of initial weights: once af_train_load(), af_train_accumulate(), af_forward() or af_init_weights() on that stream
/// was called, the memory SHALL not be used any more before it is opened again. (A decoder that is to live beside
/// training has a struct af_decode of its own.)
/// Errors, with `decode` unchanged: AF_ERR_NULL; AF_ERR_ALIGN; AF_ERR_ORDER while a step is open or after a load or an update that
/// broke off; the codes of af_float_check() if the floating-point mode of this thread, or of a worker that packs
/// weights, is wrong.
af_status af_decode_open(const struct af_model *model, struct af_decode **decode);

/// Starts a new sequence: forgets all tokens. For memory of your own it takes the place of af_decode_open(), but for
/// packed weights: where the kernels need them, af_pack_weights() comes first once weights have changed, by training
/// too.
void af_decode_reset(struct af_decode *decode);

/// Appends `token` at the next position and computes decode->logits [V], those of the token after it.
/// Errors, with nothing changed: AF_ERR_NULL, also for kernels that need packed weights where there are none;
/// AF_ERR_ALIGN if an address is none that such a struct can have;
/// AF_ERR_TOKEN; AF_ERR_ORDER as above; AF_ERR_CONTEXT_FULL after AF_CONTEXT tokens; AF_ERR_NO_CACHE without
/// AF_CAN_CACHE; the codes of af_float_check() if the floating-point mode of this thread is wrong.
/// AF_ERR_NOT_FINITE: the token is not appended; logits are those that are not finite.
/// The token's activations are in row 0 of the tensors of `decode`.
/// Cost: 2 (4 D D + 2 D F) L operations and 4 D L for each token so far.
af_status af_decode_push(struct af_decode *decode, const struct af_reader *reader, af_token token);
// promise: bad-input-named

/// Feeds a prompt and lets the model continue it: out [n_out] gets, one after another, the most likely next token, each
/// fed back. On return `decode` holds the prompt and all of `out` but its last token, and decode->logits are those
/// after the last token that it holds. `out` SHALL be distinct from `prompt`.
/// Errors, with nothing written or changed: AF_ERR_NULL; AF_ERR_ALIGN; AF_ERR_LENGTH for an empty prompt; AF_ERR_TOKEN;
/// AF_ERR_CONTEXT_FULL if n_prompt + n_out - 1 is more than AF_CONTEXT; AF_ERR_ORDER as above; the codes of
/// af_float_check(), which looks once, before the prompt.
/// AF_ERR_NOT_FINITE: `out` has the tokens before the one that cannot be chosen, the rest of it is as it was; logits
/// are those that are not finite.
/// Cost: n_out - 1 times af_decode_push(), and for the prompt's tokens but one 4 D D operations in place of a push's
/// 8 D D + 4 D F in the last block. Without AF_CAN_CACHE the whole prefix for every token.
af_status af_decode_greedy(af_token *out, struct af_decode *decode, const struct af_reader *reader,
                           const af_token *prompt, size_t n_prompt, size_t n_out);
// promise: greedy-takes-likeliest

#ifdef __cplusplus
}
#endif
#endif
