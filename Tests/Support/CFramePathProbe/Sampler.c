// SPDX-License-Identifier: MIT
// The sampler: a timer's signal records where a thread is.

#include "CFramePathProbe.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

// A signal handler gets no argument of ours, so these are globals. One thread is sampled at a time.
static uintptr_t *noted;
static size_t room;
static volatile size_t count;
static timer_t timer;
static struct sigaction before;

static void note(int number, siginfo_t *info, void *context) {
    (void)number, (void)info;
    const ucontext_t *thread = context;
    if (count >= room) return;
#if defined(__x86_64__)
    noted[count] = (uintptr_t)thread->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    noted[count] = (uintptr_t)thread->uc_mcontext.pc;
#else
    noted[count] = 0;
#endif
    count = count + 1;
}

int lc_sampler_start(uintptr_t *places, size_t most) {
    noted = places;
    room = most;
    count = 0;
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | SA_RESTART};
    if (sigaction(SIGPROF, &action, &before) < 0) return -errno;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
    event._sigev_un._tid = gettid();
    // Not a whole number of milliseconds: work that recurs with the clock's tick would be sampled always
    // or never.
    struct itimerspec pace = {.it_interval.tv_nsec = 487000, .it_value.tv_nsec = 487000};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) < 0) return -errno;
    return timer_settime(timer, 0, &pace, NULL) < 0 ? -errno : 0;
}

size_t lc_sampler_stop(void) {
    timer_delete(timer);
    sigaction(SIGPROF, &before, NULL);
    return count;
}
