/* SPDX-License-Identifier: MIT
 * A shared ring: one producer, the thread that wakes readers, and a reader in another process, which holds nothing.
 *
 * The steps are those of Sources/Outlets/CShare/include (share-writer.h, livecap-share.h),
 * Sources/FrameRing/RingFile.swift and Sources/Outlets/Sharing/ReaderWaker.swift. A frame's bytes are two, so that one
 * can be torn. The producer may fall silent or end at any point.
 *
 * It proves that no frame that is intact after it was read is torn or another frame; that a frame that the reader
 * passes over is gone; and that no reader sleeps through a frame or the end.
 */

/* livecap_header and livecap_slot */
byte nextCounter = 0;
byte wake = 0;
bool hasEnded = false;
byte generation[SLOTS] = 1;
byte counter[SLOTS];
byte first[SLOTS];
byte second[SLOTS];

/* The ring's own end, which the waker sees. */
bool ringHasEnded = false;
/* The kernel: whether the reader sleeps on the word. */
bool isAsleep = false;
/* The frame the reader wants; used only by the assertion. */
byte wanted = 0;

/* livecap_share_withdraw; a free slot is odd already */
inline withdraw() {
    if
    :: generation[slot] % 2 == 0 -> generation[slot]++
    :: else
    fi
}

active proctype producer() {
    byte frame = 0, slot;
    do
    :: frame < FRAMES ->
        slot = frame % SLOTS;
#ifdef WRONG_WITHDRAW_LATE
        first[slot] = frame;
        withdraw();
#else
        withdraw();
        first[slot] = frame;
#endif
        second[slot] = frame;
        /* livecap_share_publish */
#ifdef WRONG_COUNT_FIRST
        nextCounter = frame + 1;
#endif
        counter[slot] = frame;
        generation[slot]++;
        nextCounter = frame + 1;
        frame++
    :: ringHasEnded = true; break
    :: break
    od
}

/* livecap_share_touch, and futex(FUTEX_WAKE) */
inline touch() {
    wake++;
    isAsleep = false
}

/* ReaderWaker.run */
active proctype waker() {
    byte seen;
    do
    :: seen = nextCounter;
        touch();
end_waits:
        (nextCounter > seen || ringHasEnded);
        if
        :: ringHasEnded -> break
        :: else
        fi
    od;
#ifdef WRONG_END_LATE
    touch();
    hasEnded = true
#else
    hasEnded = true;
    touch()
#endif
}

/* livecap_share_find, for the oldest frame from `wanted` on */
inline find() {
    found = false;
#ifdef WRONG_NO_LIMIT
    limit = FRAMES + 1;
#else
    limit = nextCounter;
#endif
    slot = 0;
    do
    :: slot < SLOTS ->
        seen = generation[slot];
        number = counter[slot];
        if
        :: seen % 2 == 0 && generation[slot] == seen && wanted <= number && number < limit &&
                (!found || number < best) ->
            d_step { found = true; best = number; place = slot; before = seen }
        :: else
        fi;
        slot++
    :: else -> break
    od
}

active proctype reader() {
    byte slot, seen, number, limit, best, place, before, a, b, word;
    bool found, isOver;
    do
    ::
#ifdef WRONG_WAKE_READ_LATE
        isOver = hasEnded;
        found = nextCounter > wanted;
        word = wake;
#else
        word = wake;
        isOver = hasEnded;
        found = nextCounter > wanted;
#endif
        if
        :: found ->
            find();
            if
            :: found ->
                d_step {
                    /* Every frame that is passed over is gone. */
                    for (slot : 0 .. SLOTS - 1) {
                        assert(generation[slot] % 2 == 1 || counter[slot] < wanted || counter[slot] >= best)
                    }
                    slot = 0
                }
                a = first[place];
                b = second[place];
#ifdef WRONG_READ_UNCHECKED
                assert(a == best && b == best);
#else
                if
                :: generation[place] == before -> assert(a == best && b == best)
                :: else
                fi;
#endif
                wanted = best + 1
            :: else ->
                d_step {
                    /* Every frame from `wanted` up to the limit is gone. */
                    for (slot : 0 .. SLOTS - 1) {
                        assert(generation[slot] % 2 == 1 || counter[slot] < wanted || counter[slot] >= limit)
                    }
                    slot = 0;
                    wanted = limit
                }
            fi
        :: !found && isOver -> break
        :: else ->
            /* futex(FUTEX_WAIT) */
            if
            :: atomic { wake == word -> isAsleep = true }
end_sleeps:
                !isAsleep
            :: wake != word
            fi
        fi
    od
}

/* When nothing can move any more. */
active proctype watch() {
end_watch:
    timeout -> assert(!isAsleep || (nextCounter <= wanted && !ringHasEnded))
}
