// SPDX-License-Identifier: MIT
/// The string-reversal model of the chapter "Attention and the transformer block": trained, tested and looked at.
#include "reversal.h"
#include "map_command.h"

AF_STATIC_ASSERT(AF_CONTEXT >= 25, the_longest_strings_of_the_chapter_have_12_letters);
AF_STATIC_ASSERT(AF_TRAINING == 1 && AF_STREAMS == 1 && AF_MAP == 1, this_program_uses_every_part_of_the_library);

/// How attention, show and shapes read a string.
#define SEQUENCES                                                                                                      \
    "STRING is letters a to j, which the model answers: fgcabe; or a whole sequence with a |, taken as it stands, "    \
    "of\n"                                                                                                             \
    "letters, | and . for the pad token: 'fgcabe|ebac', 'abc|', '...abc|cba'. Spaces count for nothing.\n"

static const struct command commands[] = {
    {"train", cmd_train,
     "[--steps N] [--batch N] [--seed-weights N] [--seed-training N] [--learning-rate X]\n"
     "                      [--weight-decay X] [--warm-up N] [--decay] [--lengths 3-8] [--loss outputs|all]\n"
     "                      [--offset] [--perturb N] [--workers N] [--weights FILE] [--csv FILE] [--quiet]\n"
     "                      [--checkpoint FILE [--checkpoint-every N] [--resume]]",
     "train the model; without options: the chapter's own run of 1,500 steps",
     "  --warm-up N        the rate rises to its value in N steps\n"
     "  --decay            then it falls to 0 in equal steps\n"
     "  --lengths A-B      strings of A to B letters\n"
     "  --loss all         letters are targets too, not only what comes after the separator\n"
     "  --offset           strings begin at a random position, behind pad tokens\n"
     "  --perturb N        moves every initial weight by at most one rounding unit; N chooses which way\n"
     "  --workers N        threads; 1 where other programs keep the processors busy\n"
     "  --csv FILE         the log: loss and hash of each step\n"
     "  --checkpoint FILE  saves the state of training there (16 MiB), its log in FILE.log; --resume goes on\n"},
    {"test", cmd_test, "[--weights FILE]", "reverse the chapter's 500 test strings, longer ones, and abcdefghij", NULL},
    {"reverse", cmd_reverse, "[--weights FILE] [--top N] STRING...",
     "reverse strings of the letters a to j; with --top: the N likeliest tokens for each letter", NULL},
    {"measure", cmd_measure, "[--weights FILE]", "what a trained model does, as lines of numbers for other programs",
     NULL},
    {"compare", cmd_compare, "[--weights FILE] [--csv FILE] [--html]",
     "every number of the chapter beside this model's",
     "  --csv FILE  the log of the training, if it is not beside the weights\n"
     "  --html      the table as HTML\n"},
    {"attention", cmd_attention, "[--weights FILE] [--svg FILE] [--columns N] STRING",
     "where each position of a string attends to, in every block and head",
     "  --svg FILE   a picture of all heads\n"
     "  --columns N  characters that a line may have\n" SEQUENCES},
    {"figures", cmd_figures, "[--weights FILE] [--csv FILE]",
     "draw the chapter's figures 1.1 and 1.2 of a run, beside its weights",
     "  --csv FILE  the log of the training, if it is not beside the weights\n"
     "Of NAME.weights they are NAME-figure-1.1.svg, the losses, and NAME-figure-1.2.svg, attention for fgcabe.\n"},
    {"show", cmd_show, "[--weights FILE] [--all] [--exact] TENSOR [STRING]",
     "the numbers of any tensor; of activations: those that a string gives",
     "  --all    every number, not only the first rows and columns\n"
     "  --exact  with so many digits that reading them back gives the same bits\n"
     "TENSOR is a name of the map or of PyTorch, and behind it, as far as it has them:\n"
     "  [3]      an index, as in C: tok[3], blocks.1.attn.qkv.weight[0][63]\n"
     "  .q .k .v the queries', keys' or values' part of qkv_w, qkv_b, kv: blocks.1.attn.qkv.weight.k\n"
     "  .head[1] what belongs to one head: work.train.block[1].q.head[1], "
     "work.train.block[1].kv.v.head[0]\n" SEQUENCES},
    {"shapes", cmd_shapes, "[STRING]", "the shapes of a sequence on its way through the model", SEQUENCES},
    {"byhand", cmd_byhand, "[--q VECTOR --k MATRIX --v MATRIX] [--names NAMES] [--no-scale]",
     "the worked example of section 1.2, or your own, step by step", NULL},
    {"map", cmd_map, MAP_COMMAND_ARGUMENTS, "where every tensor lies in the arena", NULL},
    {"export", cmd_export, "--c-header FILE [--weights FILE]", "the weights as a C header: constants for flash", NULL},
};

const char program_name[] = "reversal";

int main(int argc, char **argv) {
    set_program_path(argc > 0 ? argv[0] : "");
    return run_program(argc, argv, commands, sizeof(commands) / sizeof(commands[0]),
                       "Weights are kept in reversal.weights beside the program, unless --weights names a file.\n");
}
