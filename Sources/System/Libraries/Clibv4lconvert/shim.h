// SPDX-License-Identifier: MIT
// What CV4L2 sees of the library: its own header.
#include <libv4lconvert.h>
