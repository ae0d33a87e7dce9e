// SPDX-License-Identifier: MIT
// Keeps a library's words off standard error.
#ifndef LIVECAP_CNETS_HUSH_H
#define LIVECAP_CNETS_HUSH_H

/// Where standard error is meanwhile; -1 where that could not be made.
struct lc_hush {
    int error;
    int memory;
};

/// Ends without having begun.
static const struct lc_hush lc_no_hush = {-1, -1};

/// Has standard error written to memory until `lc_hush_end`.
struct lc_hush lc_hush_begin(void);

/// Restores standard error, and writes to it what the whole process has written since, except lines that begin with
/// `words`.
void lc_hush_end(struct lc_hush hush, const char *words);

#endif
