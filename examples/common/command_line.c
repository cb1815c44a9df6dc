// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "command_line.h"
#include "af_check.h"
#include "nearest.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --------------------------------------------------------------------------------------------------------- options

/// The options that the command has asked for: what it knows, to suggest one of them for an unknown one.
enum { MAX_KNOWN = 32 };
static const char *known[MAX_KNOWN];
static size_t n_known;

static const char *without_dashes(const char *const name) {
    return strncmp(name, "--", 2) == 0 ? name + 2 : name;
}

static void remember(const char *const name) {
    if (n_known < MAX_KNOWN) {
        known[n_known++] = name;
    }
}

static bool is_option(const char *const argument) {
    return strncmp(argument, "--", 2) == 0;
}

/// What follows --name in an argument: "" or "=VALUE"; NULL if it is another argument.
static const char *after_name(const char *const argument, const char *const name) {
    const size_t n = strlen(name);
    if (!is_option(argument) || strncmp(argument + 2, name, n) != 0) {
        return NULL;
    }
    const char *const rest = argument + 2 + n;
    return *rest == '\0' || *rest == '=' ? rest : NULL;
}

/// Takes n arguments, from i on, out of argv.
static void take_out(int *const argc, char **const argv, const int i, const int n) {
    *argc -= n;
    for (int j = i; j < *argc; j++) {
        argv[j] = argv[j + n];
    }
    argv[*argc] = NULL;
}

/// Number of the first argument that is the option `name`, with or without a value in it; argc if there is none.
static int find_option(const int argc, char **const argv, const char *const name) {
    int i = 1;
    while (i < argc && after_name(argv[i], name) == NULL) {
        i++;
    }
    return i;
}

bool take_option(int *const argc, char **const argv, const char *const option, const char **const value) {
    const char *const name = without_dashes(option);
    remember(name);
    const int i = find_option(*argc, argv, name);
    if (i == *argc) {
        return true;
    }
    const char *const rest = after_name(argv[i], name);
    const bool is_separate = *rest == '\0';
    if (is_separate && (i + 1 >= *argc || is_option(argv[i + 1]))) {
        (void)complain("--%s needs a value", name);
        return false;
    }
    *value = is_separate ? argv[i + 1] : rest + 1;
    take_out(argc, argv, i, is_separate ? 2 : 1);
    if (find_option(*argc, argv, name) < *argc) {
        (void)complain("--%s is given twice", name);
        return false;
    }
    return true;
}

bool take_path(int *const argc, char **const argv, const char *const option, const char **const path) {
    const char *value = NULL;
    if (!take_option(argc, argv, option, &value)) {
        return false;
    }
    if (value != NULL && value[0] == '\0') {
        (void)complain("--%s: the name of the file is empty", without_dashes(option));
        return false;
    }
    *path = value != NULL ? value : *path;
    return true;
}

bool take_switch(int *const argc, char **const argv, const char *const option) {
    const char *const name = without_dashes(option);
    remember(name);
    bool is_found = false;
    for (int i = 1; i < *argc;) {
        const char *const rest = after_name(argv[i], name);
        if (rest != NULL && *rest == '\0') {
            is_found = true;
            take_out(argc, argv, i, 1);
        } else {
            i++;
        }
    }
    return is_found;
}

bool no_options_left(const int argc, char **const argv) {
    for (int i = 1; i < argc; i++) {
        if (!is_option(argv[i])) {
            continue;
        }
        char name[64];
        (void)snprintf(name, sizeof(name), "%s", argv[i] + 2);
        name[strcspn(name, "=")] = '\0';
        const char *const nearest = nearest_name(name, known, n_known);
        if (nearest != NULL && strcmp(nearest, name) != 0) {
            (void)complain("%s: unknown option --%s; did you mean --%s?", argv[0], name, nearest);
        } else if (nearest != NULL) {
            (void)complain("%s: --%s takes no value", argv[0], name);
        } else {
            (void)complain("%s: unknown option %s; try: %s help", argv[0], argv[i], program_name);
        }
        return false;
    }
    return true;
}

// --------------------------------------------------------------------------------------------------------- numbers

bool parse_number(uint64_t *const out, const char *const text, const uint64_t min, const uint64_t max,
                  const char *const what) {
    uint64_t number = 0;
    bool is_good = text[0] != '\0';
    bool is_in_range = true;
    for (const char *c = text; *c != '\0' && is_good; c++) {
        is_good = *c >= '0' && *c <= '9';
        if (is_good) {
            const uint64_t digit = (uint64_t)(*c - '0');
            is_in_range = is_in_range && number <= (UINT64_MAX - digit) / 10;
            number = number * 10 + digit;
        }
    }
    if (!is_good || !is_in_range || number < min || number > max) {
        (void)complain("%s: \"%s\" is not a whole number from %llu to %llu", what, text, (unsigned long long)min,
                       (unsigned long long)max);
        return false;
    }
    *out = number;
    return true;
}

