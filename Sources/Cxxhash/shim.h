// SPDX-License-Identifier: MIT
#include <xxhash.h>
