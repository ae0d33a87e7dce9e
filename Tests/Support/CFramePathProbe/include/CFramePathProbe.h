// SPDX-License-Identifier: MIT
// Counts what the frame path must not do on the calling thread: heap calls, locks, reference counting.
//
// A program that links this library, or is started with it in LD_PRELOAD, allocates through it. It is for tests and
// benchmarks, not part of the product. Under a sanitizer it counts nothing, because sanitizers intercept the same
// calls.

#ifndef LIVECAP_CFRAMEPATHPROBE_H
#define LIVECAP_CFRAMEPATHPROBE_H

#include <stddef.h>
#include <stdint.h>

/// The calls of the thread between `lc_probe_start` and `lc_probe_stop`.
typedef struct lc_probe_counts {
    /// malloc, calloc, realloc, aligned_alloc, posix_memalign, memalign.
    uint64_t allocations;
    /// free, except of NULL.
    uint64_t frees;
    /// pthread mutexes and read-write locks that were locked or tried, and condition variables that were waited for.
    uint64_t locks;
    /// swift_retain and swift_release, and their variants for n references.
    uint64_t references;
} lc_probe_counts;

/// What can be counted here, as bits.
enum { LC_PROBE_HEAP = 1, LC_PROBE_LOCKS = 2, LC_PROBE_REFERENCES = 4 };

/// Resets the calling thread's counts and starts counting. Returns the bits of what is counted.
int lc_probe_start(void);

/// Stops counting and copies the calling thread's counts.
void lc_probe_stop(lc_probe_counts *counts);

/// Records the instruction address of the calling thread about two thousand times per second, until `lc_sampler_stop`,
/// for at most `most` samples. One thread at a time. Returns 0 or -errno: timer_create(2), SIGEV_THREAD_ID.
int lc_sampler_start(uintptr_t *places, size_t most);

/// Stops sampling and returns the number of recorded addresses.
size_t lc_sampler_stop(void);

#endif
