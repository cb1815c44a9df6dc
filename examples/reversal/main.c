// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
/// The string-reversal model of the chapter "Attention and the transformer block": trained, tested and looked at.
#include "reversal.h"
#include "nearest.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *arguments;
    const char *help;
};

static const struct command commands[] = {
    {"train", cmd_train,
     "[--steps N] [--batch N] [--seed-weights N] [--seed-training N] [--learning-rate X]\n"
     "                      [--weight-decay X] [--weights FILE] [--csv FILE] [--quiet]",
     "train the model; without options: the chapter's own run of 1,500 steps"},
    {"test", cmd_test, "[--weights FILE]", "reverse the chapter's 500 test strings, longer ones, and abcdefghij"},
    {"reverse", cmd_reverse, "[--weights FILE] [--top N] STRING...",
     "reverse strings of the letters a to j; with --top: the N likeliest tokens for each letter"},
    {"compare", cmd_compare, "[--weights FILE] [--csv FILE]", "every number of the chapter beside this model's"},
    {"attention", cmd_attention, "[--weights FILE] [--svg FILE] [--columns N] STRING",
     "where each position of a string attends to, in every block and head"},
    {"show", cmd_show, "[--weights FILE] [--all] [--exact] TENSOR [STRING]",
     "the numbers of any tensor; of activations: those that a string gives"},
    {"shapes", cmd_shapes, "[STRING]", "the shapes of a sequence on its way through the model"},
    {"byhand", cmd_byhand, "[--q VECTOR --k MATRIX --v MATRIX] [--names NAMES] [--no-scale]",
     "the worked example of section 1.2, or your own, step by step"},
    {"map", cmd_map, "[TENSOR | ADDRESS | +OFFSET | --csv [FILE] | --json [FILE] | --svg [FILE]]",
     "where every tensor lies in the arena"},
};

enum { N_COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static void print_usage(FILE *const file) {
    (void)fprintf(file, "usage: reversal COMMAND [OPTION]...\n\n");
    for (size_t i = 0; i < N_COMMANDS; i++) {
        (void)fprintf(file, "  %-10s  %s\n", commands[i].name, commands[i].help);
    }
    (void)fprintf(file,
                  "  %-10s  this list; with a command's name: its options\n\n"
                  "Weights are kept in reversal.weights beside the program, unless --weights names a file.\n",
                  "help");
}

/// The command of a name, or NULL after a line that names the nearest one.
static const struct command *find_command(const char *const name) {
    const char *names[N_COMMANDS];
    for (size_t i = 0; i < N_COMMANDS; i++) {
        if (strcmp(name, commands[i].name) == 0) {
            return &commands[i];
        }
        names[i] = commands[i].name;
    }
    const char *const nearest = nearest_name(name, names, N_COMMANDS);
    if (nearest != NULL) {
        (void)complain("unknown command \"%s\"; did you mean %s?", name, nearest);
    } else {
        (void)complain("unknown command \"%s\"; try: reversal help", name);
    }
    return NULL;
}

static bool is_help(const char *const word) {
    return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int help(const char *const name) {
    if (name == NULL) {
        print_usage(stdout);
        return STATUS_DONE;
    }
    const struct command *const command = find_command(name);
    if (command == NULL) {
        return STATUS_USAGE;
    }
    (void)printf("usage: reversal %s %s\n%s\n", command->name, command->arguments, command->help);
    return STATUS_DONE;
}

/// Runs a command, but only on a machine that computes as it has to.
static int run(const struct command *const command, const int argc, char **const argv) {
    const af_status status = af_selftest();
    if (status != AF_OK) {
        (void)complain("the self-test of this machine and build fails: %s, %s", af_status_name(status),
                       af_status_text(status));
        return STATUS_FAILED;
    }
    const int result = command->run(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout) != 0) {
        return complain("cannot write all of the output");
    }
    return result;
}

int main(int argc, char **argv) {
    for (int fd = open("/dev/null", O_RDWR); fd >= 0; fd = open("/dev/null", O_RDWR)) {
        if (fd > STDERR_FILENO) { // the three standard ones are there: no file can take the place of a closed one
            (void)close(fd);
            break;
        }
    }
    set_program_path(argc > 0 ? argv[0] : "");
    if (argc < 2) {
        print_usage(stderr);
        return STATUS_USAGE;
    }
    if (is_help(argv[1])) {
        return help(argc > 2 ? argv[2] : NULL);
    }
    const struct command *const command = find_command(argv[1]);
    if (command == NULL) {
        return STATUS_USAGE;
    }
    if (argc > 2 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0)) {
        return help(command->name);
    }
    return run(command, argc - 1, argv + 1);
}