bool parse_real(af_real *const out, const char *const text, const double min, const double max,
                const char *const what) {
    char *end = NULL;
    const double number = strtod(text, &end);
    if (end == text || *end != '\0' || !(number >= min && number <= max)) {
        (void)complain("%s: \"%s\" is not a number from %g to %g", what, text, min, max);
        return false;
    }
    *out = (af_real)number;
    return true;
}

// -------------------------------------------------------------------------------------------------------- commands

enum { MAX_COMMANDS = 32 };

/// The commands of a program.
struct commands {
    const struct command *command;
    size_t n;
    const char *notes;
};

static void print_usage(FILE *const file, const struct commands *const commands) {
    (void)fprintf(file, "usage: %s COMMAND [OPTION]...\n\n", program_name);
    for (size_t i = 0; i < commands->n; i++) {
        (void)fprintf(file, "  %-10s  %s\n", commands->command[i].name, commands->command[i].help);
    }
    (void)fprintf(file, "  %-10s  this list; with a command's name: its options\n%s%s", "help",
                  commands->notes[0] != '\0' ? "\n" : "", commands->notes);
}

/// The command of a name, or NULL after a line that names the nearest one.
static const struct command *find_command(const struct commands *const commands, const char *const name) {
    const char *names[MAX_COMMANDS];
    for (size_t i = 0; i < commands->n; i++) {
        if (strcmp(name, commands->command[i].name) == 0) {
            return &commands->command[i];
        }
        names[i] = commands->command[i].name;
    }
    const char *const nearest = nearest_name(name, names, commands->n);
    if (nearest != NULL) {
        (void)complain("unknown command \"%s\"; did you mean %s?", name, nearest);
    } else {
        (void)complain("unknown command \"%s\"; try: %s help", name, program_name);
    }
    return NULL;
}

static bool is_help(const char *const word) {
    return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int help(const struct commands *const commands, const char *const name) {
    if (name == NULL) {
        print_usage(stdout, commands);
        return STATUS_DONE;
    }
    const struct command *const command = find_command(commands, name);
    if (command == NULL) {
        return STATUS_USAGE;
    }
    (void)printf("usage: %s %s %s\n%s\n", program_name, command->name, command->arguments, command->help);
    if (command->options != NULL) {
        (void)printf("\n%s", command->options);
    }
    return STATUS_DONE;
}

bool is_reader_gone(FILE *const file) {
    struct pollfd pipe = {fileno(file), POLLOUT, 0};
    return poll(&pipe, 1, 0) == 1 && (pipe.revents & (POLLERR | POLLHUP)) != 0;
}

static bool has_failed(FILE *const file) {
    return (fflush(file) != 0 || ferror(file) != 0) && !is_reader_gone(file);
}

/// `result`, or a failure if not all of the output could be written, be it that to stderr.
static int finished(const int result) {
    const bool has_stdout_failed = has_failed(stdout);
    if (has_stdout_failed || has_failed(stderr)) {
        (void)complain("cannot write all of the output");
        return STATUS_FAILED;
    }
    return result;
}

/// Runs a command, but only on a machine that computes as it has to.
static int run(const struct command *const command, const int argc, char **const argv) {
    const af_status status = af_selftest();
    if (status != AF_OK) {
        (void)complain("the self-test of this machine and build fails: %s, %s", af_status_name(status),
                       af_status_text(status));
        return STATUS_FAILED;
    }
    return finished(command->run(argc, argv));
}

/// Sees to it that the three standard files are there: no file that is opened can take the place of a closed one. What
/// takes the place of a closed output cannot be written, so that output is not lost without a word.
static void open_standard_files(void) {
    for (int fd = open("/dev/null", O_RDONLY); fd >= 0; fd = open("/dev/null", O_RDONLY)) {
        if (fd > STDERR_FILENO) {
            (void)close(fd);
            break;
        }
    }
}

/// Has a write to a pipe without a reader, or beyond the size that a file may have, fail by name: the signals would end
/// the program in the middle of its work, and its unfinished files would stay.
static void ignore_signals_of_writes(void) {
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
}

int run_program(const int argc, char **const argv, const struct command *const command, const size_t n_commands,
                const char *const notes) {
    const struct commands commands = {command, n_commands < MAX_COMMANDS ? n_commands : MAX_COMMANDS, notes};
    open_standard_files();
    ignore_signals_of_writes();
    if (argc < 2) {
        print_usage(stderr, &commands);
        return STATUS_USAGE;
    }
    if (is_help(argv[1])) {
        return finished(help(&commands, argc > 2 ? argv[2] : NULL));
    }
    const struct command *const found = find_command(&commands, argv[1]);
    if (found == NULL) {
        return STATUS_USAGE;
    }
    if (argc > 2 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0)) {
        return finished(help(&commands, found->name));
    }
    return run(found, argc - 1, argv + 1);
}
