// SPDX-License-Identifier: MIT
// The settings of a run that are not the chapter's.
#include "compare.h"
#include "af_math.h"

#include <stdarg.h>
#include <string.h>

/// Adds a setting whose words are formatted; `chapter` is its value there.
static void add(struct settings *settings, unsigned bit, const char *chapter, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

static void add(struct settings *const settings, const unsigned bit, const char *const chapter,
                const char *const format, ...) {
    if (settings->n == MAX_SETTINGS) {
        return;
    }
    struct setting *const setting = &settings->setting[settings->n];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(setting->text, sizeof(setting->text), format, arguments);
    va_end(arguments);
    (void)snprintf(setting->chapter, sizeof(setting->chapter), "%s", chapter);
    setting->bit = bit;
    settings->n++;
}

static void add_count(struct settings *const settings, const unsigned bit, const char *const word,
                      const uint64_t number, const uint64_t chapter) {
    if (number != chapter) {
        char text[24];
        (void)snprintf(text, sizeof(text), "%llu", (unsigned long long)chapter);
        add(settings, bit, text, "%s=%llu", word, (unsigned long long)number);
    }
}

static void add_real(struct settings *const settings, const char *const word, const af_real number,
                     const af_real chapter) {
    if (af_bits_of(number) != af_bits_of(chapter)) {
        char text[24];
        (void)snprintf(text, sizeof(text), "%g", (double)chapter);
        add(settings, ON_RATE, text, "%s=%g", word, (double)number);
    }
}

static void add_switch(struct settings *const settings, const unsigned bit, const bool is_other,
                       const char *const words, const char *const chapter) {
    if (is_other) {
        add(settings, bit, chapter, "%s", words);
    }
}

/// The chapter's sizes; what the program has is in the map.
enum { CHAPTER_BLOCKS = 2, CHAPTER_HEADS = 2, CHAPTER_DIM = 64, CHAPTER_FF = 256, CHAPTER_CONTEXT = 25 };

static void find_model(struct settings *const out) {
    add_switch(out, ON_SCALE, AF_SCALED == 0, "scale=False", "True");
    add_switch(out, ON_MASK, AF_CAUSAL == 0, "causal=False", "True");
    add_switch(out, ON_AXIS, AF_SOFTMAX_QUERIES == 1, "dim=-2", "-1");
    add_switch(out, ON_BLOCK, AF_RESIDUAL == 0, "residual=False", "True");
    add_switch(out, ON_BLOCK, AF_POST_NORM == 1, "norm=post", "pre");
    add_count(out, ON_SIZE, "d_model", dim_of("weight.at.tok", 1), CHAPTER_DIM);
    add_count(out, ON_SIZE, "n_heads", dim_of("work.train.block[0].att", 1), CHAPTER_HEADS);
    add_count(out, ON_SIZE, "n_layers", AF_BLOCKS, CHAPTER_BLOCKS);
    const size_t hidden = dim_of("blocks.0.mlp.0.weight", 0);
    if (hidden != 4 * dim_of("weight.at.tok", 1)) { // else it follows from the width
        add_count(out, ON_SIZE, "AF_FF", hidden, CHAPTER_FF);
    }
    add_count(out, ON_SIZE, "AF_CONTEXT", dim_of("weight.at.pos", 0), CHAPTER_CONTEXT);
    add_switch(out, ON_PRECISION, AF_REAL_IS_DOUBLE, "AF_REAL=double", "float");
}

void settings_find(struct settings *const out, const struct run *const run) {
    static const struct af_adamw how = AF_ADAMW_CHAPTER;
    const struct recipe *const recipe = &run->recipe;
    out->n = 0;
    find_model(out);
    add_switch(out, ON_TARGETS, recipe->has_all_targets, "loss=all", "outputs");
    add_count(out, ON_STEPS, "steps", run->note.n_steps, N_STEPS);
    add_count(out, ON_BATCH, "batch", run->batch, BATCH);
    if (recipe->shortest != SHORTEST || recipe->longest != LONGEST) {
        add(out, ON_LENGTHS, "3-8", "lengths=%u-%u", (unsigned)recipe->shortest, (unsigned)recipe->longest);
    }
    add_switch(out, ON_OFFSET, recipe->has_offset, "offset=random", "zero");
    add_real(out, "lr", run->how.learning_rate, how.learning_rate);
    add_real(out, "weight_decay", run->how.weight_decay, how.weight_decay);
    add_count(out, ON_RATE, "warmup", recipe->n_warm_up, 0);
    add_switch(out, ON_RATE, recipe->has_decay, "decay=linear", "none");
    add_count(out, ON_SEED, "seed", run->note.seed_weights, SEED_WEIGHTS);
    add_count(out, ON_DATA_SEED, "data_seed", run->note.seed_training, SEED_TRAINING);
    add_count(out, 0, "perturb", recipe->perturb, 0);
}

const char *settings_reason(char out[COMPARISON_REASON_BYTES], const struct settings *const settings,
                            const unsigned bits) {
    size_t n = 0;
    out[0] = '\0';
    for (size_t i = 0; i < settings->n; i++) {
        const struct setting *const setting = &settings->setting[i];
        if ((setting->bit & bits) != 0 && n < COMPARISON_REASON_BYTES - sizeof(setting->text)) {
            n += (size_t)snprintf(out + n, COMPARISON_REASON_BYTES - n, "%s%s", n > 0 ? ", " : "", setting->text);
        }
    }
    return out;
}

void rest_on(struct comparison *const c, const struct facts *const facts, const unsigned bits) {
    char reason[COMPARISON_REASON_BYTES];
    compare_elsewhere(c, settings_reason(reason, &facts->settings, bits));
}
