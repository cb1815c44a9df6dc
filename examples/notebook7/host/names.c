// SPDX-License-Identifier: MIT
#include "host.h"
#include "nearest.h"

#include <string.h>

/// Whether `name` is the path of a tensor or whole parts at its end.
static bool is_end_of(const char *const name, const char *const path) {
    const size_t n = strlen(name);
    const size_t n_path = strlen(path);
    if (n == 0 || n > n_path || strcmp(&path[n_path - n], name) != 0) {
        return false;
    }
    return n == n_path || path[n_path - n - 1] == '.';
}

static const char *last_part(const char *const path) {
    const char *const dot = strrchr(path, '.');
    return dot != NULL ? dot + 1 : path;
}

enum { MAX_TENSORS = 128, LIST_BYTES = 400 };

/// Says that `name` is none, and which is near to it.
static void suggest(const char *const name) {
    static struct af_tensor tensor[MAX_TENSORS]; // holds the names
    const char *last[MAX_TENSORS];
    size_t n = 0;
    for (size_t i = 0; i < af_map_count(&n7_map) && n < MAX_TENSORS; i++) {
        tensor[n] = af_map_tensor(&n7_map, i);
        last[n] = last_part(tensor[n].name);
        n++;
    }
    const char *const nearest = nearest_name(last_part(name), last, n);
    if (nearest != NULL) {
        (void)complain("no tensor '%s'; did you mean '%s'?", name, nearest);
        return;
    }
    const char *const other = nearest_of_all(last_part(name), last, name[0] != '\0' ? n : 0);
    if (other != NULL) {
        (void)complain("no tensor '%s'; the nearest name is '%s'; `notebook7 map` lists all names", name, other);
    } else {
        (void)complain("no tensor '%s'; `notebook7 map` lists all names", name);
    }
}

struct af_tensor find_tensor(const char *const name) {
    struct af_tensor found = af_map_find(&n7_map, name);
    if (found.n_bytes > 0) {
        return found;
    }
    char list[LIST_BYTES] = "";
    size_t n_found = 0;
    for (size_t i = 0; i < af_map_count(&n7_map); i++) {
        const struct af_tensor t = af_map_tensor(&n7_map, i);
        if (is_end_of(name, t.name)) {
            const size_t n = strlen(list);
            (void)snprintf(list + n, sizeof(list) - n, "%s%s", n_found > 0 ? ", " : "", t.name);
            found = t;
            n_found++;
        }
    }
    if (n_found == 0) {
        suggest(name);
    } else if (n_found > 1) {
        (void)complain("'%s' is one of %zu tensors: %s", name, n_found, list);
        found.n_bytes = 0;
    }
    return found;
}
