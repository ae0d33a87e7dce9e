// SPDX-License-Identifier: MIT
// What Camera sees of the library: its own header.
#include <libudev.h>
