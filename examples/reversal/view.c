// SPDX-License-Identifier: MIT
// Parts of tensors: C-like indices, and what of a tensor belongs to queries, keys, values or one head.
#include "look.h"

#include <string.h>

// ------------------------------------------------------------------------------------------------- what is in what

/// How the tensors of a name are divided, and what their axes number.
struct traits {
    const char *name;  // last part of the tensor's name
    size_t axis;       // the axis that has parts, heads in them
    const char *parts; // letters of its parts, AF_DIM wide each; "" if there is one without a letter; NULL: no parts
    enum axis_kind kind[3];
};

#define PLAIN AXIS_PLAIN

static const struct traits traits_of_name[] = {
    {"tok", 0, NULL, {AXIS_VOCAB, PLAIN, PLAIN}},
    {"head_w", 0, NULL, {AXIS_VOCAB, PLAIN, PLAIN}},
    {"head_b", 0, NULL, {AXIS_VOCAB, PLAIN, PLAIN}},
    {"qkv_w", 0, "qkv", {PLAIN, PLAIN, PLAIN}},
    {"qkv_b", 0, "qkv", {PLAIN, PLAIN, PLAIN}},
    {"out_w", 1, "", {PLAIN, PLAIN, PLAIN}}, // its inputs are the heads' outputs
};

static const struct traits traits_of_pass[] = {
    {"q", 1, "", {AXIS_ROW, PLAIN, PLAIN}},
    {"kv", 1, "kv", {AXIS_ROW, PLAIN, PLAIN}},
    {"heads", 1, "", {AXIS_ROW, PLAIN, PLAIN}},
    {"att", 0, NULL, {AXIS_ROW, PLAIN, AXIS_ROW}}, // heads are an axis here
    {"logits", 0, NULL, {AXIS_ROW, AXIS_VOCAB, PLAIN}},
    {"d_logits", 0, NULL, {AXIS_QUERY, AXIS_VOCAB, PLAIN}},
    // These two are the last block's only if there is one block: the pass ends with block 0.
    {"d_q", 1, "", {AF_BLOCKS == 1 ? AXIS_QUERY : AXIS_ROW, PLAIN, PLAIN}},
    {"d_ff", 0, NULL, {AF_BLOCKS == 1 ? AXIS_QUERY : AXIS_ROW, PLAIN, PLAIN}},
    {"d_kv", 1, "kv", {AXIS_ROW, PLAIN, PLAIN}},
    {"row_start", 0, NULL, {AXIS_SEQUENCE, PLAIN, PLAIN}},
    {"query_start", 0, NULL, {AXIS_SEQUENCE, PLAIN, PLAIN}},
};

static const struct traits traits_of_decode[] = {
    {"kv", 1, "kv", {AXIS_CACHED, PLAIN, PLAIN}},     {"x", 0, NULL, {AXIS_NEWEST, PLAIN, PLAIN}},
    {"norm", 0, NULL, {AXIS_NEWEST, PLAIN, PLAIN}},   {"q", 1, "", {AXIS_NEWEST, PLAIN, PLAIN}},
    {"heads", 1, "", {AXIS_NEWEST, PLAIN, PLAIN}},    {"att", 0, NULL, {AXIS_NEWEST, PLAIN, AXIS_CACHED}},
    {"branch", 0, NULL, {AXIS_NEWEST, PLAIN, PLAIN}}, {"ff", 0, NULL, {AXIS_NEWEST, PLAIN, PLAIN}},
    {"logits", 0, NULL, {AXIS_VOCAB, PLAIN, PLAIN}},
};

/// A tensor that is in no list: a pass has rows, everything else plain axes.
static const struct traits rows_only = {"", 0, NULL, {AXIS_ROW, PLAIN, PLAIN}};
static const struct traits nothing = {"", 0, NULL, {PLAIN, PLAIN, PLAIN}};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct traits *find_traits(const struct af_tensor *const t) {
    const struct traits *list = traits_of_name;
    size_t n = COUNT(traits_of_name);
    const struct traits *other = &nothing;
    if (t->region == AF_REGION_work) {
        const bool is_pass = (t->live & AF_LIVE_PASS) != 0;
        list = is_pass ? traits_of_pass : traits_of_decode;
        n = is_pass ? COUNT(traits_of_pass) : COUNT(traits_of_decode);
        other = is_pass ? &rows_only : &nothing;
    }
    const char *const dot = strrchr(t->name, '.');
    for (size_t i = 0; i < n && dot != NULL; i++) {
        if (strcmp(list[i].name, dot + 1) == 0) {
            return &list[i];
        }
    }
    return other;
}

