// SPDX-License-Identifier: MIT
// The probe: defines functions of the C library and the Swift runtime under their own names, and counts the calls.

#include "CFramePathProbe.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || !defined(__GLIBC__)
#define CAN_COUNT 0
#else
#define CAN_COUNT 1
#endif

#if !CAN_COUNT

int lc_probe_start(void) { return 0; }
void lc_probe_stop(lc_probe_counts *counts) { *counts = (lc_probe_counts){0}; }

#else

// Initial-exec, so that access to a thread's counts does not allocate.
static __thread __attribute__((tls_model("initial-exec"))) struct {
    bool counting;
    lc_probe_counts counts;
} probe;

#define COUNT(what) \
    do { \
        if (__builtin_expect(probe.counting, 0)) probe.counts.what++; \
    } while (0)

// The heap. glibc also exports its functions under these names.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

void *malloc(size_t size) {
    COUNT(allocations);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    COUNT(allocations);
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    COUNT(allocations);
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    COUNT(allocations);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    COUNT(allocations);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
    COUNT(allocations);
    void *memory = __libc_memalign(alignment, size);
    if (memory == NULL) return ENOMEM;
    *result = memory;
    return 0;
}

void free(void *memory) {
    if (memory != NULL) COUNT(frees);
    __libc_free(memory);
}

// Locks: each call goes to the next definition in search order, which is looked up on first use. Racing threads find
// the same one.
#define LOCK(name, parameters, arguments) \
    int name parameters { \
        static int(*_Atomic next) parameters; \
        if (next == NULL) next = (int(*) parameters)dlsym(RTLD_NEXT, #name); \
        COUNT(locks); \
        return next arguments; \
    }

LOCK(pthread_mutex_lock, (pthread_mutex_t *mutex), (mutex))
LOCK(pthread_mutex_trylock, (pthread_mutex_t *mutex), (mutex))
LOCK(pthread_rwlock_rdlock, (pthread_rwlock_t *lock), (lock))
LOCK(pthread_rwlock_wrlock, (pthread_rwlock_t *lock), (lock))
LOCK(pthread_cond_wait, (pthread_cond_t *condition, pthread_mutex_t *mutex), (condition, mutex))

// Reference counting: the entry points of the Swift runtime, for calls from the program itself. They return their
// argument. Callers may rely on most registers being preserved, so preserve them.
#if defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))
#define KEEPS_REGISTERS __attribute__((preserve_most))
#else
#define KEEPS_REGISTERS
#endif

#define REFERENCE(name, parameters, arguments) \
    KEEPS_REGISTERS void *name parameters { \
        static void *(*_Atomic next) parameters; \
        if (next == NULL) next = (void *(*) parameters)dlsym(RTLD_NEXT, #name); \
        COUNT(references); \
        return next arguments; \
    }

REFERENCE(swift_retain, (void *object), (object))
REFERENCE(swift_release, (void *object), (object))
REFERENCE(swift_retain_n, (void *object, uint32_t n), (object, n))
REFERENCE(swift_release_n, (void *object, uint32_t n), (object, n))

int lc_probe_start(void) {
    probe.counts = (lc_probe_counts){0};
    probe.counting = true;
    return LC_PROBE_HEAP | LC_PROBE_LOCKS | LC_PROBE_REFERENCES;
}

void lc_probe_stop(lc_probe_counts *counts) {
    probe.counting = false;
    *counts = probe.counts;
}

#endif
