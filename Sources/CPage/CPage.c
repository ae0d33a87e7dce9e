// SPDX-License-Identifier: MIT
// The files of Sources/Serving/Page. Each must be named here.
#include "CPage.h"

#include <string.h>

// Each on one line: its identifier, its name, its type.
#define FILE(identifier, name, type) {name, type, identifier, sizeof identifier}

#define HTML "text/html; charset=utf-8"
#define CSS "text/css; charset=utf-8"
#define JAVASCRIPT "text/javascript; charset=utf-8"

static const unsigned char index_html[] = {
#embed "../Serving/Page/index.html"
};
static const unsigned char denied_html[] = {
#embed "../Serving/Page/denied.html"
};

static const struct lc_page_file files[] = {
    FILE(index_html, "index.html", HTML),
    FILE(denied_html, "denied.html", HTML),
};

const struct lc_page_file *lc_page_file(const char *name) {
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!strcmp(files[i].name, name)) return &files[i];
    return NULL;
}
