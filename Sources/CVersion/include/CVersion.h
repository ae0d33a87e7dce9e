// SPDX-License-Identifier: MIT
// The version of livecap, from the file VERSION, and the commit it was built from.
#ifndef LIVECAP_CVERSION_H
#define LIVECAP_CVERSION_H

/// The contents of the file VERSION.
const char *_Nonnull lc_version(void);

/// The commit, in full, with "-dirty" after it if the sources differed from it. NULL if it is not known: in debug
/// builds, and outside a clone of the repository.
const char *_Nullable lc_commit(void);

#endif
