// SPDX-License-Identifier: MIT
/// Notebook 7, "Attention and the Transformer, from scratch", on the same random stream.
#include "host.h"
#include "map_command.h"

const char program_name[] = "notebook7";

static const struct command commands[] = {
    {"run", cmd_run, "[--lines]", "what the document prints, then each number beside the document's",
     "  --lines  no table\n"},
    {"show", cmd_show, "[--all] [--exact] TENSOR", "the numbers of any tensor: W_Q, w_causal, PE8, heads[0].Wq ...",
     "  --all    every number, not only the first rows and columns\n"
     "  --exact  with so many digits that reading them back gives the same bits\n"},
    {"map", cmd_map, MAP_COMMAND_ARGUMENTS, "where every tensor lies in the arena, and in which steps", NULL},
    {"figures", cmd_figures, "FOLDER", "write attention.svg, positions.svg and influence.svg into a folder", NULL},
};

int main(int argc, char **argv) {
    return run_program(argc, argv, commands, sizeof(commands) / sizeof(commands[0]), "");
}
