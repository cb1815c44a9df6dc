// SPDX-License-Identifier: MIT
// The numbers of any tensor: weights as they are in the file, everything else computed for a string first.
#include "look.h"
#include "map_print.h"
#include "table.h"

#include <string.h>

enum {
    ROWS_SHOWN = 8,        // where not everything is shown
    ROWS_SHOWN_WHOLE = 12, // so many are shown, so that the token table is whole
    LINE_CHARS = 100,
    LABEL_BYTES = 96
};

/// What to show, and how.
struct request {
    struct view view;
    const char *text;         // the string, or NULL
    struct sequence sequence; // what has been run
    struct weights_note note;
    bool is_run;   // the sequence has been run: rows have tokens
    bool is_all;   // all numbers, not only the first ones
    bool is_exact; // with so many digits that reading them back gives the same bits
};

// -------------------------------------------------------------------------------------------- making tensors live

/// Sentence for a tensor whose bytes hold something else by the time anything could be shown.
static bool complain_of_phase(const struct af_tensor *const t, const char *const why) {
    char phases[MAP_TEXT_BYTES];
    (void)complain("%s lives only in the phase%s %s: %s", t->name, (t->live & (t->live - 1U)) != 0 ? "s" : "",
                   map_phases(phases, &af_map, t->live), why);
    return false;
}

static bool parse_string(struct request *const request, const enum answer answer) {
    const struct af_tensor *const t = &request->view.tensor;
    if (request->text == NULL) {
        return complain_of_phase(t, "give a string to compute it for");
    }
    request->is_run = sequence_parse(&request->sequence, request->text, answer);
    return request->is_run;
}

static bool run_forward(struct request *const request) {
    if (!parse_string(request, ANSWER_MODEL)) {
        return false;
    }
    sequence_forward(&request->sequence);
    return true;
}

/// Forward, loss and backward of one training step on the string and its right answer; the update is left out.
static bool run_backward(struct request *const request) {
    const struct af_model model = program_model();
    if (!parse_string(request, ANSWER_TRUE)) {
        return false;
    }
    const struct af_sequence sequence = sequence_of(&request->sequence);
    uint32_t n_targets = 0;
    (void)af_sequence_check(&sequence, &n_targets);
    if (n_targets == 0) {
        (void)complain("\"%s\": nothing follows the |, so there is no loss and no gradient", request->text);
        return false;
    }
    af_status status = af_train_begin(&model, n_targets);
    if (status == AF_OK) {
        status = af_train_accumulate(&model, &sequence, 1);
    }
    (void)af_train_abandon(&model);
    if (status != AF_OK) {
        (void)complain("the training step failed: %s, %s", af_status_name(status), af_status_text(status));
        return false;
    }
    return true;
}

/// Lets the model decode the tokens of the sequence one by one.
static bool run_decode(struct request *const request) {
    if (!parse_string(request, ANSWER_MODEL)) {
        return false;
    }
    struct af_decode *const decode = open_decode();
    af_status status = AF_OK;
    for (size_t i = 0; i < request->sequence.n && status == AF_OK; i++) {
        status = af_decode_push(decode, program_reader(), request->sequence.token[i]);
    }
    if (status != AF_OK) { // they fit, but not every model has a cache
        (void)complain("%s: %s, %s", request->view.tensor.name, af_status_name(status), af_status_text(status));
    }
    return status == AF_OK;
}

/// Puts into the workspace what was there in a phase of training or decoding.
static bool fill_work(struct request *const request) {
    const struct af_tensor *const t = &request->view.tensor;
    if (t->live == AF_LIVE_DECODE) {
        return run_decode(request);
    }
    if (t->live == AF_LIVE_INIT) {
        // The stream as it stands when all weights are drawn. They go where no one needs anything now.
        af_init_weights(&af_arena.grad.at, af_arena.work.init_stream, request->note.seed_weights);
        return true;
    }
    if (t->live == AF_LIVE_BACKWARD_FF) {
        return complain_of_phase(t, "within each block's pass d_q and d_kv then take its bytes, so it cannot be shown");
    }
    return (t->live & AF_LIVE_FORWARD) != 0 ? run_forward(request) : run_backward(request);
}

