// SPDX-License-Identifier: MIT
/// The notebook7 program on a host: the document's lines, the comparison, tensors by name, the map, the figures.
#ifndef HOST_H
#define HOST_H

#include "command_line.h"
#include "notebook7.h"

#include <stdio.h>

int cmd_run(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_map(int argc, char **argv);
int cmd_figures(int argc, char **argv);

/// Takes --seed and --sentence, which n7_seed and n7_words then hold. False after a line on stderr.
bool take_stream(int *argc, char **argv);

/// Every number of the document beside ours, and its words with numbers, as text or as HTML. Runs the steps again.
/// Returns whether all agree. Rows that rest on a seed or a size that is not the document's say so.
bool compare_with_document(FILE *file, bool is_html);

/// The tensor of a name: its path, the end of it ("heads[0].Wq"), or the document's name ("W_Q"). For a name that none
/// has, or several have, prints a line and returns one with n_bytes 0.
struct af_tensor find_tensor(const char *name);

// --------------------------------------------------------------------------- what the document says in words, shown

/// Step 2: how much the last state depends on the first token, after 1 to N7_LONG tokens: the Frobenius norm of
/// d h_T / d x_1. (The document prints that of d h_T / d h_0: of the state before the first token.) Step 2 has to be in
/// the arena.
void shown_recurrent_influence(af_real influence[N7_LONG]);

/// Step 2 and 5: how much the last token's output depends on the first token, after 1 to N7_LONG tokens, when attention
/// connects them: the Frobenius norm of d out_T / d x_1. The sequence is the one that the recurrent network reads, and
/// queries, keys and values are the vectors themselves, as in step 3. Step 2 has to be in the arena.
void shown_attention_influence(af_real influence[N7_LONG]);

/// Step 4: the Frobenius norm of the softmax's Jacobian, diag(w) - w w^T, at weights w [n].
af_real shown_softmax_jacobian(const af_real *w, size_t n);

/// Step 6: numbers of the separate heads' output whose bits the fused attention of the library has too; of n.
size_t shown_fused_equal(size_t *n);

/// Step 7: "the patient treated the doctor" and "the doctor treated the patient", each word's output in one sentence
/// against the same word's in the other: the largest difference without and with positions.
struct shown_sentences {
    af_real without;
    af_real with;
};
struct shown_sentences shown_doctor(void);

/// Section 1.8 of the chapter: largest difference from the outputs as they were, when keys and values are reordered;
/// and from the reordered outputs, when all tokens are, without and with the causal mask.
struct shown_orders {
    af_real keys_and_values;
    af_real tokens;
    af_real tokens_masked;
};
struct shown_orders shown_orders(void);

/// Step 8: the Frobenius norm of d y / d x through a stack of n blocks, all with the weights of step 8, on x_in.
enum { SHOWN_MOST_BLOCKS = 24 };
af_real shown_stack_gradient(size_t n, bool has_residual);

#endif
