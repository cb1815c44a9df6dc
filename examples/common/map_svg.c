// SPDX-License-Identifier: MIT
// The map as a picture, from top to bottom: all regions to scale; each kind of region enlarged; for a region whose
// tensors take turns a panel of addresses and phases, and below it the parts that are too small to be seen there.
#include "map_print.h"

#if AF_MAP

#include "svg.h"
#include "table.h"

#include <string.h>

#define WIDTH      1400.0
#define MARGIN     30.0
#define LEFT       180.0 // where bytes begin; labels of rows stand left of it
#define PLOT       (WIDTH - LEFT - MARGIN)
#define BAR        76.0
#define PHASE_ROW  46.0
#define LEGEND_ROW 20.0

static const struct svg_style title_style = {20, SVG_START, "#111111", false, true, false};
static const struct svg_style head_style = {14, SVG_START, "#111111", false, true, false};
static const struct svg_style note_style = {12, SVG_START, "#333333", false, false, false};
static const struct svg_style row_style = {12, SVG_END, "#111111", false, false, false};
static const struct svg_style small_row_style = {10.5, SVG_END, "#555555", false, false, false};
static const struct svg_style tick_style = {10.5, SVG_MIDDLE, "#555555", false, false, false};
static const struct svg_style block_style = {11, SVG_MIDDLE, "#333333", true, false, false};

/// A picture in the making: where the next part goes.
struct picture {
    FILE *file; // NULL: only the height is wanted
    const struct af_map *map;
    double y;
    char thin[170]; // names of tensors of this part that are too thin for them
};

/// A region, or the beginning of one, stretched over the width of the plot.
struct scale {
    size_t offset; // in the arena
    size_t n_bytes;
};

static double x_of(const struct scale *const scale, const size_t offset) {
    return LEFT + PLOT * (double)(offset - scale->offset) / (double)scale->n_bytes;
}

// --------------------------------------------------------------------------------------------------------- colours

enum { N_COLOURS = 10 };

/// Light enough for black text; neighbours differ when printed in grey, too.
static const char *const colours[N_COLOURS] = {"#cfe0f4", "#9fd0c8", "#dcedc8", "#fff3c4", "#fdd0a2",
                                               "#d9cbe8", "#f4c6d6", "#e3dcc6", "#b8cfe0", "#f2b5a0"};

/// Number of the set of phases `live` among the sets that tensors of the map have, in the order in which they occur.
static size_t lifetime_number(const struct af_map *const map, const unsigned live) {
    unsigned seen[64];
    size_t n_seen = 0;
    for (size_t i = 0; i < af_map_count(map); i++) {
        const struct af_tensor t = af_map_tensor(map, i);
        bool is_new = t.type != AF_TYPE_GAP;
        for (size_t k = 0; k < n_seen; k++) {
            is_new = is_new && seen[k] != t.live;
        }
        if (is_new && t.live == live) {
            return n_seen;
        }
        if (is_new && n_seen < sizeof(seen) / sizeof(seen[0])) {
            seen[n_seen] = t.live;
            n_seen++;
        }
    }
    return n_seen;
}

static const char *colour_of(const struct af_map *const map, const unsigned live) {
    return colours[lifetime_number(map, live) % N_COLOURS];
}

// ---------------------------------------------------------------------------------------------------------- pieces

static void text_at(const struct picture *const p, const double x, const double y, const struct svg_style *const style,
                    const char *const text) {
    if (p->file != NULL) {
        svg_text(p->file, x, y, style, text);
    }
}

/// Writes a name into a box: across if it fits, else upright, else in smaller letters. False if it does not fit at all.
static bool fit_label(const struct picture *const p, const struct svg_box box, const char *const text) {
    struct svg_style style = {11, SVG_MIDDLE, "#111111", true, false, false};
    const size_t n = strlen(text);
    if (svg_mono_width(style.size, n) + 4 > box.width) {
        style.size = box.width >= 13 ? 11 : 9;
        style.is_upright = true;
        if (box.width < style.size + 1.5 || svg_mono_width(style.size, n) + 4 > box.height) {
            return false;
        }
    }
    const double x = box.x + box.width / 2 + (style.is_upright ? style.size * 0.36 : 0);
    const double y = box.y + box.height / 2 + (style.is_upright ? 0 : style.size * 0.36);
    text_at(p, x, y, &style, text);
    return true;
}

/// Last part of a tensor's name.
static const char *short_name(const struct af_tensor *const t) {
    const char *const dot = strrchr(t->name, '.');
    return dot != NULL ? dot + 1 : t->name;
}

