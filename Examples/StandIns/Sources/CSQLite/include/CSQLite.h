// SPDX-License-Identifier: MIT
// A module of another package.
#pragma once
int csqlite_stand_in(void);