/// Training's state as it was when the run of the weights file began; with a string, after its backward pass.
static bool fill_state(struct request *const request) {
    const struct af_model model = program_model();
    (void)af_train_reset(&model);
    af_numpy_seed(af_arena.state.data_stream, request->note.seed_training);
    return request->text == NULL || run_backward(request);
}

/// Computes what the tensor holds. False after a line on stderr.
static bool make_live(struct request *const request) {
    const struct af_tensor *const t = &request->view.tensor;
    if (t->type == AF_TYPE_GAP) {
        (void)complain("%s holds nothing: its %zu bytes keep the next region aligned", t->name, t->n_bytes);
        return false;
    }
    switch (t->region) {
    case AF_REGION_weight:
        return request->text == NULL || run_forward(request); // a string that is not needed has to be right, too
    case AF_REGION_grad:
        return run_backward(request);
    case AF_REGION_state:
        return fill_state(request);
    case AF_REGION_work:
        return fill_work(request);
    default:
        (void)complain("%s is not in a weights file: moments live in the program that trains", t->name);
        return false;
    }
}

// ---------------------------------------------------------------------------------------------- rows that exist

/// Indices that exist of an axis, after what was run.
static size_t n_existing(const struct axis *const axis) {
    const struct af_train *const train = &af_arena.work.train;
    switch (axis->kind) {
    case AXIS_PLAIN:
    case AXIS_VOCAB:
        break;
    case AXIS_ROW:
        return train->row_start[1];
    case AXIS_QUERY:
        return train->query_start[1];
    case AXIS_SEQUENCE:
        return 2; // one sequence, and the end
    case AXIS_CACHED:
        return af_arena.work.decode.n_tokens[0];
    case AXIS_NEWEST:
        return 1; // tokens were pushed one by one
    }
    return axis->from + axis->n;
}

/// Cuts off what no token of the sequence has filled. False, after a line, if nothing is left.
static bool keep_existing(struct request *const request) {
    struct view *const view = &request->view;
    for (size_t a = 0; a < view->tensor.rank && request->is_run; a++) {
        struct axis *const axis = &view->axis[a];
        const size_t n = n_existing(axis);
        if (axis->from >= n) {
            (void)complain("%s: this string fills rows 0 to %zu only", view->tensor.name, n - 1);
            return false;
        }
        axis->n = axis->from + axis->n > n ? n - axis->from : axis->n;
    }
    return true;
}

/// The token that an index of an axis stands for, or '\0'.
static char axis_token(const struct request *const request, const struct axis *const axis, const size_t i) {
    const struct af_train *const train = &af_arena.work.train;
    const size_t index = axis->from + i;
    switch (axis->kind) {
    case AXIS_VOCAB:
        return token_char((af_token)index);
    case AXIS_ROW:
    case AXIS_CACHED:
        if (request->is_run) {
            return token_char(request->sequence.token[index]);
        }
        break;
    case AXIS_QUERY:
        if (request->is_run) {
            return token_char(train->token[train->query_row[index]]);
        }
        break;
    case AXIS_NEWEST:
        if (request->is_run) {
            return token_char(request->sequence.token[request->sequence.n - 1]);
        }
        break;
    case AXIS_PLAIN:
    case AXIS_SEQUENCE:
        break;
    }
    return '\0';
}

// --------------------------------------------------------------------------------------------------------- numbers

static double real_at(const struct view *const view, const size_t i) {
    const af_real *const number = view->tensor.address;
    return (double)number[view_element(view, i)];
}

/// Writes one element; returns `out`.
static const char *number_text(char out[32], const struct request *const request, const size_t i) {
    const struct view *const view = &request->view;
    if (view->tensor.type == AF_TYPE_REAL) {
        const int n_digits = !request->is_exact ? 4 : AF_REAL_IS_DOUBLE ? 17 : 9;
        (void)snprintf(out, 32, "%.*g", n_digits, real_at(view, i));
    } else if (view->tensor.type == AF_TYPE_INDEX) {
        const af_index *const number = view->tensor.address;
        (void)snprintf(out, 32, "%lu", (unsigned long)number[view_element(view, i)]);
    } else {
        const af_token *const token = view->tensor.address;
        const af_token t = token[view_element(view, i)];
        if (t == AF_IGNORE) {
            (void)snprintf(out, 32, "_");
        } else {
            (void)snprintf(out, 32, "%u=%c", (unsigned)t, token_char(t));
        }
    }
    return out;
}