/// Adds a name to those that found no room, once.
static void remember_thin(struct picture *const p, const struct af_tensor *const t) {
    char word[AF_MAP_NAME_BYTES + 2];
    const size_t n = strlen(p->thin);
    (void)snprintf(word, sizeof(word), " %s,", short_name(t));
    const char *const more = " ...,"; // in place of those for which the line is too short
    if (strstr(p->thin, word) != NULL || strstr(p->thin, more) != NULL) {
        return;
    }
    const bool fits = n + strlen(word) + strlen(more) < sizeof(p->thin);
    (void)snprintf(p->thin + n, sizeof(p->thin) - n, "%s", fits ? word : more);
}

/// Below a plot: the names that found no room in it.
static void draw_thin(struct picture *const p, const double y) {
    const size_t n = strlen(p->thin);
    if (n > 0) {
        char text[sizeof(p->thin) + 32];
        (void)snprintf(text, sizeof(text), "too thin to be named:%.*s", (int)n - 1, p->thin); // without the last comma
        text_at(p, LEFT, y, &note_style, text);
    }
    p->thin[0] = '\0';
}

/// Draws a tensor as a box. False if there is no room in it for the name.
static bool draw_tensor(const struct picture *const p, const struct svg_box box, const struct af_tensor *const t) {
    char shape[MAP_TEXT_BYTES];
    char phases[MAP_TEXT_BYTES];
    char tip[4 * MAP_TEXT_BYTES];
    if (p->file == NULL) {
        return true;
    }
    (void)snprintf(tip, sizeof(tip), "%s %s, %zu bytes at +%zu: %s (%s)", t->name, map_shape(shape, t), t->n_bytes,
                   t->offset, t->text, map_phases(phases, p->map, t->live));
    svg_rect(p->file, box, colour_of(p->map, t->live), "#555555", tip);
    return fit_label(p, box, short_name(t));
}

/// A ruler below a plot: a tick every 1, 2 or 5 times a power of ten bytes.
static void draw_ruler(const struct picture *const p, const struct scale *const scale, const double y) {
    size_t step = 1;
    for (size_t i = 0; scale->n_bytes / step > 12; i++) {
        step = i % 3 == 1 ? step / 2 * 5 : step * 2; // 1, 2, 5, 10, ...
    }
    for (size_t n = 0; n <= scale->n_bytes && p->file != NULL; n += step) {
        const double x = x_of(scale, scale->offset + n);
        char text[GROUPED_BYTES];
        svg_line(p->file, x, y, x, y + 5, "#555555", 1);
        svg_text(p->file, x, y + 17, &tick_style, grouped(text, n));
    }
}

// ------------------------------------------------------------------------------------------------ head and legend

static void draw_head(struct picture *const p) {
    size_t n_bytes = 0;
    for (size_t i = 0; i < af_map_count(p->map); i++) {
        const struct af_tensor t = af_map_tensor(p->map, i);
        n_bytes = t.offset + t.n_bytes > n_bytes ? t.offset + t.n_bytes : n_bytes;
    }
    char text[MAP_TEXT_BYTES];
    char number[GROUPED_BYTES];
    (void)snprintf(text, sizeof(text), "The arena: %s bytes, %zu tensors", grouped(number, n_bytes),
                   af_map_count(p->map));
    text_at(p, MARGIN, 42, &title_style, text);
    p->y = 66;
}

/// What each colour means: the phases in which a tensor lives.
static void draw_legend(struct picture *const p) {
    size_t n_shown = 0;
    for (size_t i = 0; i < af_map_count(p->map); i++) {
        const struct af_tensor t = af_map_tensor(p->map, i);
        if (t.type == AF_TYPE_GAP || lifetime_number(p->map, t.live) != n_shown) {
            continue;
        }
        char phases[MAP_TEXT_BYTES];
        char text[MAP_TEXT_BYTES + 16];
        const double x = n_shown % 2 == 0 ? MARGIN : WIDTH / 2;
        const double y = p->y + (double)(n_shown / 2) * LEGEND_ROW;
        (void)snprintf(text, sizeof(text), "lives in %s", map_phases(phases, p->map, t.live));
        if (p->file != NULL) {
            const struct svg_box box = {x, y, 26, 13};
            svg_rect(p->file, box, colour_of(p->map, t.live), "#555555", NULL);
        }
        text_at(p, x + 34, y + 11, &note_style, text);
        n_shown++;
    }
    p->y += (double)((n_shown + 1) / 2) * LEGEND_ROW + 30;
}

// --------------------------------------------------------------------------------------------------- all regions

