// SPDX-License-Identifier: MIT
// Every kernel and their table: included once for each level, which says what processor they are compiled for.

#include "Split.h"
#include "Mean.h"

/// The table of the level being compiled.
#define FUSION_TABLE(of_level)                                                                                         \
    {                                                                                                                  \
        .level = (of_level), .split_packed422 = split_packed422, .split_pairs = split_pairs, .add_row = add_row,       \
        .mean_row = mean_row,                                                                                          \
    }
