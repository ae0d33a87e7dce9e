// SPDX-License-Identifier: MIT
// libFuzzer's entry point for programs with their own main.
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *bytes, size_t count));
