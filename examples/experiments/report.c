// SPDX-License-Identifier: MIT
// One page with all figures, tables and answers: no scripts, no other file is needed to show it.
#include "experiments.h"
#include "escaped.h"

#include <string.h>

enum { LINE_BYTES = 8192, PATH_BYTES = 4096 };

static const char head[] =
    "<!DOCTYPE html>\n"
    "<!-- SPDX-License-Identifier: MIT -->\n"
    "<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>arenaformer: both documents, number by number</title>\n"
    "<style>\n"
    "body{font:16px/1.5 Georgia,serif;color:#111;background:#fff;max-width:60rem;margin:0 auto;padding:1rem}\n"
    "h1,h2,h3{font-family:Verdana,sans-serif;line-height:1.25}\n"
    "h1{font-size:1.5rem}h2{font-size:1.2rem;margin-top:2.2rem}h3{font-size:1rem;margin-top:1.8rem}\n"
    "nav ol{margin:.4rem 0;padding-left:1.6rem}nav a{color:#0a3c82}\n"
    "table{border-collapse:collapse;font:13px/1.35 Verdana,sans-serif;margin:.6rem 0}\n"
    "th,td{text-align:left;vertical-align:top;padding:.25rem .5rem;border-bottom:1px solid #ddd}\n"
    "th{border-bottom:2px solid #111}.n{text-align:right;white-space:nowrap}.wide,.pan{overflow-x:auto}\n"
    // What is printed and what is ours can be compared letter by letter.
    ".compare td:nth-child(3),.compare td:nth-child(4){font:13px/1.35 'DejaVu Sans Mono',Menlo,Consolas,monospace}\n"
    ".compare{width:100%;table-layout:fixed}.compare td{overflow-wrap:break-word}\n"
    ".compare th{width:22%}.compare th:nth-child(1){width:7%}.compare th:nth-child(n+3){width:24%}\n"
    "figure{margin:1.2rem 0}figure svg{width:100%;max-width:45rem;height:auto;display:block}\n"
    ".pan svg{max-width:none}figcaption{font-size:14px;color:#333}\n"
    // On a phone what is wide keeps its size, is moved sideways, and says so; a row of a comparison is a block.
    "@media screen and (max-width:40rem){.pan svg{width:auto}\n"
    ".pan,.wide{border-right:3px double #0a3c82}\n"
    ".pan::before,.wide::before{content:'\\2194  wider than the screen: move it sideways';position:sticky;left:0;\n"
    "display:inline-block;font:12px/1.6 Verdana,sans-serif;color:#0a3c82}\n"
    ".wide td:first-child{min-width:8rem}\n"
    ".compare thead{display:none}.compare,.compare tbody,.compare tr,.compare td{display:block}\n"
    ".compare tr{border-bottom:1px solid #ccc;padding:.4rem 0}\n"
    ".compare td{border:0;padding:0 0 0 3.4rem}\n"
    ".compare td:first-child{float:left;padding:0}.compare td:nth-child(2){font-weight:bold}\n"
    ".compare td:nth-child(3)::before{content:'printed: '}.compare td:nth-child(4)::before{content:'ours: '}\n"
    ".compare td:nth-child(n+3)::before{font-family:Verdana,sans-serif;color:#555}\n"
    ".compare td:nth-child(5)::before{content:'verdict: '}.compare td:empty{display:none}}\n"
    "@media print{body{max-width:none;font-size:10pt;padding:0}.wide,.pan{overflow:visible}table{font-size:7.5pt}\n"
    ".compare td:nth-child(3),.compare td:nth-child(4){font-size:7pt}nav a{color:#111}\n"
    "figure svg{max-height:21cm}figure,tr{break-inside:avoid}h1,h2,h3{break-after:avoid}}\n"
    "</style></head><body>\n";

/// `is_wide`: it is too wide for a phone.
static void begin_figure(FILE *const file, const bool is_wide) {
    (void)fputs(is_wide ? "<figure><div class=\"pan\">\n" : "<figure><div>\n", file);
}

static void end_figure(FILE *const file, const char *const caption) {
    (void)fputs("</div><figcaption>", file);
    write_escaped(file, caption);
    (void)fputs("</figcaption></figure>\n", file);
}

/// Copies a file line by line, without what is only for a file of its own.
static void copy_lines(FILE *const file, FILE *const from) {
    static char line[LINE_BYTES];
    while (fgets(line, sizeof(line), from) != NULL) {
        if (strncmp(line, "<?xml", 5) != 0 && strncmp(line, "<!--", 4) != 0) {
            (void)fputs(line, file);
        }
    }
}

static void write_figure(FILE *const file, void (*const draw)(FILE *file, const void *unused), const bool is_wide,
                         const char *const caption) {
    FILE *const picture = tmpfile();
    begin_figure(file, is_wide);
    if (picture != NULL) {
        draw(picture, NULL);
        rewind(picture);
        copy_lines(file, picture);
        (void)fclose(picture);
    }
    end_figure(file, caption);
}

/// Copies what another program wrote into the folder; says so if it is not there.
static void copy_file(FILE *const file, const char *const folder, const char *const name) {
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *const from = fopen(path, "r");
    if (from == NULL) {
        (void)fprintf(file, "<p>(%s is not there.)</p>\n", name);
        return;
    }
    copy_lines(file, from);
    (void)fclose(from);
}

