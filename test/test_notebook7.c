// SPDX-License-Identifier: MIT
// Notebook 7: what it draws, what it computes, what it prints, and that its arena keeps its word.
#include "notebook7.h"
#include "decimal_double.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vectors/notebook7.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t fnv(const void *data, size_t n_bytes) {
    const uint8_t *byte = data;
    uint64_t hash = 0xCBF29CE484222325U;
    for (size_t i = 0; i < n_bytes; i++) {
        hash = (hash ^ byte[i]) * 0x100000001B3U;
    }
    return hash;
}

static struct af_tensor tensor(const char *name) {
    const struct af_tensor t = af_map_find(&n7_map, name);
    cr_assert(t.n_bytes > 0, "no tensor %s", name);
    return t;
}

// ------------------------------------------------------------------------------------------------------ the numbers

Test(notebook7, draws_numpys_numbers) {
    for (size_t i = 0; i < COUNT(drawn); i++) {
        n7_run_to(&n7_arena, drawn[i].step);
        const struct af_tensor t = tensor(drawn[i].name);
        cr_assert_eq(fnv(t.address, t.n_bytes), drawn[i].fnv, "%s", drawn[i].name);
    }
    n7_run_to(&n7_arena, 7);
    cr_assert(memcmp(n7_arena.work.late.part.positions.perm, drawn_perm, sizeof(drawn_perm)) == 0);
    n7_run_to(&n7_arena, N7_LAST_STEP);
    cr_assert_eq(n7_arena.kept.rng[0].state_hi, last_state[0]);
    cr_assert_eq(n7_arena.kept.rng[0].state_lo, last_state[1]);
    cr_assert_eq(n7_arena.kept.rng[0].half_pending, last_state[2]);
}

/// Every tensor against 200-bit arithmetic on the same draws: largest difference, relative to the largest number.
Test(notebook7, computes_within_1e_14) {
    double worst = 0;
    for (size_t i = 0; i < COUNT(exact); i++) {
        n7_run_to(&n7_arena, exact[i].step > 0 ? exact[i].step : 6);
        if (exact[i].step == 0) { // the heads of step 6, without mask
            const struct n7_multihead w = n7_multihead_of(&n7_arena);
            const struct n7_multihead_saved saved = n7_multihead_saved_of(&n7_arena);
            n7_multihead_forward(&n7_arena.work.late.mh[0][0], &saved, &w, &n7_arena.kept.X[0][0], NULL, N7_N);
        }
        const struct af_tensor t = tensor(exact[i].name);
        cr_assert_eq(t.n_elements, exact[i].n, "%s", exact[i].name);
        const double *value = t.address;
        double largest = 0;
        double error = 0;
        for (size_t k = 0; k < exact[i].n; k++) {
            largest = fmax(largest, fabs(exact[i].value[k]));
            error = fmax(error, fabs(value[k] - exact[i].value[k]));
            cr_assert(!isnan(value[k]), "%s[%zu] is no number", exact[i].name, k);
        }
        cr_assert(error <= 1e-14 * largest, "%s: %.2e of %.2e", exact[i].name, error, largest);
        worst = fmax(worst, error / largest);
    }
    printf("    largest difference of %zu tensors: %.1e of the largest number\n", COUNT(exact), worst);
}

Test(notebook7, means_are_zero_and_variances_one_up_to_the_eps) {
    n7_run_to(&n7_arena, 8);
    for (size_t i = 0; i < N7_N; i++) {
        const af_real *row = n7_arena.work.late.part.block.y[i];
        cr_assert(fabs(n7_mean(row, N7_D)) < 1e-15);
        cr_assert(n7_variance(row, N7_D) < 1 && n7_variance(row, N7_D) > 1 - 2e-5);
    }
}

// promise: frequencies-rounded
Test(notebook7, frequencies_of_every_width) {
    static af_real omega[512 * 257];
    size_t n = 0;
    for (size_t d = 2; d <= 1024; d += 2) {
        n7_position_omega(&omega[n], d);
        n += d / 2;
    }
    cr_assert_eq(n, COUNT(omega) - 256);
    cr_assert_eq(fnv(omega, n * sizeof(af_real)), omega_fnv);
}

/// The same bits on every machine: the number that board/main.c prints.
// promise: notebook7-same-bytes
Test(notebook7, one_hash_everywhere) {
    cr_assert_eq(n7_run(n7_drop), GOLDEN_CRC);
}

// -------------------------------------------------------------------------------------------------------- the lines

static char printed[8192];
static size_t n_printed;

static void take(const char *text, size_t n) {
    cr_assert(n_printed + n < sizeof(printed));
    memcpy(&printed[n_printed], text, n);
    n_printed += n;
    printed[n_printed] = '\0';
}

/// The next line of *at that is not empty and no comment, without its end; false after the last.
static bool next_line(char out[256], const char **at) {
    do {
        const size_t n = strcspn(*at, "\n");
        if (n == 0 && **at == '\0') {
            return false;
        }
        cr_assert(n < 256);
        memcpy(out, *at, n);
        out[n] = '\0';
        *at += n + (*at)[n] / '\n';
    } while (out[0] == '\0' || out[0] == '#');
    return true;
}

static void drop_signs(char *text) {
    for (char *c = text; *c != '\0'; c++) {
        if (c[0] == '-' && c[1] == '0' && c[2] == '.') {
            *c = ' ';
        }
    }
}