static int number_width(const struct request *const request) {
    if (request->view.tensor.type != AF_TYPE_REAL) {
        return 8;
    }
    return !request->is_exact ? 11 : AF_REAL_IS_DOUBLE ? 25 : 17;
}

/// "[3][1]" of the row that begins with element i, for every axis but the last, and the token of the first one.
static const char *row_label(char out[LABEL_BYTES], const struct request *const request, size_t i) {
    const struct view *const view = &request->view;
    size_t axis[4];
    size_t index[4] = {0};
    const size_t n_axes = view_axes(view, axis);
    for (size_t a = n_axes; a > 0; a--) {
        index[a - 1] = i % view->axis[axis[a - 1]].n;
        i /= view->axis[axis[a - 1]].n;
    }
    size_t n = 0;
    for (size_t a = 0; a + 1 < n_axes; a++) {
        n += (size_t)snprintf(out + n, LABEL_BYTES - n, "[%zu]", index[a]);
    }
    char token = '\0';
    if (n_axes > 1) {
        token = axis_token(request, &view->axis[axis[0]], index[0]);
    }
    if (token != '\0') {
        (void)snprintf(out + n, LABEL_BYTES - n, " %c", token);
    } else {
        out[n] = '\0';
    }
    return out;
}

/// Prints the head of the columns `from` to `end` - 1 of the innermost axis.
static void print_column_heads(const struct request *const request, const struct axis *const axis,
                               const int label_width, const size_t from, const size_t end) {
    (void)printf("%*s", label_width, "");
    for (size_t c = from; c < end; c++) {
        char text[32];
        const char token = axis_token(request, axis, c);
        const int n = snprintf(text, sizeof(text), "[%zu]", c);
        if (token != '\0') {
            (void)snprintf(text + n, sizeof(text) - (size_t)n, " %c", token);
        }
        (void)printf("%*s", number_width(request), text);
    }
    (void)putchar('\n');
}

/// The grid of a view: columns are its last axis, rows all others.
struct grid {
    const struct axis *columns;
    size_t n_columns;
    size_t n_rows;
    size_t n_columns_shown;
    size_t n_rows_shown;
    size_t n_beside; // columns in a line
    int label_width;
};

static struct grid grid_of(const struct request *const request) {
    static const struct axis one = {0, 1, 1, AXIS_PLAIN, false};
    const struct view *const view = &request->view;
    char label[LABEL_BYTES];
    size_t axis[4];
    struct grid g;
    const size_t n_axes = view_axes(view, axis);
    const size_t count = view_count(view);
    g.columns = n_axes > 0 ? &view->axis[axis[n_axes - 1]] : &one;
    g.n_columns = g.columns->n;
    g.n_rows = count / g.n_columns;
    g.label_width = (int)strlen(row_label(label, request, count - 1)) + 1;
    g.n_beside = (size_t)(LINE_CHARS - g.label_width) / (size_t)number_width(request);
    g.n_columns_shown = g.n_columns;
    g.n_rows_shown = g.n_rows;
    if (request->is_all) {
        return g;
    }
    // With one axis the numbers go on in the next line; with a token a row, every row is shown.
    const size_t n_columns_at_most = n_axes > 1 ? g.n_beside : ROWS_SHOWN * g.n_beside;
    if (g.n_columns > n_columns_at_most) {
        g.n_columns_shown = n_columns_at_most;
    }
    const bool has_tokens = request->is_run && n_axes > 1 && view->axis[axis[0]].kind != AXIS_PLAIN;
    if (g.n_rows > ROWS_SHOWN_WHOLE && !has_tokens) {
        g.n_rows_shown = ROWS_SHOWN;
    }
    return g;
}

/// Says what the grid leaves out.
static void print_rest(const struct grid *const g) {
    const bool has_more_rows = g->n_rows_shown < g->n_rows;
    const bool has_more_columns = g->n_columns_shown < g->n_columns;
    if (has_more_rows) {
        (void)printf("first %zu of %zu rows%s", g->n_rows_shown, g->n_rows, has_more_columns ? ", " : "");
    }
    if (has_more_columns) {
        (void)printf("first %zu of %zu %s", g->n_columns_shown, g->n_columns, g->n_rows > 1 ? "columns" : "numbers");
    }
    if (has_more_rows || has_more_columns) {
        (void)printf("; --all shows every number\n");
    }
}