// ----------------------------------------------------------------------------------------------------- the whole

static void view_whole(struct view *const view, const struct af_tensor *const t, const struct traits *const traits) {
    size_t stride = t->n_elements;
    view->tensor = *t;
    view->is_part = false;
    for (size_t a = 0; a < t->rank; a++) {
        stride /= t->dim[a];
        view->axis[a].from = 0;
        view->axis[a].n = t->dim[a];
        view->axis[a].stride = stride;
        view->axis[a].kind = a < COUNT(traits->kind) ? traits->kind[a] : PLAIN;
        view->axis[a].is_fixed = false;
    }
}

size_t view_axes(const struct view *const view, size_t axis[4]) {
    size_t n = 0;
    for (size_t a = 0; a < view->tensor.rank; a++) {
        if (!view->axis[a].is_fixed) {
            axis[n] = a;
            n++;
        }
    }
    return n;
}

size_t view_count(const struct view *const view) {
    size_t n = 1;
    for (size_t a = 0; a < view->tensor.rank; a++) {
        n *= view->axis[a].n;
    }
    return n;
}

size_t view_element(const struct view *const view, size_t i) {
    size_t element = 0;
    for (size_t a = view->tensor.rank; a > 0; a--) {
        const struct axis *const axis = &view->axis[a - 1];
        element += (axis->from + i % axis->n) * axis->stride;
        i /= axis->n;
    }
    return element;
}

// --------------------------------------------------------------------------------------------------- selections

/// Reads "[NUMBER]" at `text`; returns what follows, or NULL if it is something else.
static const char *read_index(size_t *const out, const char *text) {
    if (*text != '[' || text[1] < '0' || text[1] > '9') {
        return NULL;
    }
    size_t number = 0;
    for (text++; *text >= '0' && *text <= '9'; text++) {
        number = number < 100000000U ? number * 10 + (size_t)(*text - '0') : number; // larger than any axis
    }
    *out = number;
    return *text == ']' ? text + 1 : NULL;
}

/// What is left of a name to be read: where in it, and the whole of it for messages.
struct reader {
    const char *whole;
    const char *at;
    const struct traits *traits;
    bool has_part; // .q, .k or .v was read, or none is needed
    bool has_head;
};

static bool fix_index(struct view *const view, struct reader *const reader) {
    size_t index = 0;
    size_t axis[4];
    const char *const rest = read_index(&index, reader->at);
    if (rest == NULL) {
        (void)complain("'%s': an index is a whole number in brackets", reader->whole);
        return false;
    }
    if (view_axes(view, axis) == 0) {
        (void)complain("'%s': more indices than %s has axes", reader->whole, view->tensor.name);
        return false;
    }
    struct axis *const a = &view->axis[axis[0]];
    if (index >= a->n) {
        (void)complain("'%s': index %.*s is not below %zu", reader->whole, (int)(rest - reader->at) - 2, reader->at + 1,
                       a->n);
        return false;
    }
    a->from += index;
    a->n = 1;
    a->is_fixed = true;
    reader->at = rest;
    return true;
}

/// The axis that has parts, or NULL if there is none or an index has been chosen from it.
static struct axis *divided_axis(struct view *const view, const struct traits *const traits) {
    struct axis *const axis = &view->axis[traits->axis];
    return traits->parts == NULL || axis->is_fixed ? NULL : axis;
}

/// .q, .k or .v
static bool take_part(struct view *const view, struct reader *const reader) {
    struct axis *const axis = divided_axis(view, reader->traits);
    const char *const part = axis == NULL || reader->has_part ? NULL : strchr(reader->traits->parts, reader->at[1]);
    if (part == NULL || *part == '\0') {
        (void)complain("'%s': %s has no part '%s'", reader->whole, view->tensor.name, reader->at);
        return false;
    }
    axis->from += (size_t)(part - reader->traits->parts) * AF_DIM;
    axis->n = AF_DIM;
    reader->has_part = true;
    reader->at += 2;
    return true;
}

/// The axis whose indices are heads, of attention weights; NULL for another tensor.
static struct axis *head_axis(struct view *const view) {
    const char *const dot = strrchr(view->tensor.name, '.');
    if (dot == NULL || strcmp(dot, ".att") != 0) {
        return NULL;
    }
    struct axis *const axis = &view->axis[view->tensor.rank - 2];
    return axis->is_fixed ? NULL : axis;
}

