// SPDX-License-Identifier: MIT
// A module of another package.
#include "CSystem.h"

int csystem_stand_in(void) { return 1; }
