// SPDX-License-Identifier: MIT
// The few Linux calls Swift cannot import: one call a function, the errno returned negated, no policy.

#ifndef LIVECAP_CSYSTEM_H
#define LIVECAP_CSYSTEM_H

#include <stdint.h>

/// CLOCK_MONOTONIC in nanoseconds: clock_gettime(2) by way of the vDSO.
int64_t lc_monotonic_ns(void);

/// Sleeps while *word == expected, at most until `deadline_ns` on CLOCK_MONOTONIC (negative: for ever).
/// 0 when woken, -EAGAIN when the word differed, -ETIMEDOUT, -EINTR: futex(2), FUTEX_WAIT_BITSET_PRIVATE.
int lc_futex_wait_until(const uint32_t *word, uint32_t expected, int64_t deadline_ns);

/// Wakes every sleeper on the word: futex(2), FUTEX_WAKE_PRIVATE.
int lc_futex_wake_all(const uint32_t *word);

/// Tells the processor that this thread does nothing but look again: a moment's rest, and more for its sibling.
static inline void lc_spin_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("isb" ::: "memory");
#endif
}

/// How many processors this process may run on: sched_getaffinity(2); 1 if that cannot be told.
int lc_processor_count(void);

/// Asks for SCHED_FIFO at `priority` for the calling thread: sched_setscheduler(2).
int lc_thread_realtime(int priority);

/// Makes the calling thread give way to others: its nice value becomes `nice`: setpriority(2).
int lc_thread_nice(int nice);

/// Bytes of memory the machine has: sysconf(3), _SC_PHYS_PAGES.
int64_t lc_physical_memory(void);

/// Names the calling thread (15 bytes at most): prctl(2).
int lc_thread_name(const char *name);

/// A counter to poll, at 0, non-blocking, closed on exec; the descriptor or -errno: eventfd(2).
int lc_eventfd(void);

/// Renames, with `replace` 0 only if there is nothing by the new name (-EEXIST, or -EINVAL where the file system cannot
/// tell): renameat2(2).
int lc_rename(const char *from, const char *to, int replace);

/// Starts writing a stretch of a file to its disk without waiting: sync_file_range(2), SYNC_FILE_RANGE_WRITE.
int lc_start_writeback(int descriptor, int64_t offset, int64_t count);

/// Bytes of the heap that are in use: mallinfo2(3).
int64_t lc_heap_bytes(void);

#endif
