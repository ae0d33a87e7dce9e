// SPDX-License-Identifier: MIT
// libFuzzer's entry for programs with a main of their own.
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *bytes, size_t count));
