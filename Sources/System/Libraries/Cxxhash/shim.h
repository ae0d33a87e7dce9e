// SPDX-License-Identifier: MIT
// What FrameFiles sees of the library: its own header.
#include <xxhash.h>
