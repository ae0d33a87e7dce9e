// SPDX-License-Identifier: MIT
// The commit, from Package.swift. A new one compiles only this file.
#include "CCommit.h"

#ifndef LIVECAP_COMMIT
#define LIVECAP_COMMIT ""
#endif

const char lc_commit_text[] = LIVECAP_COMMIT;
