// SPDX-License-Identifier: MIT
/// The command line of the example programs: PROGRAM COMMAND [OPTION]..., its options, and what goes wrong with them.
#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H

#include "af_config.h"

#include <stdbool.h>
#include <stdio.h>

/// What a program returns: done; failed, which is an output that cannot be written, a name that nothing has, a comparison
/// that differs, or work that broke off; a command line or an input that cannot be used.
enum { STATUS_DONE = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 };

/// The program's name, as its messages begin; every program defines it.
extern const char program_name[];

/// Prints the program's name, a colon, the message and a newline to stderr: always one line. Bytes of it that are not
/// printable ASCII appear as \xNN, and of a message longer than 400 bytes the middle is left out. Returns STATUS_USAGE,
/// to be returned by the command.
int complain(const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;

/// A command. argv[0] is its name; it returns the program's exit status.
struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *arguments;
    const char *help;    // one line
    const char *options; // a line for each that needs one, or NULL
};

/// The main function of a program with these commands: `notes` is printed below the list of them ("" for none). Runs
/// the command only if the self-test of this machine and build succeeds. Returns the exit status: STATUS_FAILED if not all
/// of the output could be written, unless the reader of a pipe has seen enough.
int run_program(int argc, char **argv, const struct command *commands, size_t n_commands, const char *notes);

/// Whether a file is a pipe that nobody reads any more: whoever read it has seen enough, and what could not be written is
/// no failure.
bool is_reader_gone(FILE *file);

/// Takes the option `name` with a value out of argv ("--name VALUE" or "--name=VALUE"): *value is set if it is there,
/// and left if not. False, with a line on stderr, if its value is missing or it is given twice.
bool take_option(int *argc, char **argv, const char *name, const char **value);

/// take_option() for the name of a file, which is refused if it is empty.
bool take_path(int *argc, char **argv, const char *name, const char **path);

/// Takes a switch without a value out of argv.
bool take_switch(int *argc, char **argv, const char *name);

/// Whether no unknown option (an argument that begins with "--") is left; if one is, prints a line that names it.
bool no_options_left(int argc, char **argv);

/// Reads a whole number in [min, max]; on failure prints a line that names `what` and returns false.
bool parse_number(uint64_t *out, const char *text, uint64_t min, uint64_t max, const char *what);

/// Reads a number in [min, max]; on failure prints a line that names `what` and returns false.
bool parse_real(af_real *out, const char *text, double min, double max, const char *what);

#endif