static void print_numbers(const struct request *const request) {
    const struct grid g = grid_of(request);
    if (view_count(&request->view) == 1) {
        char number[32];
        (void)printf("%s\n", number_text(number, request, 0));
        return;
    }
    for (size_t from = 0; from < g.n_columns_shown; from += g.n_beside) {
        const size_t end = from + g.n_beside < g.n_columns_shown ? from + g.n_beside : g.n_columns_shown;
        print_column_heads(request, g.columns, g.label_width, from, end);
        for (size_t r = 0; r < g.n_rows_shown; r++) {
            char text[LABEL_BYTES];
            (void)printf("%-*s", g.label_width, row_label(text, request, r * g.n_columns));
            for (size_t c = from; c < end; c++) {
                char number[32];
                (void)printf("%*s", number_width(request), number_text(number, request, r * g.n_columns + c));
            }
            (void)putchar('\n');
        }
    }
    print_rest(&g);
}

static void print_statistics(const struct request *const request) {
    const struct view *const view = &request->view;
    const size_t n = view_count(view);
    double min = real_at(view, 0);
    double max = min;
    double sum = 0;
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        const double x = real_at(view, i);
        min = x < min ? x : min;
        max = x > max ? x : max;
        sum += x;
        squares += x * x;
    }
    const int n_digits = !request->is_exact ? 4 : AF_REAL_IS_DOUBLE ? 17 : 9;
    (void)printf("  numbers     min %.*g, max %.*g, mean %.*g, norm %.*g\n", n_digits, min, n_digits, max, n_digits,
                 sum / (double)n, n_digits, (double)af_sqrt((af_real)squares));
}

// --------------------------------------------------------------------------------------------------------- records

static void print_numpy(const struct af_numpy *const g) {
    (void)printf("  state        0x%016llx%016llx\n", (unsigned long long)g->state_hi, (unsigned long long)g->state_lo);
    (void)printf("  increment    0x%016llx%016llx\n", (unsigned long long)g->increment_hi,
                 (unsigned long long)g->increment_lo);
    (void)printf("  half         0x%08lx\n", (unsigned long)g->half);
    (void)printf("  half_pending %lu\n", (unsigned long)g->half_pending);
}

static void print_torch(const struct af_torch *const g, const bool is_all) {
    const size_t n = sizeof(g->word) / sizeof(g->word[0]);
    const size_t n_shown = is_all ? n : 4 * ROWS_SHOWN;
    (void)printf("  next         %lu of %zu\n", (unsigned long)g->next, n);
    for (size_t i = 0; i < n_shown; i++) {
        if (i % 4 == 0) {
            (void)printf("  word[%3zu]   ", i);
        }
        (void)printf(" 0x%08lx%s", (unsigned long)g->word[i], i % 4 == 3 ? "\n" : "");
    }
    if (n_shown < n) {
        (void)printf("first %zu of %zu words; --all shows every word\n", n_shown, n);
    }
}

static const char *phase_text(const uint16_t phase) {
    static const char *const text[] = {"no step is open",
                                       "a step is open",
                                       "a micro-batch is under way",
                                       "the update checks the gradients",
                                       "the update changes the weights",
                                       "a load has failed half-way"};
    return phase < sizeof(text) / sizeof(text[0]) ? text[phase] : "?";
}

static void print_progress(const struct af_progress *const p) {
    (void)printf("  loss_sum      %.9g\n", (double)p->loss_sum);
    (void)printf("  inverse_count %.9g\n", (double)p->inverse_count);
    (void)printf("  learning_rate %.9g\n", (double)p->learning_rate);
    (void)printf("  weight_decay  %.9g\n", (double)p->weight_decay);
    (void)printf("  correction1   %.9g\n", (double)p->correction1);
    (void)printf("  correction2   %.9g\n", (double)p->correction2);
    (void)printf("  step          %lu\n", (unsigned long)p->step);
    (void)printf("  n_targets     %lu\n", (unsigned long)p->n_targets);
    (void)printf("  n_taken       %lu\n", (unsigned long)p->n_taken);
    (void)printf("  cursor        %lu\n", (unsigned long)p->cursor);
    (void)printf("  phase         %u, %s\n", (unsigned)p->phase, phase_text(p->phase));
    (void)printf("  stage         %u of %d\n", (unsigned)p->stage, AF_N_STAGES);
    (void)printf("  n_sequences   %u\n", (unsigned)p->n_sequences);
}

