// SPDX-License-Identifier: MIT
// The numbers of a tensor, as they are after the last step in which it lives.
#include "host.h"
#include "map_print.h"

enum { COLUMNS_SHOWN = 9, ROWS_SHOWN = 12, COLUMNS_EXACT = 4, NUMBER_BYTES = 32 };

/// How numbers are shown.
struct manner {
    bool is_all;
    bool is_exact;
};

static unsigned last_step_of(const struct af_tensor *const t) {
    unsigned step = N7_LAST_STEP;
    while (step > N7_FIRST_STEP && (t->live >> (step - N7_FIRST_STEP) & 1U) == 0) {
        step--;
    }
    return step;
}

/// Writes element i; returns `out`.
static const char *number_text(char out[NUMBER_BYTES], const struct af_tensor *const t, const bool is_exact,
                               const size_t i) {
    if (t->type == AF_TYPE_REAL) {
        const af_real *const number = t->address;
        (void)snprintf(out, NUMBER_BYTES, "%.*g", is_exact ? 17 : 4, (double)number[i]);
    } else if (t->type == AF_TYPE_INDEX) {
        const af_index *const number = t->address;
        (void)snprintf(out, NUMBER_BYTES, "%u", (unsigned)number[i]);
    } else {
        const uint8_t *const number = t->address;
        (void)snprintf(out, NUMBER_BYTES, "%u", (unsigned)number[i]);
    }
    return out;
}

/// The numbers of one row, in lines of so many as fit.
static void print_row(const struct af_tensor *const t, const struct manner how, const size_t row, const size_t n) {
    const size_t n_beside = how.is_exact ? COLUMNS_EXACT : COLUMNS_SHOWN;
    const size_t n_shown = how.is_all || n < n_beside ? n : n_beside;
    for (size_t c = 0; c < n_shown; c++) {
        char number[NUMBER_BYTES];
        if (c % n_beside == 0) {
            (void)printf(c > 0 ? "\n      " : "%4zu  ", row);
        }
        (void)printf("%*s", how.is_exact ? 26 : 12, number_text(number, t, how.is_exact, row * n + c));
    }
    (void)printf("%s\n", n_shown < n ? "  ..." : "");
}

static void print_numbers(const struct af_tensor *const t, const struct manner how) {
    const size_t n_columns = t->dim[t->rank - 1];
    const size_t n_rows = t->n_elements / n_columns;
    const size_t n_shown = how.is_all || n_rows <= ROWS_SHOWN ? n_rows : ROWS_SHOWN;
    for (size_t r = 0; r < n_shown; r++) {
        print_row(t, how, r, n_columns);
    }
    if (n_shown < n_rows || (!how.is_all && n_columns > (how.is_exact ? COLUMNS_EXACT : COLUMNS_SHOWN))) {
        (void)printf("%zu of %zu rows; --all shows every number\n", n_shown, n_rows);
    }
}

static void print_generator(const struct af_numpy *const g) {
    (void)printf("  state       0x%016llx%016llx\n", (unsigned long long)g->state_hi, (unsigned long long)g->state_lo);
    (void)printf("  increment   0x%016llx%016llx\n", (unsigned long long)g->increment_hi,
                 (unsigned long long)g->increment_lo);
    (void)printf("  pending     %s\n", g->half_pending != 0 ? "half a word" : "nothing");
}

int cmd_show(int argc, char **argv) {
    struct manner how;
    how.is_all = take_switch(&argc, argv, "all");
    how.is_exact = take_switch(&argc, argv, "exact");
    if (!take_stream(&argc, argv) || !no_options_left(argc, argv)) {
        return STATUS_USAGE;
    }
    if (argc != 2) {
        return complain("show: give one tensor's name; `notebook7 map` lists them");
    }
    const struct af_tensor t = find_tensor(argv[1]);
    if (t.n_bytes == 0) {
        return STATUS_FAILED;
    }
    if (t.type == AF_TYPE_GAP) {
        return complain("%s holds nothing: its %zu bytes keep the next region aligned", t.name, t.n_bytes);
    }
    const unsigned step = last_step_of(&t);
    n7_run_to(&n7_arena, step);
    map_print_tensor(stdout, &n7_map, &t);
    (void)printf("  shown       as it is after step %u, \"%s\"\n\n", step, n7_step[step].title);
    if (t.type == AF_TYPE_NUMPY) {
        print_generator(t.address);
    } else {
        print_numbers(&t, how);
    }
    return STATUS_DONE;
}
