/* SPDX-License-Identifier: MIT
 * Waiting and waking: one producer, and sleepers that wait for a frame.
 *
 * The producer publishes frames and may fall silent or end at any point. The model is sequentially consistent; so are
 * the four operations in the Swift code (Sources/FrameRing/Signal.swift).
 *
 * It proves that no wake-up is lost: when no process can move any more, no sleeper is asleep whose frame has been
 * published, and none is asleep after the end.
 */

/* Progress */
byte published = 0;
byte newestTime = 0;   /* 0: none; frame n has time n + 1 */
bool ended = false;

/* Signal.Words */
byte word = 0;
byte sleepers = 0;

/* The kernel: which sleepers sleep on the word. */
bool isAsleep[SLEEPERS];
/* The frame each sleeper waits for; used only by the assertion. */
byte waitsFor[SLEEPERS];
bool isWaiting[SLEEPERS];

/* Signal.notify */
inline notify() {
#ifndef WRONG_WAKE_WITHOUT_CHANGE
    word++;
#endif
    sleepersSeen = sleepers;
    if
    :: sleepersSeen != 0 ->
        d_step {
            /* futex(FUTEX_WAKE): wakes every sleeper */
            for (k : 0 .. SLEEPERS - 1) { isAsleep[k] = false }
            k = 0
        }
    :: else
    fi
}

active proctype producer() {
    byte frame = 0, sleepersSeen, k;
    do
    :: frame < FRAMES ->
        /* the last steps of SlotTable.publish */
#ifdef WRONG_NOTIFY_FIRST
        notify();
#endif
#ifdef WRONG_TIME_BEFORE_COUNT
        newestTime = frame + 1;
        published = frame + 1;
#else
        published = frame + 1;
        newestTime = frame + 1;
#endif
#ifndef WRONG_NOTIFY_FIRST
        notify();
#endif
        frame++
    :: true ->
        /* SlotTable.end */
        ended = true;
        notify();
        break
    :: true -> break   /* silent from here on */
    od
}

/* FrameRing.wait(forCounter:) or wait(forNewerThan:) in each round, for a frame that may never come. */
active [SLEEPERS] proctype sleeper() {
    byte me = _pid - 1, seen, round, counter;
    bool holds, byTime;
    for (round : 1 .. ROUNDS) {
        select(counter : 0 .. FRAMES - 1);
        if :: byTime = true :: byTime = false fi;
        /* Signal.wait: the first check, before the sleeper is counted */
        if :: byTime -> holds = newestTime > counter :: else -> holds = published > counter fi;
        if :: !holds -> holds = ended :: else fi;
        if
        :: holds -> goto looked
        :: else
        fi;
#ifndef WRONG_COUNT_IN_LATE
        atomic { sleepers++; waitsFor[me] = counter; isWaiting[me] = true }
#endif
        do
        ::
#ifndef WRONG_READ_AFTER_CONDITION
            seen = word;
#endif
            if :: byTime -> holds = newestTime > counter :: else -> holds = published > counter fi;
            if :: !holds -> holds = ended :: else fi;
            if
            :: holds -> break
            :: else
            fi;
            if
            :: goto counted   /* Timestamp.now >= deadline */
            :: true
            fi;
#ifdef WRONG_READ_AFTER_CONDITION
            seen = word;
#endif
            /* futex(FUTEX_WAIT): the kernel compares and sleeps in one step */
            atomic { if :: word == seen -> isAsleep[me] = true :: else fi }
#ifdef WRONG_COUNT_IN_LATE
            atomic { sleepers++; waitsFor[me] = counter; isWaiting[me] = true }
#endif
end_asleep: !isAsleep[me]
        od;
counted:
        atomic { sleepers--; isWaiting[me] = false }
looked:
        /* A frame announced by its time is already included in the count, so that it can be leased. */
        if
        :: byTime && newestTime > counter -> assert(published > counter)
        :: else
        fi;
        atomic { seen = 0; holds = false }
    }
}

/* When nothing moves any more, no sleeper has missed what it waits for. */
active proctype observer() {
    byte k;
end_watching:
    timeout;
    d_step {
        for (k : 0 .. SLEEPERS - 1) {
            assert(!(isWaiting[k] && isAsleep[k] && (published > waitsFor[k] || ended)))
        }
    }
}
