// SPDX-License-Identifier: MIT
// The version of livecap, from the file VERSION, and the commit it was built from.
#ifndef LIVECAP_CVERSION_H
#define LIVECAP_CVERSION_H

/// The contents of the file VERSION.
const char *_Nonnull lc_version(void);

/// Defined by `Sources/System/CCommit`, which only the program's product links. Weak, because tests link the program's
/// code without it.
extern const char lc_commit_text[] __attribute__((weak));

/// The commit, in full, with "-dirty" after it if the sources differed from it. NULL if it is not known: in debug
/// builds, and outside a clone of the repository.
static inline const char *_Nullable lc_commit(void) {
    return lc_commit_text && lc_commit_text[0] ? lc_commit_text : (const char *)0;
}

#endif