/// One region of the strip, and its line in the list below: swatch and strip show the same colour.
static void draw_region(const struct picture *const p, const struct scale *const scale, const size_t region,
                        const double strip_y, const double list_y) {
    const struct map_region r = map_region_of(p->map, region);
    const double x = x_of(scale, r.offset);
    const struct svg_box box = {x, strip_y, x_of(scale, r.offset + r.n_bytes) - x, 44};
    char number[GROUPED_BYTES];
    char phases[MAP_TEXT_BYTES];
    char text[3 * MAP_TEXT_BYTES];
    const char *const lives = map_phases(phases, p->map, r.live);
    (void)snprintf(text, sizeof(text), "%s bytes at +%zu, %.1f %% of the arena; %zu tensors, %s %s",
                   grouped(number, r.n_bytes), r.offset, 100 * (double)r.n_bytes / (double)scale->n_bytes, r.n_tensors,
                   r.is_mixed ? "which take turns in" : "live in", lives);
    if (p->file != NULL) {
        svg_rect(p->file, box, r.is_mixed ? "#ffffff" : colour_of(p->map, r.live), "#333333", text);
    }
    (void)fit_label(p, box, r.name);
    text_at(p, LEFT - 10, list_y, &row_style, r.name);
    text_at(p, LEFT, list_y, &note_style, text);
}

static void draw_regions(struct picture *const p) {
    const size_t n = map_n_regions(p->map);
    const struct map_region first = map_region_of(p->map, 0);
    const struct map_region last = map_region_of(p->map, n - 1);
    const struct scale scale = {first.offset, last.offset + last.n_bytes + last.n_gap - first.offset};
    text_at(p, MARGIN, p->y, &head_style, "All regions, to scale");
    const double strip_y = p->y + 14;
    double list_y = strip_y + 44 + 48;
    draw_ruler(p, &scale, strip_y + 44);
    for (size_t region = 0; region < n; region++) {
        draw_region(p, &scale, region, strip_y, list_y);
        list_y += LEGEND_ROW;
    }
    p->y = list_y + 26;
}

// --------------------------------------------------------------------------------------------------- one region

/// Tensor number k of a region, gaps not counted; one without bytes if there is none.
static struct af_tensor tensor_in(const struct af_map *const map, const size_t region, size_t k) {
    const size_t count = af_map_count(map);
    for (size_t i = 0; i < count; i++) {
        const struct af_tensor t = af_map_tensor(map, i);
        if (t.region == region && t.type != AF_TYPE_GAP) {
            if (k == 0) {
                return t;
            }
            k--;
        }
    }
    return af_map_tensor(map, count);
}

/// Whether two regions have tensors of the same sizes at the same places.
static bool is_alike(const struct af_map *const map, const size_t a, const size_t b) {
    const struct map_region r[2] = {map_region_of(map, a), map_region_of(map, b)};
    if (r[0].n_tensors != r[1].n_tensors || r[0].n_bytes != r[1].n_bytes) {
        return false;
    }
    for (size_t k = 0; k < r[0].n_tensors; k++) {
        const struct af_tensor t[2] = {tensor_in(map, a, k), tensor_in(map, b, k)};
        if (t[0].offset - r[0].offset != t[1].offset - r[1].offset || t[0].n_bytes != t[1].n_bytes) {
            return false;
        }
    }
    return true;
}

/// Whether a region before it looks the same.
static bool is_repeated(const struct af_map *const map, const size_t region) {
    for (size_t other = 0; other < region; other++) {
        if (is_alike(map, other, region)) {
            return true;
        }
    }
    return false;
}

/// Whether `t` begins a block: the tensor before it in the region is none of the same block and lifetime.
static bool begins_block(const struct af_map *const map, const size_t region, const size_t k,
                         const struct af_tensor *const t) {
    const struct af_tensor before = tensor_in(map, region, k > 0 ? k - 1 : 0);
    const bool is_same = k > 0 && before.in_block != 0 && before.block == t->block && before.live == t->live;
    return t->in_block != 0 && !is_same;
}

/// Where the block ends that begins with tensor k.
static size_t end_of_block(const struct af_map *const map, const size_t region, size_t k) {
    const struct af_tensor first = tensor_in(map, region, k);
    struct af_tensor t = first;
    size_t end = first.offset;
    while (t.n_bytes > 0 && t.in_block != 0 && t.block == first.block && t.live == first.live) {
        end = t.offset + t.n_bytes;
        k++;
        t = tensor_in(map, region, k);
    }
    return end;
}