/// Whether .head[...] may stand here, where `axis` is the axis that it divides. If not, prints a line.
static bool may_take_head(const struct view *const view, const struct reader *const reader,
                          const struct axis *const axis) {
    if (axis == NULL || reader->has_head) {
        (void)complain("'%s': %s has no heads here", reader->whole, view->tensor.name);
        return false;
    }
    if (!reader->has_part) {
        (void)complain("'%s': say first of which part, %s", reader->whole,
                       reader->traits->parts[0] == 'q' ? ".q, .k or .v" : ".k or .v");
        return false;
    }
    return true;
}

/// .head[H]
static bool take_head(struct view *const view, struct reader *const reader) {
    size_t head = 0;
    const char *const rest = read_index(&head, reader->at + strlen(".head"));
    struct axis *const heads = head_axis(view);
    struct axis *const axis = heads != NULL ? heads : divided_axis(view, reader->traits);
    if (rest == NULL || head >= AF_HEADS) {
        (void)complain("'%s': a head is .head[0] to .head[%d]", reader->whole, AF_HEADS - 1);
        return false;
    }
    if (!may_take_head(view, reader, axis)) {
        return false;
    }
    const size_t width = heads != NULL ? 1 : AF_HEAD_DIM; // indices of the axis that belong to a head
    axis->from += head * width;
    axis->n = width;
    axis->is_fixed = heads != NULL;
    reader->has_head = true;
    reader->at = rest;
    return true;
}

static bool is_part_name(const char *const text) {
    return text[0] == '.' && strchr("qkv", text[1]) != NULL && text[1] != '\0' && strchr(".[", text[2]) != NULL;
}

static bool select_part(struct view *const view, struct reader *const reader) {
    if (reader->at[0] == '[') {
        return fix_index(view, reader);
    }
    if (strncmp(reader->at, ".head[", strlen(".head[")) == 0) {
        return take_head(view, reader);
    }
    if (is_part_name(reader->at)) {
        return take_part(view, reader);
    }
    (void)complain("'%s': %s has no part '%s'", reader->whole, view->tensor.name, reader->at);
    return false;
}

// -------------------------------------------------------------------------------------------------------- parsing

enum { NAME_BYTES = 160 };

/// The tensor whose name is the longest beginning of `text`; *end is where the rest begins.
static struct af_tensor find_beginning(const char *const text, size_t *const end) {
    char name[NAME_BYTES];
    struct af_tensor found = find_tensor("");
    for (size_t n = strlen(text); n > 0 && found.n_bytes == 0; n--) {
        if (text[n] == '\0' || text[n] == '[' || text[n] == '.') {
            (void)snprintf(name, sizeof(name), "%.*s", (int)n, text);
            found = find_tensor(name);
            *end = n;
        }
    }
    return found;
}

/// Complains about a name that is no tensor's, whatever part of it is asked for.
static void complain_of_name(const char *const text) {
    char name[NAME_BYTES];
    (void)snprintf(name, sizeof(name), "%s", text);
    for (size_t n = strlen(name); n > 0; n = strlen(name)) {
        char *const dot = strrchr(name, '.');
        char *const bracket = strrchr(name, '[');
        if (bracket != NULL && name[n - 1] == ']' && (dot == NULL || bracket > dot)) {
            *bracket = '\0';
        } else if (dot != NULL && (is_part_name(dot) || strcmp(dot, ".head") == 0)) {
            *dot = '\0';
        } else {
            break;
        }
    }
    (void)find_or_suggest(name);
}

int view_parse(struct view *const out, const char *const text) {
    size_t end = 0;
    if (strlen(text) >= NAME_BYTES) {
        (void)complain("no tensor has a name of %zu characters", strlen(text));
        return STATUS_FAILED;
    }
    const struct af_tensor tensor = find_beginning(text, &end);
    if (tensor.n_bytes == 0) {
        complain_of_name(text);
        return STATUS_FAILED;
    }
    struct reader reader = {text, &text[end], find_traits(&tensor), false, false};
    reader.has_part = reader.traits->parts == NULL || reader.traits->parts[0] == '\0';
    view_whole(out, &tensor, reader.traits);
    while (*reader.at != '\0') {
        if (!select_part(out, &reader)) {
            return STATUS_USAGE;
        }
        out->is_part = true;
    }
    return STATUS_DONE;
}
