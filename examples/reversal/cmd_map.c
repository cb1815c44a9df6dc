// SPDX-License-Identifier: MIT
// The map of the arena: all of it, one tensor, or whose the byte at an address is.
#include "look.h"
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

static void print_form(FILE *const file, const void *const what) {
    const struct form *const form = what;
    form->print(file, &af_map);
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
    return take_option(argc, argv, name, path);
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

static int show_offset(const char *const text) {
    uint64_t offset = 0;
    if (!read_address(&offset, text + 1)) {
        return complain("map: \"%s\": an offset is + and a number, decimal or behind 0x hexadecimal", text);
    }
    if (offset > SIZE_MAX || !map_print_byte(stdout, &af_map, (size_t)offset)) {
        return complain("map: %s is behind the arena, which has %zu bytes", text, sizeof(struct af_arena));
    }
    return STATUS_DONE;
}

static int show_address(const char *const text) {
    uint64_t address = 0;
    if (!read_address(&address, text)) {
        return complain("map: \"%s\": an address is 0x and hexadecimal digits", text);
    }
    // As a number: an address that points nowhere may be asked for, and is never made a pointer.
    const uintptr_t start = (uintptr_t)&af_arena;
    if (address < start || address - start >= sizeof(struct af_arena)) {
        return complain("map: %s is not in the arena, which is at 0x%llx to 0x%llx in this process", text,
                        (unsigned long long)start, (unsigned long long)(start + sizeof(struct af_arena) - 1));
    }
    (void)map_print_byte(stdout, &af_map, (size_t)(address - start));
    return STATUS_DONE;
}

static int show_name(const char *const text) {
    static struct view view;
    if (!view_parse(&view, text)) {
        return STATUS_USAGE;
    }
    if (view.is_part) { // where the part begins
        const size_t element_bytes = view.tensor.n_bytes / view.tensor.n_elements;
        (void)map_print_byte(stdout, &af_map, view.tensor.offset + view_element(&view, 0) * element_bytes);
    } else {
        map_print_tensor(stdout, &af_map, &view.tensor);
    }
    return STATUS_DONE;
}

static int show_one(const char *const text) {
    if (text[0] == '+') {
        return show_offset(text);
    }
    return text[0] == '0' ? show_address(text) : show_name(text);
}

/// Takes all forms that are asked for; *n_wanted is how many.
static bool take_forms(int *const argc, char **const argv, const char *path[N_FORMS], size_t *const n_wanted) {
    *n_wanted = 0;
    for (size_t i = 0; i < N_FORMS; i++) {
        if (!take_form(argc, argv, forms[i].option, &path[i])) {
            return false;
        }
        *n_wanted += path[i] != NULL ? 1 : 0;
    }
    return true;
}

static int write_forms(const char *const path[N_FORMS]) {
    int status = STATUS_DONE;
    for (size_t i = 0; i < N_FORMS && status == STATUS_DONE; i++) {
        if (path[i] != NULL) {
            status = write_file(path[i], print_form, &forms[i]);
        }
    }
    return status;
}

int cmd_map(int argc, char **argv) {
    const char *path[N_FORMS] = {NULL};
    size_t n_wanted = 0;
    if (!take_forms(&argc, argv, path, &n_wanted) || !no_options_left(argc, argv)) {
        return STATUS_USAGE;
    }
    if (argc > 2 || (argc == 2 && n_wanted > 0)) {
        return complain("map: give one name, address or +OFFSET, or write the whole map with --csv, --json or --svg");
    }
    if (n_wanted > 0) {
        return write_forms(path);
    }
    if (argc == 2) {
        return show_one(argv[1]);
    }
    map_print_text(stdout, &af_map);
    return STATUS_DONE;
}
