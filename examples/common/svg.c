// SPDX-License-Identifier: MIT
#include "svg.h"
#include "escaped.h"

// Families with the same proportions on the usual systems, so that text takes the room it was given.
#define SANS "DejaVu Sans, Verdana, sans-serif"
#define MONO "DejaVu Sans Mono, Menlo, Consolas, monospace"

double svg_mono_width(const double size, const size_t n) {
    return 0.603 * size * (double)n;
}

void svg_begin(FILE *const file, const double width, const double height, const char *const title) {
    (void)fprintf(file,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<!-- SPDX-License-Identifier: MIT -->\n"
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
                  "role=\"img\">\n"
                  "<title>",
                  width, height, width, height);
    write_escaped(file, title);
    (void)fputs("</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n", file);
}

void svg_end(FILE *const file) {
    (void)fputs("</svg>\n", file);
}

void svg_rect(FILE *const file, const struct svg_box box, const char *const fill, const char *const stroke,
              const char *const tip) {
    (void)fprintf(file, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"", box.x, box.y,
                  box.width, box.height, fill);
    if (stroke != NULL) {
        (void)fprintf(file, " stroke=\"%s\" stroke-width=\"0.6\"", stroke);
    }
    if (tip == NULL) {
        (void)fputs("/>\n", file);
        return;
    }
    (void)fputs("><title>", file);
    write_escaped(file, tip);
    (void)fputs("</title></rect>\n", file);
}

void svg_line(FILE *const file, const double x1, const double y1, const double x2, const double y2,
              const char *const stroke, const double width) {
    (void)fprintf(file, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"%s\" stroke-width=\"%.2f\"/>\n",
                  x1, y1, x2, y2, stroke, width);
}

void svg_polyline(FILE *const file, const double *const points, const size_t n, const char *const stroke,
                  const double width, const double opacity) {
    (void)fputs("<polyline points=\"", file);
    for (size_t i = 0; i < n; i++) {
        (void)fprintf(file, "%s%.1f,%.1f", i > 0 ? " " : "", points[2 * i], points[2 * i + 1]);
    }
    (void)fprintf(file,
                  "\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.2f\" stroke-opacity=\"%.2f\" "
                  "stroke-linejoin=\"round\"/>\n",
                  stroke, width, opacity);
}

void svg_text(FILE *const file, const double x, const double y, const struct svg_style *const style,
              const char *const text) {
    static const char *const anchor[] = {"start", "middle", "end"};
    (void)fprintf(file,
                  "<text x=\"%.2f\" y=\"%.2f\" font-family=\"%s\" font-size=\"%.1f\" fill=\"%s\" text-anchor=\"%s\"", x,
                  y, style->is_mono ? MONO : SANS, style->size, style->fill, anchor[style->anchor]);
    if (style->is_bold) {
        (void)fputs(" font-weight=\"bold\"", file);
    }
    if (style->is_upright) {
        (void)fprintf(file, " transform=\"rotate(-90 %.2f %.2f)\"", x, y);
    }
    (void)fputc('>', file);
    write_escaped(file, text);
    (void)fputs("</text>\n", file);
}
