// SPDX-License-Identifier: MIT
// Takes the version from the file VERSION.
#include "CVersion.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const char version[] = {
#embed "../../../VERSION"
    , 0};

const char *lc_version(void) { return version; }
