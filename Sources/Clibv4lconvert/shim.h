// SPDX-License-Identifier: MIT
#include <libv4lconvert.h>
