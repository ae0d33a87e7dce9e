// SPDX-License-Identifier: MIT
// Reports locks to the thread sanitizer; does nothing in builds without it.

#include "CSystem.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LC_TSAN 1
#endif
#endif

#ifdef LC_TSAN
void __tsan_acquire(void *address);
void __tsan_release(void *address);

void lc_lock_taken(const void *lock) { __tsan_acquire((void *)lock); }
void lc_lock_given(const void *lock) { __tsan_release((void *)lock); }
#else
void lc_lock_taken(const void *lock) { (void)lock; }
void lc_lock_given(const void *lock) { (void)lock; }
#endif
