// SPDX-License-Identifier: MIT
// QR codes by libqrencode, which is loaded when a code is first wanted.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Makes the code of a text. Writes one byte for each of its modules, row by row: 1 if it is dark, or else 0. Returns
/// how many there are in a row; 0 if the library is missing, or if the text or its code is too long.
int lc_qr_modules(const char *text, uint8_t *modules, size_t room);
