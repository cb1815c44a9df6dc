// SPDX-License-Identifier: MIT
// The tests of section 1.9: strings of the trained lengths, seen and unseen, and longer ones.
#include "reversal.h"
#include "table.h"

enum { SHORTEST_LONG = LONGEST + 1, LONGEST_LONG = 12 };

static void print_lengths(const struct score *const score, const uint32_t shortest, const uint32_t longest) {
    const struct table table = {stdout, 3, {{10, true}, {8, true}, {8, true}}};
    const char *const heading[] = {"letters", "right", "of"};
    table_row(&table, heading);
    table_rule(&table);
    for (uint32_t n = shortest; n <= longest; n++) {
        char text[3][12];
        (void)snprintf(text[0], sizeof(text[0]), "%u", (unsigned)n);
        (void)snprintf(text[1], sizeof(text[1]), "%u", (unsigned)score->n_right_of[n]);
        (void)snprintf(text[2], sizeof(text[2]), "%u", (unsigned)score->n_of[n]);
        const char *const cell[] = {text[0], text[1], text[2]};
        table_row(&table, cell);
    }
    table_rule(&table);
    char right[12];
    char of[12];
    (void)snprintf(right, sizeof(right), "%u", (unsigned)score->n_right);
    (void)snprintf(of, sizeof(of), "%u", (unsigned)score->n);
    const char *const sum[] = {"all", right, of};
    table_row(&table, sum);
}

static void print_alphabet(void) {
    struct letters alphabet = {{0}, N_LETTERS};
    for (size_t i = 0; i < N_LETTERS; i++) {
        alphabet.token[i] = (af_token)i;
    }
    const struct af_model model = program_model();
    struct af_decode *decode = NULL;
    if (af_decode_open(&model, &decode) != AF_OK) { // only while a training step is open: never here
        return;
    }
    struct letters answer;
    const bool is_right = reverse_greedily(&answer, decode, program_reader(), &alphabet);
    char text[MAX_LETTERS + 1];
    letters_text(text, &answer);
    (void)printf("\nabcdefghij -> %s, %s\n", text, is_right ? "right" : "wrong");
}

/// How the run's losses went, if its log is there.
static void print_losses(const struct run *const run) {
    char path[PATH_BYTES];
    if (!log_path_of(path, run->path)) {
        return;
    }
    const struct training_log log = read_training_log(path, run);
    if (log.missing != NULL || log.n_steps == 0) {
        return;
    }
    const uint32_t n_last = log.n_steps < 250 ? log.n_steps : 250;
    const uint32_t step = first_step_below(log.loss, log.n_steps);
    (void)printf("Mean loss of the last %u steps: %.6f. Mean of %d losses below 0.01: ", (unsigned)n_last,
                 mean_loss(log.loss, log.n_steps - n_last + 1, log.n_steps), (int)N_TRAILING);
    if (step > 0) {
        (void)printf("first at step %u.\n\n", (unsigned)step);
    } else {
        (void)printf("never.\n\n");
    }
}

int cmd_test(int argc, char **argv) {
    struct run run;
    if (!load_run_for_command(&argc, argv, &run) || !no_options_left(argc, argv)) {
        return STATUS_USAGE;
    }
    if (argc > 1) {
        return complain("test: \"%s\" is no option; try: reversal test --help", argv[1]);
    }
    (void)printf("Weights after %u steps of %u examples; %s\n\n", (unsigned)run.note.n_steps, (unsigned)run.batch,
                 run.path);
    print_losses(&run);
    const struct drawn drawn = redraw_training(&run);

    const struct score score = score_strings(SEED_TEST, N_TEST, SHORTEST, LONGEST);
    (void)printf("Strings of %d to %d letters: %u of default_rng(%d)\n\n", (int)SHORTEST, (int)LONGEST,
                 (unsigned)N_TEST, (int)SEED_TEST);
    print_lengths(&score, SHORTEST, LONGEST);
    (void)printf("\nNever drawn in training: %u of them, %u right; drawn: %u, %u right.\n"
                 "Training drew %llu strings; of these lengths, %llu distinct ones.\n",
                 (unsigned)score.n_unseen, (unsigned)score.n_unseen_right, (unsigned)(score.n - score.n_unseen),
                 (unsigned)(score.n_right - score.n_unseen_right), (unsigned long long)drawn.n_examples,
                 (unsigned long long)drawn.n_distinct);

    const struct score longer = score_strings(SEED_LONG, N_LONG, SHORTEST_LONG, LONGEST_LONG);
    (void)printf("\nLonger strings: %u of default_rng(%d). The chapter does not say which ones it used.\n\n",
                 (unsigned)N_LONG, (int)SEED_LONG);
    print_lengths(&longer, SHORTEST_LONG, LONGEST_LONG);
    print_alphabet();
    return STATUS_DONE;
}
