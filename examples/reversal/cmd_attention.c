// SPDX-License-Identifier: MIT
// Where each position of a sequence attends to: Figure 1.2 of the chapter as text and as a picture.
#include "look.h"
#include "heat.h"
#include "svg.h"

enum {
    LABEL_CHARS = 6, // "12 f  "
    CELL_CHARS = 4,  // " .97"
    GRID_GAP = 2,    // between grids that stand side by side
    KEY_CHARS = 18,  // "   12 f  0.9712   "
    SAYS_CHARS = 13, // label and the model's next token
    MIN_COLUMNS = 40,
    MAX_COLUMNS = 1000,
    DEFAULT_COLUMNS = 120 // two heads of fgcabe|ebacgf side by side, or one of the longest sequence of the chapter
};

/// What the softmax runs over.
#if AF_SOFTMAX_QUERIES
#define SUMS "column"
#else
#define SUMS "row"
#endif

#if AF_CAUSAL
#define BLANK "; what the mask hides is blank"
#else
#define BLANK ""
#endif

/// Attention maps of one head of one block, all heads counted through.
enum { N_MAPS = AF_BLOCKS * AF_HEADS };

static af_real weight_of(const size_t map, const size_t query, const size_t key) {
    return af_arena.work.train.block[map / AF_HEADS].att[query][map % AF_HEADS][key];
}

static size_t smaller(const size_t a, const size_t b) {
    return a < b ? a : b;
}

// ------------------------------------------------------------------------------------------------------------ text

/// A weight in three characters: "1.0", ".97", and a dot for less than half a hundredth.
static void print_weight(const af_real weight) {
    const int hundredths = (int)((double)weight * 100 + 0.5);
    if (hundredths >= 100) {
        (void)printf(" 1.0");
    } else if (hundredths == 0) {
        (void)printf("   .");
    } else {
        (void)printf(" .%02d", hundredths);
    }
}

static void print_spaces(const size_t n) {
    (void)printf("%*s", (int)n, "");
}

/// The heads of the maps `from` to `end` - 1, and the tokens above the columns.
static void print_grid_heads(const struct sequence *const s, const size_t from, const size_t end) {
    const size_t width = LABEL_CHARS + CELL_CHARS * s->n;
    for (size_t map = from; map < end; map++) {
        const int n = printf("%*sblock %zu, head %zu", LABEL_CHARS + 1, "", map / AF_HEADS, map % AF_HEADS);
        if (map + 1 < end) {
            print_spaces(width + GRID_GAP > (size_t)n ? width + GRID_GAP - (size_t)n : 1);
        }
    }
    (void)putchar('\n');
    for (size_t map = from; map < end; map++) {
        print_spaces(map > from ? LABEL_CHARS + GRID_GAP : LABEL_CHARS);
        for (size_t key = 0; key < s->n; key++) {
            (void)printf("   %c", token_char(s->token[key]));
        }
    }
    (void)putchar('\n');
}

/// Grids side by side. Rows are queries, columns keys; what a mask hides is blank.
static void print_grids(const struct sequence *const s, const size_t from, const size_t end) {
    print_grid_heads(s, from, end);
    for (size_t query = 0; query < s->n; query++) {
        for (size_t map = from; map < end; map++) {
            (void)printf("%3zu %c  ", query, token_char(s->token[query]));
            for (size_t key = 0; key < af_keys_seen(query, s->n); key++) {
                print_weight(weight_of(map, query, key));
            }
            if (map + 1 < end) {
                print_spaces(CELL_CHARS * (s->n - af_keys_seen(query, s->n)) + GRID_GAP);
            }
        }
        (void)putchar('\n');
    }
    (void)putchar('\n');
}

static void print_strongest_row(const struct sequence *const s, const size_t query, const size_t from,
                                const size_t end) {
    const size_t next = af_argmax(af_arena.work.train.logits[query], AF_VOCAB);
    (void)printf("%3zu %c  %4c   ", query, token_char(s->token[query]), token_char((af_token)next));
    for (size_t map = from; map < end; map++) {
        const size_t key = strongest_key(map / AF_HEADS, map % AF_HEADS, query, s->n);
        (void)printf("%*zu %c  %6.4f", map > from ? 8 : 5, key, token_char(s->token[key]),
                     (double)weight_of(map, query, key));
    }
    (void)putchar('\n');
}

