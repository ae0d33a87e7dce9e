// SPDX-License-Identifier: MIT
// A module of another package.
#pragma once
int csystem_stand_in(void);
