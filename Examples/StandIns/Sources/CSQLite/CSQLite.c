// SPDX-License-Identifier: MIT
// A module of another package.
#include "CSQLite.h"

int csqlite_stand_in(void) { return 1; }