/// For each query the key with the largest weight, of the maps `from` to `end` - 1.
static void print_strongest(const struct sequence *const s, const size_t from, const size_t end) {
    (void)printf("query   next ");
    for (size_t map = from; map < end; map++) {
        (void)printf("    block %zu head %zu", map / AF_HEADS, map % AF_HEADS);
    }
    (void)putchar('\n');
    for (size_t query = 0; query < s->n; query++) {
        if (s->token[query] == SEPARATOR && query > 0) {
            (void)printf("%3s\n", "---"); // from here on the loss looks at what comes next
        }
        print_strongest_row(s, query, from, end);
    }
    (void)putchar('\n');
}

static void print_text(const struct sequence *const s, const size_t columns) {
    char text[AF_CONTEXT + 1];
    sequence_text(text, s);
    (void)printf("Attention weights for %s: a row a query, a column a key; each " SUMS " sums to 1.\n"
                 ".97 is 0.97, a dot is less than 0.005" BLANK ".\n\n",
                 text);
    const size_t grid = LABEL_CHARS + CELL_CHARS * s->n;
    const size_t n_beside = columns >= grid ? (columns - grid) / (grid + GRID_GAP) + 1 : 1;
    for (size_t block = 0; block < AF_BLOCKS; block++) { // heads of different blocks never stand in one line
        for (size_t head = 0; head < AF_HEADS; head += n_beside) {
            print_grids(s, block * AF_HEADS + head, block * AF_HEADS + smaller(head + n_beside, AF_HEADS));
        }
    }
    (void)printf("Strongest key of each query (position, token, weight), and the token the model says comes next.\n\n");
    size_t n_in_row = columns > SAYS_CHARS + KEY_CHARS ? (columns - SAYS_CHARS) / KEY_CHARS : 1;
    n_in_row -= n_in_row > AF_HEADS ? n_in_row % AF_HEADS : 0; // a block's heads stay together
    for (size_t map = 0; map < N_MAPS; map += n_in_row) {
        print_strongest(s, map, smaller(map + n_in_row, N_MAPS));
    }
}

// --------------------------------------------------------------------------------------------------------- picture

enum {
    MARGIN = 24,
    HEAD_PIXELS = 56,  // title and subtitle
    AXIS_PIXELS = 26,  // the tokens beside and above a map
    TITLE_PIXELS = 24, // a map's title
    MAP_GAP = 34,
    MAX_MAPS_BESIDE = 4,
    SCALE_PIXELS = 64 // the scale at the bottom
};

static const struct svg_style title_style = {17, SVG_START, "#111111", false, true, false};
static const struct svg_style note_style = {12, SVG_START, "#444444", false, false, false};
static const struct svg_style map_style = {13, SVG_MIDDLE, "#111111", false, true, false};
static const struct svg_style key_style = {12, SVG_MIDDLE, "#111111", true, false, false};
static const struct svg_style axis_style = {11, SVG_MIDDLE, "#444444", false, false, false};
static const struct svg_style upright_style = {11, SVG_MIDDLE, "#444444", false, false, true};

/// Where the maps of a sequence are.
struct layout {
    double cell;
    double map;      // width of a map's cells
    size_t n_beside; // maps in a row
    double step_x;
    double step_y;
};

static struct layout layout_of(const struct sequence *const s) {
    struct layout l;
    l.cell = s->n <= 16 ? 22 : 17;
    l.map = l.cell * (double)s->n;
    l.n_beside = smaller(AF_HEADS, MAX_MAPS_BESIDE);
    l.step_x = 2 * AXIS_PIXELS + l.map + MAP_GAP;
    l.step_y = TITLE_PIXELS + AXIS_PIXELS + l.map + AXIS_PIXELS + MAP_GAP;
    return l;
}

static void draw_cells(FILE *const file, const struct sequence *const s, const struct layout *const l, const size_t map,
                       const double x, const double y) {
    for (size_t query = 0; query < s->n; query++) {
        for (size_t key = 0; key < af_keys_seen(query, s->n); key++) {
            const double weight = (double)weight_of(map, query, key);
            const struct svg_box box = {x + l->cell * (double)key, y + l->cell * (double)query, l->cell, l->cell};
            char fill[HEAT_COLOUR_BYTES];
            char tip[96];
            heat_blue(fill, weight);
            (void)snprintf(tip, sizeof(tip), "query %zu %c, key %zu %c: %.4f", query, token_char(s->token[query]), key,
                           token_char(s->token[key]), weight);
            svg_rect(file, box, fill, "#d0d0d0", tip);
        }
    }
}