/// Brackets over the tensors of each block that lives in one of the phases `live`. Returns whether there is any.
static bool draw_blocks(const struct picture *const p, const struct scale *const scale, const size_t region,
                        const unsigned live, const double y) {
    bool is_any = false;
    for (size_t k = 0;; k++) {
        const struct af_tensor t = tensor_in(p->map, region, k);
        if (t.n_bytes == 0) {
            return is_any;
        }
        if ((t.live & live) == 0 || !begins_block(p->map, region, k, &t)) {
            continue;
        }
        is_any = true;
        const double x[2] = {x_of(scale, t.offset) + 1, x_of(scale, end_of_block(p->map, region, k)) - 1};
        char text[32];
        (void)snprintf(text, sizeof(text), "block[%u]", (unsigned)t.block);
        if (p->file != NULL && svg_mono_width(block_style.size, strlen(text)) < x[1] - x[0]) {
            svg_line(p->file, x[0], y, x[1], y, "#333333", 1);
            svg_line(p->file, x[0], y, x[0], y + 4, "#333333", 1);
            svg_line(p->file, x[1], y, x[1], y + 4, "#333333", 1);
            svg_text(p->file, (x[0] + x[1]) / 2, y - 4, &block_style, text);
        }
    }
}

/// The tensors of a region that live in one of the phases `live`, as one bar.
static void draw_bar(struct picture *const p, const struct scale *const scale, const size_t region, const unsigned live,
                     const char *const title) {
    text_at(p, MARGIN, p->y, &head_style, title);
    const bool has_blocks = draw_blocks(p, scale, region, live, p->y + 30);
    const double y = p->y + (has_blocks ? 36 : 14);
    for (size_t k = 0;; k++) {
        const struct af_tensor t = tensor_in(p->map, region, k);
        if (t.n_bytes == 0) {
            break;
        }
        if ((t.live & live) != 0) {
            const double x = x_of(scale, t.offset);
            const struct svg_box box = {x, y, x_of(scale, t.offset + t.n_bytes) - x, BAR};
            if (!draw_tensor(p, box, &t)) {
                remember_thin(p, &t);
            }
        }
    }
    draw_ruler(p, scale, y + BAR);
    draw_thin(p, y + BAR + 36);
    p->y = y + BAR + 80;
}

static void draw_plain_region(struct picture *const p, const size_t region) {
    const struct map_region r = map_region_of(p->map, region);
    const struct scale scale = {r.offset, r.n_bytes};
    char number[GROUPED_BYTES];
    char title[4 * MAP_TEXT_BYTES];
    (void)snprintf(title, sizeof(title), "%s", r.name);
    for (size_t other = region + 1; other < map_n_regions(p->map); other++) {
        if (is_alike(p->map, region, other)) {
            const size_t n = strlen(title);
            (void)snprintf(title + n, sizeof(title) - n, ", %s", map_region_of(p->map, other).name);
        }
    }
    const size_t n = strlen(title);
    (void)snprintf(title + n, sizeof(title) - n, "%s: %s bytes%s", n > strlen(r.name) ? ", all alike" : "",
                   grouped(number, r.n_bytes), n > strlen(r.name) ? " each" : "");
    draw_bar(p, &scale, region, map_every_phase(p->map), title);
}

// -------------------------------------------------------------------------------------------------- taking turns

/// Bytes of the region that are live in phase `phase`, and where the last of them ends.
static size_t live_bytes(const struct af_map *const map, const size_t region, const unsigned phase, size_t *const end) {
    size_t n_bytes = 0;
    *end = 0;
    for (size_t k = 0;; k++) {
        const struct af_tensor t = tensor_in(map, region, k);
        if (t.n_bytes == 0) {
            return n_bytes;
        }
        if ((t.live >> phase & 1U) != 0) {
            n_bytes += t.n_bytes;
            *end = t.offset + t.n_bytes > *end ? t.offset + t.n_bytes : *end;
        }
    }
}

/// Whether a phase uses so little of the region that it is drawn once more, enlarged.
static bool is_enlarged(const struct af_map *const map, const size_t region, const unsigned phase) {
    const struct map_region r = map_region_of(map, region);
    size_t end = 0;
    return live_bytes(map, region, phase, &end) > 0 && end - r.offset < r.n_bytes / 8;
}

