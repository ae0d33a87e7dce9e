// SPDX-License-Identifier: MIT
// The commit that livecap was built from. `CVersion.h` reads it; nothing imports this.
#ifndef LIVECAP_CCOMMIT_H
#define LIVECAP_CCOMMIT_H

/// The commit, or nothing if it is not known.
extern const char lc_commit_text[];

#endif
