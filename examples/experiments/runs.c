// SPDX-License-Identifier: MIT
// Reads what runs left behind.
#include "experiments.h"
#include "command_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct experiment experiment[N_RUNS];
struct experiment spread[N_FAULTS][MAX_SPREAD];

enum { LINE_BYTES = 128, PATH_BYTES = 4096, MAX_FIELDS = 6 };

/// A line taken apart at its commas.
struct fields {
    const char *text[MAX_FIELDS];
    double number[MAX_FIELDS];
    size_t n;
};

static void split(struct fields *const out, char *const line) {
    out->n = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at != NULL && out->n < MAX_FIELDS;) {
        char *const comma = strchr(at, ',');
        if (comma != NULL) {
            *comma = '\0';
        }
        out->text[out->n] = at;
        out->number[out->n] = strtod(at, NULL);
        out->n++;
        at = comma != NULL ? comma + 1 : NULL;
    }
    for (size_t i = out->n; i < MAX_FIELDS; i++) {
        out->text[i] = "";
        out->number[i] = 0;
    }
}

static unsigned count_of(const struct fields *const f, const size_t i, const unsigned below) {
    const double number = f->number[i];
    return number >= 0 && number < (double)below ? (unsigned)number : 0;
}

static struct share share_of(const struct fields *const f, const size_t i) {
    const struct share share = {count_of(f, i, 1000000), count_of(f, i + 1, 1000000)};
    return share;
}

static struct table_row_facts row_of(const struct fields *const f, const size_t i) {
    const struct table_row_facts row = {f->number[i], f->number[i + 1], f->number[i + 2]};
    return row;
}

/// Facts that are counts.
static bool take_share(struct experiment *const e, const struct fields *const f) {
    const struct {
        const char *key;
        struct share *share;
    } known[] = {{"total", &e->total},
                 {"longer", &e->longer},
                 {"longer_first", &e->longer_first},
                 {"unseen", &e->unseen},
                 {"shifted", &e->shifted}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(f->text[0], known[i].key) == 0) {
            *known[i].share = share_of(f, 1);
            return true;
        }
    }
    if (strcmp(f->text[0], "right") == 0) {
        e->right[count_of(f, 1, MAX_LETTERS + 1)] = share_of(f, 2);
        return true;
    }
    return false;
}

/// Facts that are one or two numbers.
static bool take_number(struct experiment *const e, const struct fields *const f) {
    const struct {
        const char *key;
        double *number;
        size_t n;
    } known[] = {{"loss_input", &e->loss_input, 1},    {"loss_output", &e->loss_output, 1},
                 {"later_key", &e->later_key, 1},      {"divisor", &e->divisor, 1},
                 {"sum_of_query", e->sum_of_query, 2}, {"sum_of_key", e->sum_of_key, 2}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(f->text[0], known[i].key) == 0) {
            for (size_t k = 0; k < known[i].n; k++) {
                known[i].number[k] = f->number[1 + k];
            }
            return true;
        }
    }
    return false;
}

static void take_other(struct experiment *const e, const struct fields *const f) {
    if (strcmp(f->text[0], "hash") == 0) {
        e->hash = (uint32_t)strtoul(f->text[1], NULL, 16);
    } else if (strcmp(f->text[0], "blocks") == 0) {
        e->n_blocks = count_of(f, 1, MAX_BLOCKS + 1);
    } else if (strcmp(f->text[0], "heads") == 0) {
        e->n_heads = count_of(f, 1, MAX_HEADS + 1);
    } else if (strcmp(f->text[0], "alphabet") == 0) {
        (void)snprintf(e->alphabet, sizeof(e->alphabet), "%s", f->text[1]);
    } else if (strcmp(f->text[0], "position") == 0) {
        e->position[count_of(f, 1, N_POSITIONS)] = row_of(f, 2);
    } else if (strcmp(f->text[0], "pad") == 0) {
        e->pad = row_of(f, 1);
    } else if (strcmp(f->text[0], "moved") == 0) {
        e->moved[count_of(f, 1, N_EXAMPLE)][count_of(f, 2, N_EXAMPLE)] = f->number[3];
    } else if (strcmp(f->text[0], "strongest") == 0) {
        struct strongest *const s =
            &e->strongest[count_of(f, 1, MAX_BLOCKS)][count_of(f, 2, MAX_HEADS)][count_of(f, 3, N_EXAMPLE)];
        s->key = count_of(f, 4, N_EXAMPLE);
        s->weight = f->number[5];
    }
}