static void copy_figure(FILE *const file, const char *const folder, const char *const name, const char *const caption) {
    begin_figure(file, true);
    copy_file(file, folder, name);
    end_figure(file, caption);
}

static void write_comparison(FILE *const file, void (*const rows)(struct comparison *c)) {
    struct comparison c;
    comparison_begin_html(&c, file);
    rows(&c);
    (void)comparison_end(&c);
}

// ----------------------------------------------------------------------------------------------------------- sections

static void write_main_run(FILE *const file, const char *const folder, struct page *const page) {
    write_figure(file, draw_losses, false, "Figure 1.1. Training loss on a log scale, one point per step.");
    copy_figure(file, folder, "attention.svg",
                "Figure 1.2. Attention weights after training: rows are queries, columns keys; what the mask hides is "
                "blank. Block 0 is the chapter's first.");
    write_figure(file, draw_position_norms, true,
                 "Norms of the rows of the position table. In the reference rows 16 to 24 only decay.");
    page_heading(page, 3, "Every number of the chapter's main run beside ours");
    page_text(page, "Exact and stable rows have to be equal; trajectory rows are decided by rounding after some 150 "
                    "steps, and what other runs gave stands beside them; shown rows put numbers to words.");
    copy_file(file, folder, "compare.html");
}

static void write_faults(FILE *const file, const char *const folder, struct page *const page) {
    (void)folder;
    write_figure(file, draw_fault_losses, false,
                 "Figure 1.3, left. Training loss, mean of 25 steps; the run without a mask stops at 300 steps.");
    write_figure(file, draw_fault_accuracy, false, "Figure 1.3, right. The same 500 test strings, by length.");
    write_figure(file, draw_leak, true,
                 "The leak. In the reference nothing moves before the changed token. With the softmax over queries it "
                 "does, through the denominators, though no weight is on a later key; without a mask it does openly.");
    write_summary(page);
    write_comparison(file, rows_of_faults);
}

static void write_longer(FILE *const file, const char *const folder, struct page *const page) {
    (void)folder;
    (void)page;
    write_comparison(file, rows_of_longer);
}

static void write_answers(FILE *const file, const char *const folder, struct page *const page) {
    (void)file;
    (void)folder;
    write_exercises(page);
}

static void write_rounding(FILE *const file, const char *const folder, struct page *const page) {
    (void)folder;
    if (n_spread(REFERENCE) == 0) {
        page_text(page, "(The runs are not there: make spread, then make report.)");
        return;
    }
    write_spread(page);
    write_figure(file, draw_spread, false, "Losses of all reference runs of the spread.");
}

static void write_arena(FILE *const file, const char *const folder, struct page *const page) {
    (void)page;
    copy_figure(file, folder, "arena.svg", "Every tensor of the arena, to scale, with the phases in which it lives.");
}

static void write_notebook(FILE *const file, const char *const folder, struct page *const page) {
    page_text(page, "The second document computes in double, from default_rng(0). Its figures and every number of it, "
                    "beside ours.");
    copy_figure(file, folder, "notebook7/influence.svg",
                "Step 2. The recurrent network forgets its first token; attention reaches it in a single step.");
    copy_figure(file, folder, "notebook7/attention.svg",
                "Step 5. Self-attention with random weights, without and with the causal mask.");
    copy_figure(file, folder, "notebook7/positions.svg", "Step 7. The sinusoidal encoding of 100 positions.");
    copy_file(file, folder, "notebook7/compare.html");
}

static const struct section {
    const char *id;
    const char *title;
    void (*write)(FILE *file, const char *folder, struct page *page);
} sections[] = {
    {"run", "The chapter's main run (sections 1.2 to 1.10)", write_main_run},
    {"faults", "Where this goes wrong", write_faults},
    {"longer", "Longer strings", write_longer},
    {"exercises", "Exercises", write_answers},
    {"rounding", "What rounding decides", write_rounding},
    {"notebook7", "Notebook 7: attention and the transformer, from scratch", write_notebook},
    {"arena", "The arena", write_arena},
};

enum { N_SECTIONS = sizeof(sections) / sizeof(sections[0]) };

static void write_contents(FILE *const file) {
    (void)fputs("<nav><h2>Contents</h2>\n<ol>\n", file);
    for (size_t i = 0; i < N_SECTIONS; i++) {
        (void)fprintf(file, "<li><a href=\"#%s\">", sections[i].id);
        write_escaped(file, sections[i].title);
        (void)fputs("</a></li>\n", file);
    }
    (void)fputs("</ol></nav>\n", file);
}

void write_report(FILE *const file, const char *const folder) {
    struct page page = {file, true, NULL, 0, NULL};
    (void)fputs(head, file);
    (void)fputs("<h1>Both documents, run by arenaformer</h1>\n", file);
    page_text(
        &page,
        "Every number and every picture on this page was made by the programs of examples/, from the documents' own "
        "random streams: the reference model of \"Attention and the transformer block\", four faults, each a "
        "single change, and the five exercises; and the notebook \"Attention and the Transformer, from scratch\".");
    write_contents(file);
    for (size_t i = 0; i < N_SECTIONS; i++) {
        (void)fprintf(file, "<h2 id=\"%s\">", sections[i].id);
        write_escaped(file, sections[i].title);
        (void)fputs("</h2>\n", file);
        sections[i].write(file, folder, &page);
    }
    (void)fputs("</body></html>\n", file);
}