/// A tensor is a box over its bytes and over the phases in which it lives; phases that do not follow each other make
/// several boxes.
static void draw_lifetime(struct picture *const p, const struct scale *const scale, const struct af_tensor *const t,
                          const double y) {
    const double x = x_of(scale, t->offset);
    const double width = x_of(scale, t->offset + t->n_bytes) - x;
    for (unsigned phase = 0; phase < p->map->table->n_phases; phase++) {
        unsigned end = phase;
        while (end < p->map->table->n_phases && (t->live >> end & 1U) != 0) {
            end++;
        }
        if (end > phase) {
            const struct svg_box box = {x, y + PHASE_ROW * phase + 2, width, PHASE_ROW * (end - phase) - 4};
            if (!draw_tensor(p, box, t) && !is_enlarged(p->map, t->region, phase)) {
                remember_thin(p, t);
            }
            phase = end; // which is no phase of it
        }
    }
}

static void draw_phase_rows(const struct picture *const p, const struct scale *const scale, const size_t region,
                            const double y) {
    for (unsigned phase = 0; phase < p->map->table->n_phases && p->file != NULL; phase++) {
        const struct svg_box box = {LEFT, y + PHASE_ROW * phase, PLOT, PHASE_ROW};
        char number[GROUPED_BYTES];
        char text[MAP_TEXT_BYTES];
        size_t end = 0;
        const size_t n_bytes = live_bytes(p->map, region, phase, &end);
        svg_rect(p->file, box, phase % 2 == 0 ? "#f4f4f4" : "#ffffff", NULL, NULL);
        svg_text(p->file, LEFT - 10, box.y + 20, &row_style, p->map->table->phase[phase].name);
        (void)snprintf(text, sizeof(text), "%s bytes", grouped(number, n_bytes));
        svg_text(p->file, LEFT - 10, box.y + 36, &small_row_style, text);
        if (is_enlarged(p->map, region, phase)) {
            svg_text(p->file, x_of(scale, end) + 8, box.y + 28, &note_style, "enlarged below");
        } else if (n_bytes == 0) {
            svg_text(p->file, LEFT + 8, box.y + 28, &note_style, "nothing");
        }
    }
}

/// Phases that use only a small part of the region, each enlarged.
static void draw_small_phases(struct picture *const p, const struct map_region *const r, const size_t region) {
    for (unsigned phase = 0; phase < p->map->table->n_phases; phase++) {
        size_t end = 0;
        (void)live_bytes(p->map, region, phase, &end);
        if (is_enlarged(p->map, region, phase)) {
            const struct scale scale = {r->offset, end - r->offset};
            char number[GROUPED_BYTES];
            char title[MAP_TEXT_BYTES];
            (void)snprintf(title, sizeof(title), "%s in phase %s: its first %s bytes", r->name,
                           p->map->table->phase[phase].name, grouped(number, end - r->offset));
            draw_bar(p, &scale, region, 1U << phase, title);
        }
    }
}

static void draw_mixed_region(struct picture *const p, const size_t region) {
    const struct map_region r = map_region_of(p->map, region);
    const struct scale scale = {r.offset, r.n_bytes};
    char number[GROUPED_BYTES];
    char title[2 * MAP_TEXT_BYTES];
    (void)snprintf(title, sizeof(title),
                   "%s: %s bytes; address across, phase down: what stands above one another shares its bytes", r.name,
                   grouped(number, r.n_bytes));
    text_at(p, MARGIN, p->y, &head_style, title);
    const double y = p->y + 38;
    (void)draw_blocks(p, &scale, region, map_every_phase(p->map), y - 8);
    draw_phase_rows(p, &scale, region, y);
    for (size_t k = 0;; k++) {
        const struct af_tensor t = tensor_in(p->map, region, k);
        if (t.n_bytes == 0) {
            break;
        }
        draw_lifetime(p, &scale, &t, y);
    }
    draw_ruler(p, &scale, y + PHASE_ROW * (double)p->map->table->n_phases);
    draw_thin(p, y + PHASE_ROW * (double)p->map->table->n_phases + 36);
    p->y = y + PHASE_ROW * (double)p->map->table->n_phases + 80;
    draw_small_phases(p, &r, region);
}

// ----------------------------------------------------------------------------------------------------- the picture

static double draw(FILE *const file, const struct af_map *const map) {
    struct picture p = {file, map, 0, ""};
    draw_head(&p);
    draw_legend(&p);
    draw_regions(&p);
    for (size_t region = 0; region < map_n_regions(map); region++) {
        if (map_region_of(map, region).is_mixed) {
            draw_mixed_region(&p, region);
        } else if (!is_repeated(map, region)) {
            draw_plain_region(&p, region);
        }
    }
    return p.y;
}

void map_print_svg(FILE *const file, const struct af_map *const map) {
    if (map_n_regions(map) == 0) {
        return;
    }
    svg_begin(file, WIDTH, draw(NULL, map), "Map of the arena");
    (void)draw(file, map);
    svg_end(file);
}

#endif
