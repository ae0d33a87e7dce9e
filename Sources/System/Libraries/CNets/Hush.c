// SPDX-License-Identifier: MIT
// Keeps a library's words off standard error, where it has no setting for that.
#include "Hush.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct lc_hush lc_hush_begin(void) {
    struct lc_hush hush = {fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3), -1};
    if (hush.error < 0) return hush;
    hush.memory = memfd_create("standard error", MFD_CLOEXEC);
    if (hush.memory >= 0 && dup2(hush.memory, STDERR_FILENO) >= 0) return hush;
    if (hush.memory >= 0) close(hush.memory);
    close(hush.error);
    return lc_no_hush;
}

void lc_hush_end(struct lc_hush hush, const char *words) {
    if (hush.error < 0) return;
    dup2(hush.error, STDERR_FILENO);
    close(hush.error);
    FILE *lines = lseek(hush.memory, 0, SEEK_SET) == 0 ? fdopen(hush.memory, "r") : NULL;
    if (!lines) {
        close(hush.memory);
        return;
    }
    char line[1024];
    while (fgets(line, sizeof line, lines)) {
        // If that fails, there is nowhere to report it.
        if (strncmp(line, words, strlen(words)) != 0 && write(STDERR_FILENO, line, strlen(line)) < 0) break;
    }
    fclose(lines);
}
