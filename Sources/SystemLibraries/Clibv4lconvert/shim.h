// SPDX-License-Identifier: MIT
// What CV4L2 and the Swift targets see of the library: its own header.
#include <libv4lconvert.h>
