// SPDX-License-Identifier: MIT
// What Stills sees of the library: its own header.
#include <libheif/heif.h>