/// One map: title, keys above, queries at the left, cells.
static void draw_map(FILE *const file, const struct sequence *const s, const struct layout *const l, const size_t map,
                     const double x, const double y) {
    char text[48];
    const double cells_x = x + 2 * AXIS_PIXELS;
    const double cells_y = y + TITLE_PIXELS + AXIS_PIXELS;
    (void)snprintf(text, sizeof(text), "block %zu, head %zu", map / AF_HEADS, map % AF_HEADS);
    svg_text(file, cells_x + l->map / 2, y + 12, &map_style, text);
    for (size_t i = 0; i < s->n; i++) {
        const double middle = l->cell * ((double)i + 0.5);
        const char token[2] = {token_char(s->token[i]), '\0'};
        svg_text(file, cells_x + middle, cells_y - 7, &key_style, token);
        svg_text(file, cells_x - 12, cells_y + middle + 4, &key_style, token);
    }
    svg_text(file, cells_x + l->map / 2, cells_y + l->map + 17, &axis_style, "key");
    svg_text(file, cells_x - 28, cells_y + l->map / 2, &upright_style, "query");
    draw_cells(file, s, l, map, cells_x, cells_y);
    const struct svg_box frame = {cells_x, cells_y, l->map, l->map};
    svg_rect(file, frame, "none", "#666666", NULL);
}

void attention_svg(FILE *const file, const void *const what) {
    const struct sequence *const s = what;
    const struct layout l = layout_of(s);
    const size_t n_rows_a_block = (AF_HEADS + l.n_beside - 1) / l.n_beside;
    const double maps_width = l.step_x * (double)l.n_beside - MAP_GAP;
    const double width = 2 * MARGIN + (maps_width > 520 ? maps_width : 520); // the subtitle needs that much
    const double height = HEAD_PIXELS + l.step_y * (double)(AF_BLOCKS * n_rows_a_block) + SCALE_PIXELS;
    char title[AF_CONTEXT + 40];
    char text[AF_CONTEXT + 1];
    sequence_text(text, s);
    (void)snprintf(title, sizeof(title), "Attention weights for %s", text);
    svg_begin(file, width, height, title);
    svg_text(file, MARGIN, 32, &title_style, title);
    svg_text(file, MARGIN, 51, &note_style,
             "A row a query, a column a key. Darker is heavier; each " SUMS " sums to 1.");
    for (size_t map = 0; map < N_MAPS; map++) {
        const size_t head = map % AF_HEADS;
        const size_t row = map / AF_HEADS * n_rows_a_block + head / l.n_beside;
        draw_map(file, s, &l, map, MARGIN + l.step_x * (double)(head % l.n_beside),
                 HEAD_PIXELS + 14 + l.step_y * (double)row);
    }
    const struct svg_box bar = {MARGIN + 2 * AXIS_PIXELS, height - SCALE_PIXELS + 16, 240, 14};
    heat_bar(file, bar, heat_blue, 0, 1);
    svg_end(file);
}

// --------------------------------------------------------------------------------------------------------- command

/// Takes --columns; *columns stays as it is if it is not there.
static bool take_columns(int *const argc, char **const argv, uint64_t *const columns) {
    const char *text = NULL;
    return take_option(argc, argv, "columns", &text) &&
           (text == NULL || parse_number(columns, text, MIN_COLUMNS, MAX_COLUMNS, "columns"));
}

int cmd_attention(int argc, char **argv) {
    const char *svg_path = NULL;
    const char *weights_path = default_weights_path();
    uint64_t columns = DEFAULT_COLUMNS;
    struct weights_note note;
    if (!take_path(&argc, argv, "svg", &svg_path) || !take_columns(&argc, argv, &columns) ||
        !take_path(&argc, argv, "weights", &weights_path) || !no_options_left(argc, argv)) {
        return STATUS_USAGE;
    }
    if (argc != 2) {
        return complain("attention: give one string of the letters a to j, or a whole sequence such as 'abc|cba'");
    }
    static struct sequence sequence;
    if (!weights_load(&af_arena.weight.at, &note, weights_path) || !sequence_parse(&sequence, argv[1], ANSWER_MODEL)) {
        return STATUS_USAGE;
    }
    sequence_forward(&sequence);
    if (!are_logits_finite(af_arena.work.train.logits[0], sequence.n * AF_VOCAB)) {
        return STATUS_FAILED;
    }
    if (svg_path != NULL) {
        return write_file(svg_path, attention_svg, &sequence);
    }
    print_text(&sequence, (size_t)columns);
    return STATUS_DONE;
}
