// SPDX-License-Identifier: MIT
// The few Linux calls that Swift cannot import.

#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int64_t lc_monotonic_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int lc_futex_wait_until(const uint32_t *word, uint32_t expected, int64_t deadline_ns) {
    struct timespec deadline = {.tv_sec = deadline_ns / 1000000000, .tv_nsec = deadline_ns % 1000000000};
    long result = syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, expected,
                          deadline_ns < 0 ? (struct timespec *)0 : &deadline, (void *)0, FUTEX_BITSET_MATCH_ANY);
    return result < 0 ? -errno : 0;
}

int lc_futex_wake_all(const uint32_t *word) {
    long result = syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, (void *)0, (void *)0, 0);
    return result < 0 ? -errno : (int)result;
}

int lc_futex_wake_everywhere(const uint32_t *word) {
    long result = syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, (void *)0, (void *)0, 0);
    return result < 0 ? -errno : (int)result;
}

int lc_processor_count(void) {
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof allowed, &allowed) < 0 ? 1 : CPU_COUNT(&allowed);
}

int lc_thread_processors(void *bits, size_t bytes) {
    return sched_getaffinity(0, bytes, bits) < 0 ? -errno : 0;
}

int lc_thread_stay_on(const void *bits, size_t bytes) {
    return sched_setaffinity(0, bytes, bits) < 0 ? -errno : 0;
}

int lc_thread_realtime(int priority) {
    struct sched_param parameters = {.sched_priority = priority};
    return sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameters) < 0 ? -errno : 0;
}

int lc_thread_nice(int nice) {
    return setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), nice) < 0 ? -errno : 0;
}

int lc_thread_background(void) {
    struct sched_param parameters = {.sched_priority = 0};
    return sched_setscheduler(0, SCHED_BATCH, &parameters) < 0 ? -errno : lc_thread_nice(19);
}

int64_t lc_address_room(int threads) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY) return -1;
    FILE *file = fopen("/proc/self/statm", "re");
    long pages = 0;
    if (file) {
        if (fscanf(file, "%ld", &pages) != 1) pages = 0;
        fclose(file);
    }
    // Each additional malloc arena reserves 64 MiB of addresses, used or not: too much where addresses are limited.
    lc_share_heaps(1);
    pthread_attr_t attributes;
    size_t stack = 8 << 20;
    if (pthread_attr_init(&attributes) == 0) {
        pthread_attr_getstacksize(&attributes, &stack);
        pthread_attr_destroy(&attributes);
    }
    const int64_t taken = (int64_t)pages * sysconf(_SC_PAGESIZE) + (int64_t)threads * (int64_t)(stack + 4096);
    return limit.rlim_cur > (uint64_t)taken ? (int64_t)(limit.rlim_cur - (uint64_t)taken) : 0;
}

void lc_share_heaps(int count) {
    mallopt(M_ARENA_MAX, count);
}

int64_t lc_physical_memory(void) {
    return (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
}

void *lc_map_memory(size_t bytes) {
    const size_t large = 2 << 20, whole = bytes & ~(large - 1);
    // Reserve extra room to align to a large page; the excess is unmapped at once.
    const size_t spare = whole > 0 ? large : 0;
    char *memory = mmap(NULL, bytes + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    if (!whole) return memory;
    const size_t before = -(uintptr_t)memory & (large - 1);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), used = (bytes + page - 1) & ~(page - 1);
    if (before > 0) munmap(memory, before);
    memory += before;
    if (spare - before > 0) munmap(memory + used, spare - before);
    // Only whole large pages, so that no more memory is used than requested.
    madvise(memory, whole, MADV_HUGEPAGE);
    return memory;
}

void lc_unmap_memory(void *memory, size_t bytes) {
    munmap(memory, bytes);
}

int lc_thread_name(const char *name) {
    return prctl(PR_SET_NAME, name) < 0 ? -errno : 0;
}

int lc_eventfd(void) {
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

int lc_rename(int from_folder, const char *from, int to_folder, const char *to, int replace) {
    return renameat2(from_folder, from, to_folder, to, replace ? 0 : RENAME_NOREPLACE) < 0 ? -errno : 0;
}

int lc_lock_byte(int descriptor, int64_t offset) {
    struct flock wanted = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = offset, .l_len = 1};
    return fcntl(descriptor, F_OFD_SETLK, &wanted) < 0 ? -errno : 0;
}

int lc_lock_byte_waiting(int descriptor, int64_t offset) {
    struct flock wanted = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = offset, .l_len = 1};
    int result;
    do result = fcntl(descriptor, F_OFD_SETLKW, &wanted);
    while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}

int lc_unlock_bytes(int descriptor) {
    struct flock wanted = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    return fcntl(descriptor, F_OFD_SETLK, &wanted) < 0 ? -errno : 0;
}

int lc_start_writeback(int descriptor, int64_t offset, int64_t count) {
    return sync_file_range(descriptor, offset, count, SYNC_FILE_RANGE_WRITE) < 0 ? -errno : 0;
}

int lc_preallocate(int descriptor, int64_t count) {
    // A signal to any thread of the process may interrupt it; on tmpfs, nothing is then left of what was allocated.
    for (int attempt = 0; attempt < 100; attempt++) {
        if (fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0, count) == 0) return 0;
        if (errno != EINTR) break;
    }
    return -errno;
}

int lc_open_to_name(int folder, const char *name) {
    int opened = openat(folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return opened < 0 ? -errno : opened;
}

int64_t lc_heap_bytes(void) {
    struct mallinfo2 now = mallinfo2();
    return (int64_t)(now.uordblks + now.hblkhd);
}

void lc_heap_trim(void) {
    malloc_trim(0);
}

int lc_spawn_close_from(posix_spawn_file_actions_t *actions, int first) {
    return -posix_spawn_file_actions_addclosefrom_np(actions, first);
}
