// SPDX-License-Identifier: MIT
// Counts what the frame path must not do: heap calls, mutexes, reference counting, by the calling thread.
//
// A program that links this, or is started with it in LD_PRELOAD, allocates through it. It is for tests and benchmarks
// and no part of the product. Under a sanitizer it counts nothing: the sanitizers take the same calls.

#ifndef LIVECAP_CFRAMEPATHPROBE_H
#define LIVECAP_CFRAMEPATHPROBE_H

#include <stddef.h>
#include <stdint.h>

/// What the thread did between `lc_probe_start` and `lc_probe_stop`.
typedef struct lc_probe_counts {
    /// malloc, calloc, realloc, aligned_alloc, posix_memalign, memalign.
    uint64_t allocations;
    /// free of something.
    uint64_t frees;
    /// pthread mutexes, read-write locks and condition variables taken or waited for.
    uint64_t locks;
    /// swift_retain and swift_release, also of n at a time.
    uint64_t references;
} lc_probe_counts;

/// Bits of what can be counted here.
enum { LC_PROBE_HEAP = 1, LC_PROBE_LOCKS = 2, LC_PROBE_REFERENCES = 4 };

/// Sets the calling thread's counts to zero and counts from now on. The bits of what is counted.
int lc_probe_start(void);

/// Stops counting and copies the calling thread's counts.
void lc_probe_stop(lc_probe_counts *counts);

/// Notes where the calling thread's instructions are, some two thousand times a second, until `lc_sampler_stop`: at
/// most `most` places. One thread at a time. 0 or -errno: timer_create(2), SIGEV_THREAD_ID.
int lc_sampler_start(uintptr_t *places, size_t most);

/// Stops, and tells how many places were noted.
size_t lc_sampler_stop(void);

#endif
