// SPDX-License-Identifier: MIT
// The files of the page that browsers show, embedded into the program.
#pragma once

#include <stddef.h>

struct lc_page_file {
    /// Its path on the server, without a slash at its begin.
    const char *name;
    /// Its media type.
    const char *type;
    const unsigned char *bytes;
    size_t count;
};

/// The number of files.
size_t lc_page_count(void);
/// The file at an index; NULL beyond the last.
const struct lc_page_file *lc_page_file(size_t index);
