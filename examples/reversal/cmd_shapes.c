// SPDX-License-Identifier: MIT
// The trace of section 1.6: what shape everything has, line by line, in PyTorch's terms and in the arena's.
#include "look.h"
#include "map_print.h"
#include "table.h"

#include <stdarg.h>
#include <string.h>

enum { CELL_BYTES = 96 };

/// Writes a shape or a name, and returns it.
static const char *text_of(char out[CELL_BYTES], const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

static const char *text_of(char out[CELL_BYTES], const char *const format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(out, CELL_BYTES, format, arguments);
    va_end(arguments);
    return out;
}

/// One line: code and shape in PyTorch; the tensor here, or a part of it as `show` takes it (NULL: none), and how many
/// of its rows are used (0: all); what else there is to say (NULL: nothing).
static void row(const struct table *const table, const char *const code, const char *const shape,
                const char *const name, const size_t n_rows, const char *const note) {
    static struct view view;
    char here[2 * MAP_TEXT_BYTES] = "";
    char offset[32] = "";
    if (name != NULL && view_parse(&view, name) == STATUS_DONE) {
        (void)snprintf(here, sizeof(here), "%s ", name);
        for (size_t a = 0; a < view.tensor.rank; a++) {
            const size_t n = strlen(here);
            (void)snprintf(here + n, sizeof(here) - n, "[%zu]", a == 0 && n_rows > 0 ? n_rows : view.axis[a].n);
        }
        const size_t element_bytes = view.tensor.n_bytes / view.tensor.n_elements;
        (void)snprintf(offset, sizeof(offset), "+%zu", view.tensor.offset + view_element(&view, 0) * element_bytes);
    }
    if (note != NULL) {
        const size_t n = strlen(here);
        (void)snprintf(here + n, sizeof(here) - n, "%s%s", n > 0 ? ", " : "", note);
    }
    const char *const cell[] = {code, shape, here, offset};
    table_row(table, cell);
}

/// A weight: its PyTorch name, its shape there and here, which are the same.
static void weight(const struct table *const table, const char *const torch) {
    const struct af_tensor t = af_map_find(&af_map, torch);
    char name[CELL_BYTES];
    char shape[CELL_BYTES] = "(";
    for (size_t d = 0; d < t.rank; d++) {
        const size_t n = strlen(shape);
        (void)snprintf(shape + n, sizeof(shape) - n, "%s%zu", d > 0 ? ", " : "", t.dim[d]);
    }
    const size_t n = strlen(shape);
    (void)snprintf(shape + n, sizeof(shape) - n, "%s", t.rank == 1 ? ",)" : ")");
    row(table, text_of(name, "    %s", torch), shape, t.name, 0, NULL);
}

// ----------------------------------------------------------------------------------------------------------- parts

static void print_input(const struct table *const table, const size_t n) {
    char shape[CELL_BYTES];
    (void)fprintf(table->file, "\nInput\n");
    row(table, "tokens", text_of(shape, "(1, %zu)", n), "work.train.token", n, NULL);
    weight(table, "tok.weight");
    weight(table, "pos.weight");
    row(table, "x = tok(tokens) + pos(arange(T))", text_of(shape, "(1, %zu, %d)", n, AF_DIM), "work.train.block[0].x",
        n, NULL);
}

/// Section 1.6's lines, for block 0.
static void print_attention(const struct table *const table, const size_t n) {
    char s[CELL_BYTES];
    char note[CELL_BYTES];
    (void)fprintf(table->file, "\nBlock 0, attention\n");
    row(table, "ln1(x)", text_of(s, "(1, %zu, %d)", n, AF_DIM), "work.train.block[0].ln1", n, NULL);
    weight(table, "blocks.0.attn.qkv.weight");
    row(table, "self.qkv(x)", text_of(s, "(1, %zu, %d)", n, 3 * AF_DIM), NULL, 0, "one product makes all three:");
    (void)text_of(s, "(1, %zu, %d)", n, AF_DIM);
    row(table, "q, k, v = ....split(D, dim=-1)   q", s, "work.train.block[0].q", n, NULL);
    row(table, "                                 k", s, "work.train.block[0].kv.k", n, NULL);
    row(table, "                                 v", s, "work.train.block[0].kv.v", n, NULL);
    row(table, "t.view(B, T, h, dk)", text_of(s, "(1, %zu, %d, %d)", n, AF_HEADS, AF_HEAD_DIM), NULL, 0,
        text_of(note, "the same bytes: head h is components %d h to %d h + %d", AF_HEAD_DIM, AF_HEAD_DIM,
                AF_HEAD_DIM - 1));
    row(table, " .transpose(1, 2)", text_of(s, "(1, %d, %zu, %d)", AF_HEADS, n, AF_HEAD_DIM), NULL, 0,
        "nothing moves: the loops run over the heads");
    (void)text_of(s, "(1, %d, %zu, %zu)", AF_HEADS, n, n);
    row(table, "scores = q @ k^T / sqrt(dk)", s, "work.train.block[0].att", n, "by query, head, key");
    row(table, "scores.masked_fill(mask, -inf)", s, NULL, 0, "never computed: query i has keys 0 to i");
    row(table, "weights = softmax(scores, dim=-1)", s, "work.train.block[0].att", n, "in place of the scores");
    row(table, "y = weights @ v", text_of(s, "(1, %d, %zu, %d)", AF_HEADS, n, AF_HEAD_DIM), "work.train.block[0].heads",
        n, "head beside head");
    row(table, "y.transpose(1, 2).reshape(B, T, D)", text_of(s, "(1, %zu, %d)", n, AF_DIM), NULL, 0,
        "stitched already");
    weight(table, "blocks.0.attn.out.weight");
    row(table, "x = x + self.out(y)", s, "work.train.block[0].x_mid", n, NULL);
}

static void print_mlp(const struct table *const table, const size_t n) {
    char s[CELL_BYTES];
    char wide[CELL_BYTES];
    (void)text_of(s, "(1, %zu, %d)", n, AF_DIM);
    (void)text_of(wide, "(1, %zu, %d)", n, AF_FF);
    (void)fprintf(table->file, "\nBlock 0, feed-forward network: %d -> %d -> %d\n", AF_DIM, AF_FF, AF_DIM);
    row(table, "ln2(x)", s, "work.train.block[0].ln2", n, NULL);
    weight(table, "blocks.0.mlp.0.weight");
    row(table, "mlp[0](...)", wide, "work.train.block[0].ff_in", n, NULL);
    row(table, "GELU", wide, "work.train.block[0].ff_act", n, NULL);
    weight(table, "blocks.0.mlp.2.weight");
    row(table, "x = x + mlp[2](...)", s, AF_BLOCKS > 1 ? "work.train.block[1].x" : "work.train.x_out", n, NULL);
}

/// Blocks after the first differ in their addresses only.
static void print_other_blocks(FILE *const file) {
#if AF_BLOCKS > 1
    const struct af_tensor a[2] = {af_map_find(&af_map, "work.train.block[0].q"),
                                   af_map_find(&af_map, "work.train.block[1].q")};
    const struct af_tensor w[2] = {af_map_find(&af_map, "weight.block[0].qkv_w"),
                                   af_map_find(&af_map, "weight.block[1].qkv_w")};
    (void)fprintf(
        file,
        "\nEvery further block: the same shapes, its activations %zu bytes behind those of the block before it, "
        "its\nweights %zu bytes. Block %d writes its result to work.train.x_out.\n",
        a[1].offset - a[0].offset, w[1].offset - w[0].offset, AF_BLOCKS - 1);
#else
    (void)file;
#endif
}

static void print_output(const struct table *const table, const size_t n) {
    char s[CELL_BYTES];
    (void)fprintf(table->file, "\nOutput\n");
    row(table, "x after the last block", text_of(s, "(1, %zu, %d)", n, AF_DIM), "work.train.x_out", n, NULL);
    row(table, "ln_f(x)", s, "work.train.lnf", n, NULL);
    weight(table, "head.weight");
    row(table, "logits = head(...)", text_of(s, "(1, %zu, %d)", n, AF_VOCAB), "work.train.logits", n, NULL);
}

int cmd_shapes(int argc, char **argv) {
    static struct sequence sequence;
    if (!no_options_left(argc, argv)) {
        return STATUS_USAGE;
    }
    if (argc > 2) {
        return complain("shapes: give at most one string of the letters a to j, or a whole sequence such as 'abc|cba'");
    }
    if (!sequence_parse(&sequence, argc == 2 ? argv[1] : "fgcabe", ANSWER_TRUE)) {
        return STATUS_USAGE;
    }
    const size_t n = sequence.n;
    char text[AF_CONTEXT + 1];
    sequence_text(text, &sequence);
    (void)printf(
        "One sequence, %s: B = 1, T = %zu tokens, D = %d, h = %d heads of dk = %d, %d blocks, %d tokens known.\n"
        "Left: the chapter's code and its shapes in PyTorch. Right: the rows that this sequence fills here.\n\n",
        text, n, AF_DIM, AF_HEADS, AF_HEAD_DIM, AF_BLOCKS, AF_VOCAB);
    const struct table table = {stdout, 4, {{34, false}, {15, false}, {46, false}, {9, true}}};
    static const char *const head[] = {"PyTorch", "shape", "arena", "offset"};
    table_row(&table, head);
    table_rule(&table);
    print_input(&table, n);
    print_attention(&table, n);
    print_mlp(&table, n);
    print_other_blocks(stdout);
    print_output(&table, n);
    (void)printf("\nThe arena has room for %d rows, %d sequences of %d tokens; in PyTorch B would be up to %d.\n",
                 AF_ROWS, AF_MICRO_BATCH, AF_CONTEXT, AF_MICRO_BATCH);
    return STATUS_DONE;
}
