// SPDX-License-Identifier: MIT
// The signal handler that notes presses, and the lock-free queue between it and the thread that reads them.

#include "SignalPresses.h"
#include "CSystem.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

// Only then may a handler use atomics: signal-safety(7).
_Static_assert(ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_LLONG_LOCK_FREE == 2, "atomics take no lock");

/// A place in the queue. Position p of all presses has the place p % LC_PRESSES_MAX in round p / LC_PRESSES_MAX.
struct place {
    /// 2 x round: free for a press of that round. 2 x round + 1: has it.
    atomic_ullong turn;
    struct lc_press press;
};

static struct place places[LC_PRESSES_MAX];
/// The next position to fill. Handlers on several threads claim positions at the same time.
static atomic_ullong filled;
/// The next position to read. Used by one thread.
static uint64_t read_from;
static atomic_ullong dropped;
static atomic_int wake = -1;

/// Adds a press; 0 if there is no room. Async-signal-safe: a failed exchange means that another thread has succeeded.
static int put(struct lc_press press) {
    unsigned long long position = atomic_load_explicit(&filled, memory_order_relaxed);
    for (;;) {
        struct place *place = &places[position % LC_PRESSES_MAX];
        unsigned long long round = position / LC_PRESSES_MAX;
        // Pairs with the release in lc_presses_next: the place's last press has been read.
        unsigned long long turn = atomic_load_explicit(&place->turn, memory_order_acquire);
        if (turn == 2 * round) {
            if (atomic_compare_exchange_weak_explicit(&filled, &position, position + 1, memory_order_relaxed,
                                                      memory_order_relaxed)) {
                place->press = press;
                // Pairs with the acquire in lc_presses_next: the press is complete.
                atomic_store_explicit(&place->turn, 2 * round + 1, memory_order_release);
                return 1;
            }
        } else if (turn < 2 * round) {
            // The press of the previous round has not been read.
            return 0;
        } else {
            position = atomic_load_explicit(&filled, memory_order_relaxed);
        }
    }
}

int lc_presses_next(struct lc_press *press) {
    struct place *place = &places[read_from % LC_PRESSES_MAX];
    uint64_t round = read_from / LC_PRESSES_MAX;
    // Pairs with the release in put. A handler that has claimed the place and not filled it yet raises the eventfd
    // later.
    if (atomic_load_explicit(&place->turn, memory_order_acquire) != 2 * round + 1) return 0;
    *press = place->press;
    // Pairs with the acquire in put.
    atomic_store_explicit(&place->turn, 2 * round + 2, memory_order_release);
    read_from += 1;
    return 1;
}

uint64_t lc_presses_take_dropped(void) {
    return atomic_exchange_explicit(&dropped, 0, memory_order_relaxed);
}

/// The handler. Calls only what is async-signal-safe (clock_gettime, write), and leaves errno as it was.
static void note(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)context;
    int before = errno;
    struct lc_press press = {.time_ns = lc_monotonic_ns()};
    if (info->si_code == SI_QUEUE) press.value = info->si_value.sival_int;
    if (!put(press)) atomic_fetch_add_explicit(&dropped, 1, memory_order_relaxed);
    // Pairs with the fence in lc_presses_wake: either this sees the eventfd, or its maker sees the press.
    atomic_thread_fence(memory_order_seq_cst);
    int descriptor = atomic_load_explicit(&wake, memory_order_relaxed);
    uint64_t one = 1;
    // If the eventfd cannot be raised further, it is readable anyway.
    ssize_t written = descriptor < 0 ? 0 : write(descriptor, &one, sizeof one);
    (void)written;
    errno = before;
}

void lc_presses_wake(int descriptor) {
    atomic_store_explicit(&wake, descriptor, memory_order_relaxed);
    // Pairs with the fence in note.
    atomic_thread_fence(memory_order_seq_cst);
}

/// SIGRTMIN is a call, not a constant.
static void list(int signals[2]) {
    signals[0] = SIGUSR1;
    signals[1] = SIGRTMIN;
}

static sigset_t both(void) {
    int signals[2];
    list(signals);
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < 2; i++) sigaddset(&set, signals[i]);
    return set;
}

/// What the signals did before.
static struct sigaction former[2];

void lc_presses_catch(void) {
    // One press does not interrupt another one's handler.
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | SA_RESTART, .sa_mask = both()};
    int signals[2];
    list(signals);
    for (int i = 0; i < 2; i++) sigaction(signals[i], &action, &former[i]);
}

void lc_presses_release(void) {
    int signals[2];
    list(signals);
    for (int i = 0; i < 2; i++) {
        struct sigaction now, ignore = {.sa_handler = SIG_IGN};
        if (sigaction(signals[i], NULL, &now) < 0 || !(now.sa_flags & SA_SIGINFO) || now.sa_sigaction != note) continue;
        // Discards signals that are pending, which would otherwise end the process now.
        sigaction(signals[i], &ignore, NULL);
        sigaction(signals[i], &former[i], NULL);
    }
}

void lc_presses_unblock(void) {
    sigset_t presses = both();
    pthread_sigmask(SIG_UNBLOCK, &presses, NULL);
}

void lc_presses_flush(void) {
    sigset_t presses = both(), before;
    // The kernel delivers what is pending before the first call returns.
    pthread_sigmask(SIG_UNBLOCK, &presses, &before);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
