// SPDX-License-Identifier: MIT
// What JPEG sees of the library: its own header.
#include <turbojpeg.h>
