// SPDX-License-Identifier: MIT
#include "reversal.h"
#include "nearest.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int complain(const char *const format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)fflush(stdout); // what was said before comes before
    (void)fputs("reversal: ", stderr);
    (void)vfprintf(stderr, format, arguments);
    (void)fputc('\n', stderr);
    va_end(arguments);
    return STATUS_USAGE;
}

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
            (void)complain("%s: unknown option %s; try: reversal help", argv[0], argv[i]);
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
