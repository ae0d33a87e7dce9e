// SPDX-License-Identifier: MIT
// Takes the version from the file VERSION, and the commit from Package.swift. A new commit compiles only this file.
#include "CVersion.h"

#include <stddef.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

static const char version[] = {
#embed "../../VERSION"
    , 0};

const char *lc_version(void) { return version; }

const char *lc_commit(void) {
#ifdef LIVECAP_COMMIT
    return LIVECAP_COMMIT;
#else
    return NULL;
#endif
}
