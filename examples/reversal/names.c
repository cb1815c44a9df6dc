// SPDX-License-Identifier: MIT
#include "look.h"
#include "nearest.h"

#include <string.h>

/// What may be left out before a name: the plane of weights first, then what a pass of training computes.
static const char *const prefixes[] = {
    "", "weight.", "work.train.", "work.train.part.ff.", "work.train.part.attention.", "work.", "state."};

enum { N_PREFIXES = sizeof(prefixes) / sizeof(prefixes[0]) };

struct af_tensor find_tensor(const char *const name) {
    struct af_tensor found = af_map_find(&af_map, "");
    for (size_t i = 0; i < N_PREFIXES && found.n_bytes == 0; i++) {
        char whole[2 * AF_MAP_NAME_BYTES];
        const int n = snprintf(whole, sizeof(whole), "%s%s", prefixes[i], name);
        if (n > 0 && (size_t)n < sizeof(whole)) {
            found = af_map_find(&af_map, whole);
        }
    }
    return found;
}

/// The nearest name so far, and how far it is.
struct suggestion {
    char name[2 * AF_MAP_NAME_BYTES];
    size_t distance;
};

/// Compares `text` with one name of a tensor, from every dot in it on: who writes "qkv_v" means the last part.
static void consider(struct suggestion *const best, const char *const text, const char *const name) {
    for (const char *part = name; part != NULL && *part != '\0';) {
        const size_t distance = nearest_distance(text, part);
        if (distance < best->distance) {
            best->distance = distance;
            (void)snprintf(best->name, sizeof(best->name), "%s", name);
        }
        part = strchr(part, '.');
        part = part != NULL ? part + 1 : NULL;
    }
}

static void consider_tensor(struct suggestion *const best, const char *const text, const struct af_tensor *const t) {
    consider(best, text, t->name);
    if (t->torch[0] == '\0') {
        return;
    }
    char torch[2 * AF_MAP_NAME_BYTES];
    const bool is_weight = t->region == AF_REGION_weight;
    (void)snprintf(torch, sizeof(torch), "%.*s%s%s", is_weight ? 0 : (int)strcspn(t->name, "."), t->name,
                   is_weight ? "" : ".", t->torch);
    consider(best, text, torch);
}

struct af_tensor find_or_suggest(const char *const name) {
    const struct af_tensor found = find_tensor(name);
    if (found.n_bytes != 0) {
        return found;
    }
    // As in the commands' names: near is what differs in at most a third of its letters. A name further off is still told.
    const size_t third = strlen(name) / 3;
    const size_t near = third > 1 ? third : 1;
    struct suggestion best = {"", SIZE_MAX};
    const size_t n_tensors = name[0] != '\0' ? af_map_count(&af_map) : 0; // every name is near to none
    for (size_t i = 0; i < n_tensors; i++) {
        const struct af_tensor t = af_map_tensor(&af_map, i);
        consider_tensor(&best, name, &t);
    }
    if (best.name[0] != '\0' && best.distance > near) {
        (void)complain("no tensor '%s'; the nearest name is '%s'; `reversal map` lists all names", name, best.name);
    } else if (best.name[0] != '\0') {
        (void)complain("no tensor '%s'; did you mean '%s'?", name, best.name);
    } else {
        (void)complain("no tensor '%s'; `reversal map` lists all names", name);
    }
    return found;
}
