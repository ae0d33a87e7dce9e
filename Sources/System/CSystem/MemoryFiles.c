// SPDX-License-Identifier: MIT
// Memory files, to share memory with other processes.

#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

// Since Linux 6.3: the file can never be run as a program. Older kernels refuse it.
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif
// Since Linux 5.1.
#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

int lc_memory_file(const char *name, int64_t bytes) {
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    if (fd < 0 && errno == EINVAL) fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) return -errno;
    // Allocated now, because memory that runs out later kills whoever touches the page.
    int result = fallocate(fd, 0, 0, bytes) < 0 ? -errno : fd;
    if (result < 0) close(fd);
    return result;
}

int lc_seal_memory_file(int descriptor) {
    int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;
    return fcntl(descriptor, F_ADD_SEALS, seals) < 0 ? -errno : 0;
}

int lc_reopen_for_reading(int descriptor) {
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}
