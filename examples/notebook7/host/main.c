// SPDX-License-Identifier: MIT
/// Notebook 7, "Attention and the Transformer, from scratch", on the same random stream.
#include "host.h"
#include "map_command.h"

const char program_name[] = "notebook7";

#define STREAM_OPTIONS                                                                                                 \
    "  --seed N           numpy.random.default_rng(N); the document's is 0\n"                                          \
    "  --sentence WORDS   other words, as many as the sentence has tokens: \"one two three ...\"\n"

static const struct command commands[] = {
    {"run", cmd_run, "[--seed N] [--sentence WORDS] [--lines | --html]",
     "what the document prints, then each number beside the document's",
     STREAM_OPTIONS "  --lines            no table\n"
                    "  --html             nothing but the table, as HTML\n"},
    {"show", cmd_show, "[--seed N] [--sentence WORDS] [--all] [--exact] TENSOR",
     "the numbers of any tensor: W_Q, w_causal, PE8, heads[0].Wq ...",
     STREAM_OPTIONS "  --all              every number, not only the first rows and columns\n"
                    "  --exact            with so many digits that reading them back gives the same bits\n"},
    {"map", cmd_map, MAP_COMMAND_ARGUMENTS, "where every tensor lies in the arena, and in which steps", NULL},
    {"figures", cmd_figures, "[--seed N] [--sentence WORDS] FOLDER",
     "write attention.svg, positions.svg and influence.svg into a folder", STREAM_OPTIONS},
};

int main(int argc, char **argv) {
    const af_status status = n7_selftest(); // run_program() asks lib/
    if (status != AF_OK) {
        (void)complain("the self-test of the notebook's operations fails: %s, %s", af_status_name(status),
                       af_status_text(status));
        return STATUS_FAILED;
    }
    return run_program(
        argc, argv, commands, sizeof(commands) / sizeof(commands[0]),
        "Sizes are compiled in: make notebook7 OPT=\"-DAF_DIM=16 -DAF_HEADS=4\", and likewise AF_FF, AF_CONTEXT\n"
        "(tokens of the sentence), N7_HIDDEN, N7_LONG, N7_KEYS, N7_PLACES, N7_WIDTH, N7_K.\n");
}