static void take_fact(struct experiment *const e, char *const line) {
    struct fields f;
    split(&f, line);
    if (!take_share(e, &f) && !take_number(e, &f)) {
        take_other(e, &f);
    }
}

/// A line of the log: "step,loss,hash", or a comment.
static void take_loss(struct experiment *const e, char *const line) {
    static const char seconds[] = "# seconds: ";
    struct fields f;
    if (strncmp(line, seconds, sizeof(seconds) - 1) == 0) {
        e->seconds = strtod(line + sizeof(seconds) - 1, NULL);
        return;
    }
    split(&f, line);
    if (f.n == 3 && e->n_steps < MAX_STEPS && strtoul(f.text[0], NULL, 10) == e->n_steps + 1UL) {
        e->loss[e->n_steps] = f.number[1];
        e->n_steps++;
    }
}

/// Reads a file line by line; a file that is not there is no failure but leaves *is_there false.
static bool read_lines(struct experiment *const e, const char *const folder, const char *const ending,
                       void (*const take)(struct experiment *e, char *line), bool *const is_there) {
    char path[PATH_BYTES];
    char line[LINE_BYTES];
    (void)snprintf(path, sizeof(path), "%s/%s.%s", folder, e->name, ending);
    FILE *const file = fopen(path, "r");
    *is_there = file != NULL;
    if (file == NULL) {
        if (errno != ENOENT) {
            (void)complain("cannot open %s: %s", path, strerror(errno));
        }
        return errno == ENOENT;
    }
    while (fgets(line, sizeof(line), file) != NULL) {
        take(e, line);
    }
    const bool is_good = ferror(file) == 0;
    (void)fclose(file);
    if (!is_good) {
        (void)complain("cannot read %s", path);
    }
    return is_good;
}

bool experiment_load(struct experiment *const out, const char *const folder, const char *const name) {
    bool has_facts = false;
    bool has_log = false;
    (void)memset(out, 0, sizeof(*out));
    (void)snprintf(out->name, sizeof(out->name), "%s", name);
    if (!read_lines(out, folder, "facts", take_fact, &has_facts) ||
        (has_facts && !read_lines(out, folder, "csv", take_loss, &has_log))) {
        return false;
    }
    out->is_there = has_facts && has_log && out->n_steps > 0 && out->total.of > 0;
    if (has_facts && !out->is_there) {
        (void)complain("%s/%s.facts or .csv is not whole; remove it and run again", folder, name);
    }
    return !has_facts || out->is_there;
}

double mean_of(const struct experiment *const e, const uint32_t from, const uint32_t to) {
    return mean_loss(e->loss, from, to);
}

uint32_t first_below(const struct experiment *const e) {
    return first_step_below(e->loss, e->n_steps);
}

const char *step_text(char out[STEP_BYTES], const uint32_t step) {
    (void)snprintf(out, STEP_BYTES, step == 0 ? "never" : "%u", (unsigned)step);
    return out;
}

struct peak peak_of(const struct experiment *const e, const uint32_t from, const uint32_t to) {
    struct peak peak = {0, from};
    for (uint32_t step = from; step <= to && step <= e->n_steps; step++) {
        if (e->loss[step - 1] > peak.loss) {
            peak.loss = e->loss[step - 1];
            peak.step = step;
        }
    }
    return peak;
}

double share_at_or_below(const struct experiment *const e, const struct experiment *const reference,
                         const uint32_t first) {
    enum { N_SMOOTH = 25 };
    const uint32_t last = e->n_steps < reference->n_steps ? e->n_steps : reference->n_steps;
    uint32_t n = 0;
    for (uint32_t step = first; step <= last; step++) {
        n += mean_of(e, step - N_SMOOTH + 1, step) <= mean_of(reference, step - N_SMOOTH + 1, step) ? 1U : 0U;
    }
    return last >= first ? 100.0 * n / (last - first + 1) : 0;
}

double leak_of(const struct experiment *const e) {
    double largest = 0;
    for (size_t changed = 0; changed < N_EXAMPLE; changed++) {
        for (size_t at = 0; at < changed; at++) {
            largest = e->moved[changed][at] > largest ? e->moved[changed][at] : largest;
        }
    }
    return largest;
}

size_t n_spread(const enum which kind) {
    size_t n = 0;
    while (n < MAX_SPREAD && spread[kind][n].is_there) {
        n++;
    }
    return n;
}