// promise: notebook7-printed
Test(notebook7, prints_what_the_document_prints) {
    static char text[8192];
    FILE *file = fopen(GOLDEN_LINES, "r");
    cr_assert(file != NULL);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    n_printed = 0;
    n7_run(take);
    const char *ours = printed;
    const char *theirs = text;
    char a[256];
    char b[256];
    size_t n_lines = 0;
    while (next_line(b, &theirs)) {
        cr_assert(next_line(a, &ours), "nothing is printed for '%s'", b);
        if (strncmp(b, "Mean of each", 12) == 0) { // zeros that are rounding: their signs mean nothing
            drop_signs(a);
            drop_signs(b);
        }
        cr_assert_str_eq(a, b);
        n_lines++;
    }
    cr_assert_not(next_line(a, &ours), "'%s' is too much", a);
    cr_assert_eq(n_lines, 27);
}

Test(decimal_double, prints_as_printf_does) {
    uint64_t state = 1;
    char ours[DECIMAL_DOUBLE_BYTES];
    char theirs[512];
    for (size_t i = 0; i < 30000; i++) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        const uint64_t word = state ^ state >> 29;
        const unsigned n_digits = (unsigned)(word >> 40 & 31) % 18;
        double x = (double)(int64_t)word / 1024 / (double)(1 + (word & 4095)); // moderate, often with many zeros
        if (i % 2 == 0) {
            memcpy(&x, &word, sizeof(x)); // of every size
        }
        if (isnan(x)) {
            continue;
        }
        decimal_exponent(ours, x, n_digits);
        snprintf(theirs, sizeof(theirs), "%.*e", (int)n_digits, x);
        cr_assert_str_eq(ours, theirs);
        if (fabs(x) * pow(10, n_digits) < 9e18) {
            decimal_fixed(ours, x, n_digits);
            snprintf(theirs, sizeof(theirs), "%.*f", (int)n_digits, x);
            cr_assert_str_eq(ours, theirs);
        }
    }
    static const double special[] = {0,   -0.0, HUGE_VAL, -HUGE_VAL, 5e-324, 1.7976931348623157e308,
                                     0.5, 1.5,  2.5,      9.995};
    for (size_t i = 0; i < COUNT(special); i++) {
        decimal_exponent(ours, special[i], 0);
        snprintf(theirs, sizeof(theirs), "%.0e", special[i]);
        cr_assert_str_eq(ours, theirs);
    }
    decimal_fixed(ours, 2.5, 0);
    cr_assert_str_eq(ours, "2");
}

// -------------------------------------------------------------------------------------------------------- the arena

Test(notebook7_map, every_byte_has_a_name_and_no_two_live_tensors_share_one) {
    static uint8_t named[sizeof(struct n7_arena)];
    const size_t n = af_map_count(&n7_map);
    for (size_t i = 0; i < n; i++) {
        const struct af_tensor a = af_map_tensor(&n7_map, i);
        cr_assert(a.offset + a.n_bytes <= sizeof(n7_arena), "%s", a.name);
        cr_assert_eq((const void *)((const uint8_t *)&n7_arena + a.offset), a.address, "%s", a.name);
        cr_assert_lt(strlen(a.name) + 1, (size_t)AF_MAP_NAME_BYTES);
        memset(&named[a.offset], 1, a.n_bytes);
        for (size_t j = i + 1; j < n; j++) {
            const struct af_tensor b = af_map_tensor(&n7_map, j);
            const bool apart = a.offset + a.n_bytes <= b.offset || b.offset + b.n_bytes <= a.offset;
            cr_assert(apart || (a.live & b.live) == 0 || a.type == AF_TYPE_GAP || b.type == AF_TYPE_GAP,
                      "%s and %s overlap", a.name, b.name);
        }
    }
    // Bytes behind the shorter members of a union belong to the longest one.
    for (size_t i = 0; i < sizeof(named); i++) {
        cr_assert(named[i], "byte %zu has no name", i);
    }
}

Test(notebook7_map, names_and_addresses_lead_to_tensors) {
    for (size_t i = 0; i < af_map_count(&n7_map); i++) {
        const struct af_tensor t = af_map_tensor(&n7_map, i);
        cr_assert_str_eq(af_map_find(&n7_map, t.name).name, t.name);
        const struct af_tensor at = af_map_at(&n7_map, (const uint8_t *)t.address + t.n_bytes - 1, t.live);
        cr_assert_str_eq(at.name, t.name);
        cr_assert_eq(at.element, t.n_elements - 1);
    }
}

/// A step writes nothing but tensors that are live in it: all other bytes keep the pattern that they had.
Test(notebook7_map, a_step_writes_only_what_lives_in_it) {
    static uint8_t before[sizeof(n7_arena)];
    static bool may_change[sizeof(n7_arena)];
    n7_begin(&n7_arena);
    for (unsigned step = N7_FIRST_STEP; step <= N7_LAST_STEP; step++) {
        memset(may_change, 0, sizeof(may_change));
        for (size_t i = 0; i < af_map_count(&n7_map); i++) {
            const struct af_tensor t = af_map_tensor(&n7_map, i);
            if (t.type != AF_TYPE_GAP && (t.live >> (step - N7_FIRST_STEP) & 1U) != 0) {
                memset(&may_change[t.offset], 1, t.n_bytes);
            }
        }
        uint8_t *bytes = (uint8_t *)&n7_arena;
        for (size_t i = 0; i < sizeof(n7_arena); i++) {
            bytes[i] = may_change[i] ? bytes[i] : (uint8_t)(0xA5 + i);
        }
        memcpy(before, bytes, sizeof(before));
        n7_step[step].run(&n7_arena);
        for (size_t i = 0; i < sizeof(n7_arena); i++) {
            cr_assert(may_change[i] || bytes[i] == before[i], "step %u writes byte %zu", step, i);
        }
    }
    const double *y = &n7_arena.work.late.part.block.y[0][0];
    cr_assert(fabs(n7_variance(y, N7_D) - 1) < 2e-5); // and the poison reached nothing
}
