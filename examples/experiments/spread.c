// SPDX-License-Identifier: MIT
// Runs whose initial weights are one rounding unit apart: where the chapter's numbers lie among them.
#include "experiments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_BYTES = 40, NEVER = 1000000 };

static int compare_numbers(const void *const a, const void *const b) {
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

/// A number that the chapter prints, and how to get ours from a run.
struct printed {
    const char *text;
    enum which kind;
    const char *printed;
    double low; // numbers from here to `high` would be printed, or said, alike
    double high;
    double (*of)(const struct experiment *e);
    const char *format;
    const char *reason; // where no run gives it; or NULL
};

static double below(const struct experiment *const e) {
    const uint32_t step = first_below(e);
    return step == 0 ? NEVER : step;
}

static double total(const struct experiment *const e) {
    return e->total.n;
}

static double block_1(const struct experiment *const e) {
    return mean_of(e, 1, 250);
}

static double block_2(const struct experiment *const e) {
    return mean_of(e, 251, 500);
}

static double block_3(const struct experiment *const e) {
    return mean_of(e, 501, 750);
}

static double block_4(const struct experiment *const e) {
    return mean_of(e, 751, 1000);
}

static double block_5(const struct experiment *const e) {
    return mean_of(e, 1001, 1250);
}

static double last_block(const struct experiment *const e) {
    return mean_of(e, e->n_steps - 249, e->n_steps);
}

static double by_250(const struct experiment *const e) {
    return e->loss[249];
}

static double swing_high(const struct experiment *const e) {
    return peak_of(e, 251, 450).loss;
}

static double swing_low(const struct experiment *const e) {
    double lowest = e->loss[250];
    for (uint32_t step = 251; step <= 450; step++) {
        lowest = e->loss[step - 1] < lowest ? e->loss[step - 1] : lowest;
    }
    return lowest;
}

static double jump(const struct experiment *const e) {
    return peak_of(e, 301, 500).loss;
}

static double jump_step(const struct experiment *const e) {
    return peak_of(e, 301, 500).step;
}

static double late_jump(const struct experiment *const e) {
    return peak_of(e, 1001, e->n_steps).loss;
}

static double late_jump_step(const struct experiment *const e) {
    return peak_of(e, 1001, e->n_steps).step;
}

/// Beside the reference run whose weights were moved by the same seed.
static double at_or_below(const struct experiment *const e) {
    return share_at_or_below(e, &spread[REFERENCE][e - spread[QUERIES]], 128);
}

static double last_losses(const struct experiment *const e) {
    return mean_of(e, e->n_steps - N_TRAILING + 1, e->n_steps);
}

static double settled(const struct experiment *const e) {
    uint32_t n = 0;
    for (uint32_t step = 451; step <= e->n_steps; step++) {
        n += e->loss[step - 1] < 0.001 ? 1U : 0U;
    }
    return 100.0 * n / (e->n_steps - 450);
}

static double three_letters(const struct experiment *const e) {
    return e->total.n > 0 ? 100.0 * e->right[3].n / e->total.n : 0;
}

static double misses_of_long(const struct experiment *const e) {
    return e->right[7].of - e->right[7].n + e->right[8].of - e->right[8].n;
}

static double misses(const struct experiment *const e) {
    return e->total.of - e->total.n;
}

/// Percent of the misses that are strings of 7 or 8 letters.
static double share_of_long(const struct experiment *const e) {
    return misses(e) > 0 ? 100 * misses_of_long(e) / misses(e) : 0;
}

static double percent(const struct experiment *const e) {
    return 100.0 * e->total.n / e->total.of;
}

/// Least weight of the last block's strongest keys from the separator on, both heads.
static double least_weight(const struct experiment *const e) {
    double least = 1;
    for (size_t i = 0; i < 12; i++) {
        const double weight = e->strongest[e->n_blocks - 1][i / 6][6 + i % 6].weight;
        least = weight < least ? weight : least;
    }
    return least;
}

/// How many of these 12 keys are the letter that comes next.
static double on_diagonal(const struct experiment *const e) {
    unsigned n = 0;
    for (size_t i = 0; i < 12; i++) {
        n += e->strongest[e->n_blocks - 1][i / 6][6 + i % 6].key == 5 - i % 6 ? 1U : 0U;
    }
    return n;
}

static const char late_reason[] =
    "the chapter's run has a late jump, which is rare: so has 1 of 8 runs of PyTorch from "
    "the same streams, whose last 250 losses have the mean 0.0156";

static const struct printed rows[] = {
    {"scaled: mean of 50 losses below 0.01 at step", REFERENCE, "362", 362, 362, below, "%.0f", NULL},
    {"mean loss, steps 1 to 250", REFERENCE, "0.48", 0.475, 0.485, block_1, "%.4f",
     "no run from these streams begins so, in PyTorch neither: it is not rounding that decides here"},
    {"mean loss, steps 251 to 500", REFERENCE, "0.0090", 0.00895, 0.00905, block_2, "%.4f", NULL},
    {"mean loss, steps 501 to 750", REFERENCE, "0.0004", 0.00035, 0.00045, block_3, "%.5f", NULL},
    {"mean loss, steps 751 to 1,000", REFERENCE, "0.0002", 0.00015, 0.00025, block_4, "%.5f", NULL},
    {"mean loss, steps 1,001 to 1,250", REFERENCE, "0.0001", 0.00005, 0.00015, block_5, "%.5f", NULL},
    {"mean loss, steps 1,251 to 1,500", REFERENCE, "0.0001", 0.00005, 0.00015, last_block, "%.5f", NULL},
    {"loss at step 250", REFERENCE, "around 0.01", 0.005, 0.015, by_250, "%.4f", NULL},
    {"smallest loss of steps 251 to 450", REFERENCE, "about 0.001", 0.0005, 0.0015, swing_low, "%.4f", NULL},
    {"largest loss of steps 251 to 450", REFERENCE, "about 0.1", 0.05, 0.15, swing_high, "%.3f", NULL},
    {"largest loss of steps 301 to 500", REFERENCE, "about 0.08", 0.075, 0.085, jump, "%.3f", NULL},
    {"its step", REFERENCE, "near 380", 370, 390, jump_step, "%.0f", NULL},
    {"% of steps after 450 with a loss below 0.001", REFERENCE, "most", 50, 100, settled, "%.1f", NULL},
    {"loss at the end, mean of 50", REFERENCE, "near 0.0001", 0.00005, 0.00015, last_losses, "%.6f", NULL},
    {"strings right, of 500", REFERENCE, "500", 500, 500, total, "%.0f", NULL},
    {"fgcabe: keys on the diagonal, of 12", REFERENCE, "a diagonal", 12, 12, on_diagonal, "%.0f", NULL},
    {"fgcabe: least of their weights", REFERENCE, "0.97", 0.965, 0.975, least_weight, "%.2f", NULL},
    {"unscaled: mean of 50 losses below 0.01 at step", UNSCALED, "never", NEVER, NEVER, below, "%.0f", NULL},
    {"unscaled: % of strings right", UNSCALED, "94.6%", 94.55, 94.65, percent, "%.1f", NULL},
    {"unscaled: misses", UNSCALED, "27", 27, 27, misses, "%.0f", NULL},
    {"unscaled: % of them of length 7 and 8", UNSCALED, "all", 100, 100, share_of_long, "%.0f", NULL},
    {"dim=-2: mean of 50 losses below 0.01 at step", QUERIES, "128", 128, 128, below, "%.0f", NULL},
    {"dim=-2: % of steps at or below the reference", QUERIES, "most", 50, 100, at_or_below, "%.0f", NULL},
    {"dim=-2: largest loss after step 1,000", QUERIES, "a late jump", 0.1, HUGE_VAL, late_jump, "%.4f", late_reason},
    {"its step", QUERIES, "near 1,300", 1250, 1350, late_jump_step, "%.0f", late_reason},
    {"dim=-2: mean of the last 250 losses", QUERIES, "0.0135", 0.01345, 0.01355, last_block, "%.5f", late_reason},
    {"dim=-2: % of strings right", QUERIES, "9.6%", 9.55, 9.65, percent, "%.1f", NULL},
    {"dim=-2: % of these with three letters", QUERIES, "most", 50, 100, three_letters, "%.0f", NULL},
    {"no mask: mean of 50 losses below 0.01 at step", NO_MASK, "89", 89, 89, below, "%.0f", NULL},
    {"no mask: % of strings right", NO_MASK, "11.6%", 11.55, 11.65, percent, "%.1f", NULL},
    {"loss everywhere: mean of the last 250", ALL_TARGETS, "1.11", 1.105, 1.115, last_block, "%.4f", NULL},
    {"loss everywhere: % of strings right", ALL_TARGETS, "100%", 100, 100, percent, "%.1f", NULL},
};

static const char *number_text(char out[CELL_BYTES], const struct printed *const row, const double number) {
    if (number >= NEVER) {
        (void)snprintf(out, CELL_BYTES, "never");
    } else {
        (void)snprintf(out, CELL_BYTES, row->format, number);
    }
    return out;
}

/// How many runs there are, and how many of them lie below what is printed, and come out alike.
struct place {
    size_t n;
    size_t n_below;
    size_t n_alike;
};

static bool is_outside(const struct place *const place) {
    return place->n > 0 && (place->n_below == place->n || place->n_below + place->n_alike == 0);
}

/// Our numbers of a row in order, and where the printed one lies among them.
static struct place place_of(double value[MAX_SPREAD], const struct printed *const row) {
    struct place place = {n_spread(row->kind), 0, 0};
    for (size_t i = 0; i < place.n; i++) {
        value[i] = row->of(&spread[row->kind][i]);
        place.n_below += value[i] < row->low ? 1U : 0U;
        place.n_alike += value[i] >= row->low && value[i] <= row->high ? 1U : 0U;
    }
    qsort(value, place.n, sizeof(value[0]), compare_numbers);
    return place;
}

static void write_row(struct page *const page, const struct printed *const row) {
    double value[MAX_SPREAD] = {0};
    char text[5][CELL_BYTES];
    const struct place place = place_of(value, row);
    if (place.n == 0) {
        return;
    }
    (void)snprintf(text[3], CELL_BYTES, "%zu", place.n);
    (void)snprintf(text[4], CELL_BYTES, "%-9s %zu/%zu/%zu",
                   !is_outside(&place)        ? "inside"
                   : place.n_below == place.n ? "above all"
                                              : "below all",
                   place.n_below, place.n_alike, place.n - place.n_below - place.n_alike);
    const char *const cell[] = {row->text,
                                row->printed,
                                text[3],
                                number_text(text[0], row, value[0]),
                                number_text(text[1], row, value[place.n / 2]),
                                number_text(text[2], row, value[place.n - 1]),
                                text[4]};
    page_row(page, cell);
}

/// Why a printed number lies outside what all runs gave; rows with the same reason share it.
static void write_reasons(struct page *const page) {
    const char *last = NULL;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        double value[MAX_SPREAD] = {0};
        const struct place place = place_of(value, &rows[i]);
        const char *const reason = rows[i].reason != NULL ? rows[i].reason : "no reason is known";
        if (is_outside(&place) && reason != last) {
            page_text(page, "%s, %s: %s.", rows[i].text, rows[i].printed, reason);
            last = reason;
        }
    }
}

