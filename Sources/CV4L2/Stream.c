// SPDX-License-Identifier: MIT
// VIDIOC_STREAMON and VIDIOC_STREAMOFF, which can take seconds, without keeping this process from ending.

#include "CV4L2.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/// What the two processes share: this, and above it the other one's thread-local memory and its stack.
struct errand {
    int fd, result;
    unsigned long request;
};
enum { ERRAND_BYTES = 96 << 10, LOCAL_BYTES = 64 << 10 };

/// By system calls alone: sanitizers would look for what they know of the thread.
__attribute__((no_sanitize("address", "thread", "undefined")))
static int make_call(int fd, unsigned long request) {
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    long result = -1;
    for (int tries = 0; tries < 16; tries++) {
        result = syscall(SYS_ioctl, fd, request, &type);
        if (result != -1 || errno != EINTR) break;
    }
    return result == -1 ? -errno : 0;
}

/// The other process.
__attribute__((no_sanitize("address", "thread", "undefined")))
static int run(void *argument) {
    struct errand *errand = argument;
    // Its copies of all other descriptors: a pipe's reader must see the end when this program ends.
    if (errand->fd > 0) syscall(SYS_close_range, 0, errand->fd - 1, 0);
    syscall(SYS_close_range, errand->fd + 1, ~0u, 0);
    errand->result = make_call(errand->fd, errand->request);
    syscall(SYS_exit_group, 0);
    return 0;
}

static int64_t milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/// Waits for the process's end; returns whether it came in time.
static bool wait_for(int process, int wake, int patience) {
    struct pollfd polled[2] = {{.fd = process, .events = POLLIN}, {.fd = wake, .events = POLLIN}};
    int64_t end = wake < 0 ? milliseconds() + patience : INT64_MAX;
    for (;;) {
        int64_t remaining = end == INT64_MAX ? -1 : end - milliseconds();
        if (end != INT64_MAX && remaining < 0) return false;
        poll(polled, 2, (int)remaining);
        if (polled[0].revents) return true;
        if (polled[1].revents && end == INT64_MAX) {
            end = milliseconds() + patience;
            polled[1].fd = -1;
        }
    }
}

int cv4l2_stream(int fd, bool on, int wake, int patience) {
    unsigned long request = on ? VIDIOC_STREAMON : VIDIOC_STREAMOFF;
    char *memory = mmap(0, ERRAND_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return make_call(fd, request);
    struct errand *errand = (struct errand *)memory;
    *errand = (struct errand){.fd = fd, .request = request};
    int process = -1;
    // The caller's thread may be gone when a call that was given up returns, so `errno` is kept elsewhere: before or
    // after the thread's pointer, as the processor has it. On x86, what it points to must be that pointer, too.
    void **local = (void **)(memory + LOCAL_BYTES / 2);
    local[0] = local[2] = local;
    // No signal at its end, so that programs that wait for children of their own do not see it.
    int flags = CLONE_VM | CLONE_PIDFD | CLONE_SETTLS;
    if (clone(run, memory + ERRAND_BYTES, flags, errand, &process, local) < 0 || process < 0) {
        // Not permitted here, or no process is left: the call is made as ever.
        munmap(memory, ERRAND_BYTES);
        return make_call(fd, request);
    }
    bool has_ended = wait_for(process, wake, patience);
    int result = -EINPROGRESS;
    if (has_ended) {
        siginfo_t info;
        while (waitid((idtype_t)P_PIDFD, (id_t)process, &info, WEXITED | __WALL) == -1 && errno == EINTR) {}
        result = errand->result;
        munmap(memory, ERRAND_BYTES);
    }
    // Otherwise the memory stays with the process that uses it.
    close(process);
    return result;
}
