// SPDX-License-Identifier: MIT
// What CStills sees of the library: its own header.
#include <png.h>