void write_spread(struct page *const page) {
    static const char *const heading[] = {
        "number", "printed", "runs", "smallest", "median", "largest", "runs below/as/above"};
    static const int width[] = {-46, -12, 4, 8, 8, 8, -19};
    page_text(
        page,
        "Columns: the smallest, the middle and the largest of the runs; how many lie below what is printed, come out "
        "as printed or said, and lie above. Each run starts from the reference's initial weights, every one of them "
        "moved to the next number up or down "
        "or left as it is, at random: as much as another order of summation would do in the first step. What differs "
        "among these runs is decided by rounding, and a printed value inside their range is one more such run.");
    page_table(page, heading, width, sizeof(width) / sizeof(width[0]));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        write_row(page, &rows[i]);
    }
    page_table_end(page);
    write_reasons(page);
    const size_t n = n_spread(REFERENCE);
    if (n == 0) {
        return;
    }
    uint32_t apart = 0; // first step at which two runs differ by a tenth
    for (uint32_t step = 1; step <= spread[REFERENCE][0].n_steps && apart == 0; step++) {
        double low = spread[REFERENCE][0].loss[step - 1];
        double high = low;
        for (size_t i = 1; i < n; i++) {
            const double loss = spread[REFERENCE][i].loss[step - 1];
            low = loss < low ? loss : low;
            high = loss > high ? loss : high;
        }
        apart = high > 1.1 * low ? step : 0;
    }
    size_t n_answers = 0;
    size_t n_printed = 0;
    for (size_t i = 0; i < n; i++) {
        size_t first = 0;
        while (strcmp(spread[REFERENCE][first].alphabet, spread[REFERENCE][i].alphabet) != 0) {
            first++;
        }
        n_answers += first == i ? 1U : 0U;
        n_printed += strcmp(spread[REFERENCE][i].alphabet, "fedabadbad") == 0 ? 1U : 0U;
    }
    page_text(page,
              "The losses of the %zu reference runs first differ by more than a tenth at step %u. They make %zu "
              "different words of abcdefghij; %zu of them the chapter's, fedabadbad.",
              n, (unsigned)apart, n_answers, n_printed);
}