// --------------------------------------------------------------------------------------------------------- command

/// What has been computed, so that the numbers below are known to be of that.
static void print_origin(const struct request *const request) {
    const struct af_tensor *const t = &request->view.tensor;
    if (request->is_run && t->region != AF_REGION_weight) {
        char text[AF_CONTEXT + 1];
        sequence_text(text, &request->sequence);
        (void)printf("  computed    for %s\n", text);
    }
    if ((t->live & AF_LIVE_FORWARD) == 0 && (t->live & AF_LIVE_BACKWARD) != 0 && strstr(t->name, "d_logits") == NULL) {
        (void)printf("  as left by  the end of the backward pass, block 0\n");
    }
    if (t->region == AF_REGION_state && !request->is_run) {
        (void)printf("  as at       the start of a run with training seed %llu\n",
                     (unsigned long long)request->note.seed_training);
    }
    if (t->live == AF_LIVE_INIT) {
        (void)printf("  as left by  drawing the weights of seed %llu\n",
                     (unsigned long long)request->note.seed_weights);
    }
}

/// Which part of the tensor the view is: "[64..127][0..63]".
static void print_part(const struct view *const view) {
    (void)printf("  part        ");
    for (size_t a = 0; a < view->tensor.rank; a++) {
        const struct axis *const axis = &view->axis[a];
        if (axis->n == 1) {
            (void)printf("[%zu]", axis->from);
        } else {
            (void)printf("[%zu..%zu]", axis->from, axis->from + axis->n - 1);
        }
    }
    const size_t element_bytes = view->tensor.n_bytes / view->tensor.n_elements;
    const size_t n = view_count(view);
    (void)printf(": %zu element%s from +%zu on\n", n, n == 1 ? "" : "s",
                 view->tensor.offset + view_element(view, 0) * element_bytes);
}

static void print_content(const struct request *const request) {
    const struct af_tensor *const t = &request->view.tensor;
    switch (t->type) {
    case AF_TYPE_REAL:
        if (view_count(&request->view) > 1) {
            print_statistics(request);
        }
        (void)putchar('\n');
        print_numbers(request);
        break;
    case AF_TYPE_TOKEN:
    case AF_TYPE_INDEX:
        (void)putchar('\n');
        print_numbers(request);
        break;
    case AF_TYPE_NUMPY:
        (void)putchar('\n');
        print_numpy(t->address);
        break;
    case AF_TYPE_TORCH:
        (void)putchar('\n');
        print_torch(t->address, request->is_all);
        break;
    case AF_TYPE_PROGRESS:
        (void)putchar('\n');
        print_progress(t->address);
        break;
    case AF_TYPE_FLAG: // the model has none
    case AF_TYPE_GAP:
        break;
    }
}

static void print_request(const struct request *const request) {
    map_print_tensor(stdout, &af_map, &request->view.tensor);
    if (view_count(&request->view) < request->view.tensor.n_elements) {
        print_part(&request->view);
    }
    print_origin(request);
    print_content(request);
}

int cmd_show(int argc, char **argv) {
    static struct request request;
    const char *weights_path = default_weights_path();
    request.is_all = take_switch(&argc, argv, "all");
    request.is_exact = take_switch(&argc, argv, "exact");
    if (!take_path(&argc, argv, "weights", &weights_path) || !no_options_left(argc, argv)) {
        return STATUS_USAGE;
    }
    if (argc < 2 || argc > 3) {
        return complain("show: give the name of a tensor and, for what is computed from one, a string");
    }
    request.text = argc == 3 ? argv[2] : NULL;
    const int status = view_parse(&request.view, argv[1]);
    if (status != STATUS_DONE) {
        return status;
    }
    if (!weights_load(&af_arena.weight.at, &request.note, weights_path) || !make_live(&request) ||
        !keep_existing(&request)) {
        return STATUS_USAGE;
    }
    print_request(&request);
    return STATUS_DONE;
}
