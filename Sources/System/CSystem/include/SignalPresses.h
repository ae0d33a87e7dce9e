// SPDX-License-Identifier: MIT
// Signals as presses of a button: caught by a handler, whichever thread they interrupt, and read by one thread.

#ifndef LIVECAP_SIGNAL_PRESSES_H
#define LIVECAP_SIGNAL_PRESSES_H

#include <stdint.h>

/// The maximum number of presses that wait to be read. Later ones are counted and not kept.
#define LC_PRESSES_MAX 1024

/// A press.
struct lc_press {
    /// When the handler began, on CLOCK_MONOTONIC.
    int64_t time_ns;
    /// The value that sigqueue(3) sent, or 0 for signals sent in other ways.
    int value;
};

// A handler has no argument of ours, so a process has one set of presses. Its users take turns: only the handler may
// run beside the functions below.

/// Makes SIGUSR1 and SIGRTMIN presses, whatever they did before, even if they were ignored: sigaction(2), SA_RESTART.
void lc_presses_catch(void);

/// Makes both signals do again what they did before, unless something else handles them by now. Those that are pending
/// are discarded: sigaction(2).
void lc_presses_release(void);

/// Names the eventfd that the handler raises after each press. It must stay open until the process ends, because a
/// handler may still run long after lc_presses_release. Read the presses that have come before.
void lc_presses_wake(int descriptor);

/// Lets the calling thread take those presses that are pending because all threads block them: pthread_sigmask(3).
void lc_presses_flush(void);

/// Lets presses interrupt the calling thread from now on: pthread_sigmask(3).
void lc_presses_unblock(void);

/// Reads the oldest press. Returns 0 if there is none.
int lc_presses_next(struct lc_press *press);

/// The number of presses not kept since the last call.
uint64_t lc_presses_take_dropped(void);

#endif
