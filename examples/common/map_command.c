// SPDX-License-Identifier: MIT
#include "map_command.h"
#include "command_line.h"
#include "map_print.h"

#include <string.h>

/// A form in which the whole map can be written.
struct form {
    const char *option;
    void (*print)(FILE *file, const struct af_map *map);
};

static const struct form forms[] = {
    {"csv", map_print_csv},
    {"json", map_print_json},
    {"svg", map_print_svg},
};

enum { N_FORMS = sizeof(forms) / sizeof(forms[0]) };

/// A form, and what to write in it.
struct task {
    const struct form *form;
    const struct af_map *map;
};

static void print_form(FILE *const file, const void *const what) {
    const struct task *const task = what;
    task->form->print(file, task->map);
}

/// Takes "--NAME" or "--NAME FILE": *path is "-", standard output, if no file is given.
static bool take_form(int *const argc, char **const argv, const char *const name, const char **const path) {
    char word[16];
    (void)snprintf(word, sizeof(word), "--%s", name);
    bool is_bare = false;
    for (int i = 1; i < *argc; i++) {
        const bool is_last = i + 1 == *argc || strncmp(argv[i + 1], "--", 2) == 0;
        is_bare = is_bare || (is_last && strcmp(argv[i], word) == 0);
    }
    if (is_bare) {
        *path = take_switch(argc, argv, name) ? "-" : NULL;
        return true;
    }
    return take_path(argc, argv, name, path);
}

/// Value of a digit, or 16 if the character is none.
static unsigned digit_of(const char character) {
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *const found = strchr(digits, character);
    return found != NULL && *found != '\0' ? (unsigned)(found - digits) % 16U : 16U;
}

/// Reads a whole number, decimal or behind 0x hexadecimal.
static bool read_address(uint64_t *const out, const char *text) {
    const bool is_hex = strncmp(text, "0x", 2) == 0 || strncmp(text, "0X", 2) == 0;
    const unsigned base = is_hex ? 16 : 10;
    uint64_t number = 0;
    text += is_hex ? 2 : 0;
    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        const unsigned digit = digit_of(*text);
        if (digit >= base || number > (UINT64_MAX - digit) / base) {
            return false;
        }
        number = number * base + digit;
    }
    *out = number;
    return true;
}

static int show_offset(const struct map_command *const command, const char *const text) {
    uint64_t offset = 0;
    if (!read_address(&offset, text + 1)) {
        return complain("map: \"%s\": an offset is + and a number, decimal or behind 0x hexadecimal", text);
    }
    if (offset > SIZE_MAX || !map_print_byte(stdout, command->map, (size_t)offset)) {
        return complain("map: %s is behind the arena, which has %zu bytes", text, command->n_bytes);
    }
    return STATUS_DONE;
}

static int show_address(const struct map_command *const command, const char *const text) {
    uint64_t address = 0;
    if (!read_address(&address, text)) {
        return complain("map: \"%s\": an address is 0x and hexadecimal digits", text);
    }
    // As a number: an address that points nowhere may be asked for, and is never made a pointer.
    const uintptr_t start = (uintptr_t)command->arena;
    if (address < start || address - start >= command->n_bytes) {
        return complain("map: %s is not in the arena, which is at 0x%llx to 0x%llx in this process", text,
                        (unsigned long long)start, (unsigned long long)(start + command->n_bytes - 1));
    }
    (void)map_print_byte(stdout, command->map, (size_t)(address - start));
    return STATUS_DONE;
}

static int show_one(const struct map_command *const command, const char *const text) {
    if (text[0] == '+') {
        return show_offset(command, text);
    }
    return text[0] == '0' ? show_address(command, text) : command->show_name(text);
}

/// Takes the form that is asked for, and where to write it; *form stays NULL if none is.
static bool take_forms(int *const argc, char **const argv, const struct form **const form, const char **const path) {
    for (size_t i = 0; i < N_FORMS; i++) {
        const char *to = NULL;
        if (!take_form(argc, argv, forms[i].option, &to)) {
            return false;
        }
        if (to != NULL && *form != NULL) {
            (void)complain("map: --%s or --%s, one at a time", (*form)->option, forms[i].option);
            return false;
        }
        *form = to != NULL ? &forms[i] : *form;
        *path = to != NULL ? to : *path;
    }
    return true;
}

int map_command(const struct map_command *const command, int argc, char **argv) {
    const char *path = NULL;
    const struct form *form = NULL;
    if (!take_forms(&argc, argv, &form, &path) || !no_options_left(argc, argv)) {
        return STATUS_USAGE;
    }
    if (argc > 2 || (argc == 2 && form != NULL)) {
        return complain("map: give one name, address or +OFFSET, or write the whole map with --csv, --json or --svg");
    }
    if (form != NULL) {
        const struct task task = {form, command->map};
        return command->write_file(path, print_form, &task);
    }
    if (argc == 2) {
        return show_one(command, argv[1]);
    }
    map_print_text(stdout, command->map);
    return STATUS_DONE;
}
