/* SPDX-License-Identifier: MIT
 * The slot protocol: one producer, readers that lease by time, and readers that follow. Sequentially consistent.
 *
 * Every read or write of a shared word is a separate statement. Local computations that follow from it are in the same
 * `atomic`, because other processes cannot see them. The names are those of the Swift code, Sources/FrameRing, function
 * by function. The macros LEASERS, FOLLOWERS, SLOTS, RESERVE and FRAMES set the size of the model. Each WRONG_... macro
 * introduces one mistake.
 */

#define LIMIT (SLOTS - RESERVE)
#define NONE 15

/* SlotWord: generation, published bit, pins. */
#define PINS(w) ((w) & 3)
#define IS_PUBLISHED(w) (((w) >> 2) & 1)
#define GENERATION(w) ((w) >> 3)
#define PINNED(w) ((w) + 1)
#define EVICTED(w) ((GENERATION(w) + 1) << 3)
#define PUBLISHED(w) ((GENERATION(w) << 3) | 4)

/* SlotShared and Progress: the atomics. */
byte word[SLOTS];
byte time[SLOTS];
byte tag[SLOTS];
byte published = 0;
bool ended = false;

/* SlotContent: two halves. A reader that may read them must always find both of the same frame. */
byte firstHalf[SLOTS];
byte secondHalf[SLOTS];

/* The actual state, used only by assertions. */
bool beingWritten[SLOTS];
byte holders[SLOTS];
bool isDone = false;
byte producerId;

/* ------------------------------------------------------------------------------------------ the producer's side */

active proctype producer() {
    byte order[SLOTS];   /* SlotPlacement's list by age: published slots, oldest first */
    bool isFree[SLOTS];
    byte readersCount = 0;
    byte frame = 0, k, s, w, steps, source;
    bool hasSlot;

    d_step {
        producerId = _pid;
        for (k : 0 .. SLOTS - 1) { isFree[k] = true; firstHalf[k] = NONE; secondHalf[k] = NONE }
        k = 0
    }
    for (source : 0 .. FRAMES - 1) {
        /* SlotPlacement.claim */
        hasSlot = true;
        steps = 0;
        if
        :: readersCount >= LIMIT ->
            /* SlotPlacement.evictOldest: each slot is tried once, oldest first */
            k = 0;
            hasSlot = false;
            do
            :: !hasSlot && k < readersCount ->
                /* SlotTable.evict: the load ... */
                atomic { w = word[order[k]]; s = order[k]; steps++; assert(steps <= SLOTS) }
                if
                :: PINS(w) == 0 ->
#ifdef WRONG_EVICT_WITHOUT_SWAP
                    word[s] = EVICTED(w);
                    hasSlot = true
#else
                    /* ... and the one compare-and-swap */
                    atomic { if :: word[s] == w -> word[s] = EVICTED(w); hasSlot = true :: else fi }
#endif
                :: else
#ifdef WRONG_EVICT_PINNED
                    -> word[s] = EVICTED(w); hasSlot = true
#endif
                fi;
                if
                :: hasSlot ->
                    d_step {
                        isFree[s] = true;
                        readersCount--;
                        do :: k < readersCount -> order[k] = order[k + 1]; k++ :: else -> break od;
                        order[readersCount] = 0
                    }
                :: else ->
#ifdef WRONG_WAIT_FOR_READERS
                    word[s] != w
#else
                    k++
#endif
                fi
            :: else -> break
            od
        :: else
        fi;
        if
        :: hasSlot ->
            /* SlotPlacement.takeFree: any free slot */
            atomic {
                if
                :: isFree[0] -> s = 0
                :: isFree[1] -> s = 1
#if SLOTS > 2
                :: isFree[2] -> s = 2
#endif
#if SLOTS > 3
                :: isFree[3] -> s = 3
#endif
                fi;
                isFree[s] = false
            }
            /* The driver, or a copy, writes the bytes. */
            atomic {
                assert(holders[s] == 0);
                assert(!IS_PUBLISHED(word[s]));
                beingWritten[s] = true;
                firstHalf[s] = frame
            }
#ifdef WRONG_PUBLISH_BEFORE_BYTES
            word[s] = PUBLISHED(word[s]);
#endif
            atomic { secondHalf[s] = frame; beingWritten[s] = false }
            /* SlotTable.publish */
            time[s] = frame;
            tag[s] = frame;
            atomic {
                word[s] = PUBLISHED(word[s]);
                order[readersCount] = s;
                readersCount++;
                /* History and leases together never exceed slots minus reserve. */
                assert(readersCount <= LIMIT)
            }
            atomic { published = frame + 1; frame++ }
        :: else   /* RingProducer.drop: the new frame is dropped */
        fi
    }
    atomic { ended = true; isDone = true }
}

/* ------------------------------------------------------------------------------------------- the readers' side */

/* SlotTable.candidate: word, then time, then tag. */
inline loadCandidate() {
    seenWord = word[slot];
    if
    :: IS_PUBLISHED(seenWord) ->
        seenTime = time[slot];
        seenTag = tag[slot];
    :: else
    fi
}

/* SlotTable.pin of the best candidate; `isPinned` says whether it succeeded. */
inline pinBest() {
    isPinned = false;
    do
    :: atomic {
#ifdef WRONG_PIN_UNCHECKED
        /* adds a pin without checking what the slot has become */
        word[best] = PINNED(word[best]);
        isPinned = true
#else
        if
        :: word[best] == bestWord -> word[best] = PINNED(word[best]); isPinned = true
        :: else -> bestWord = word[best]
        fi
#endif
        ;
        if
        :: isPinned -> holders[best]++; break
#ifdef WRONG_PIN_ANY_GENERATION
        :: else -> if :: !IS_PUBLISHED(bestWord) -> break :: else fi
#else
        :: else -> if :: !IS_PUBLISHED(bestWord) || GENERATION(bestWord) != bestGeneration -> break :: else fi
#endif
        fi
    }
    od
}

/* FrameLease.withBytes: both halves are of the selected frame, and nobody writes. */
inline readBytes() {
    assert(!beingWritten[best] && firstHalf[best] == bestTag);
    assert(!beingWritten[best] && secondHalf[best] == bestTag)
}

/* FrameLease.deinit, SlotTable.unpin */
inline unpin() {
    atomic { holders[best]--; word[best] = word[best] - 1 }
}

#if LEASERS > 0
/* FrameRing.lease(nearest:) for any time, in every round. A lease may be held for ever. */
active [LEASERS] proctype leaser() {
    byte asked, limit, slot, seenWord, seenTime, seenTag, best, bestWord, bestGeneration, bestTag, bestTime,
        distance, bestDistance, round;
    bool isPinned;
    for (round : 1 .. ROUNDS) {
        select(asked : 0 .. FRAMES - 1);
again:  /* SlotTable.pinBest: one pass over the slots */
        limit = published;
        best = NONE;
        for (slot : 0 .. SLOTS - 1) {
            loadCandidate();
            if
            :: IS_PUBLISHED(seenWord) && seenTag < limit ->
                d_step {
                    if
                    :: seenTime > asked -> distance = seenTime - asked
                    :: else -> distance = asked - seenTime
                    fi;
                    if
                    :: best == NONE || distance < bestDistance ->
                        best = slot; bestWord = seenWord; bestGeneration = GENERATION(seenWord); bestTag = seenTag;
                        bestTime = seenTime; bestDistance = distance
                    :: else
                    fi;
                    distance = 0
                }
            :: else
            fi
        }
        if
        :: best == NONE -> skip
        :: else ->
            pinBest();
            if
            :: isPinned ->
                assert(bestTime == bestTag);
                readBytes();
                if
                :: unpin()
                :: true ->
end_holding:        false   /* never releases: the producer must do without this slot */
                fi
            :: else -> goto again
            fi
        fi;
        atomic {
            seenWord = 0; seenTime = 0; seenTag = 0;
            bestWord = 0; bestTag = 0; bestTime = 0; bestGeneration = 0; bestDistance = 0
        }
    }
}
#endif

#if FOLLOWERS > 0
/* FrameSubscription.next, repeated until the end. */
active [FOLLOWERS] proctype follower() {
    byte nextCounter = 0, missed = 0, delivered = 0, limit, slot, seenWord, seenTime, seenTag, best, bestWord,
        bestGeneration, bestTag;
    bool isPinned;
    do
    :: /* SlotTable.follow: the limit first, then one pass for the oldest frame from nextCounter on */
#ifdef WRONG_NO_LIMIT
        limit = 255;
#else
        limit = published;
#endif
        best = NONE;
        for (slot : 0 .. SLOTS - 1) {
            loadCandidate();
            if
            :: IS_PUBLISHED(seenWord) && seenTag < limit && seenTag >= nextCounter ->
                if
                :: best == NONE || seenTag < bestTag ->
                    d_step {
                        best = slot; bestWord = seenWord; bestGeneration = GENERATION(seenWord); bestTag = seenTag
                    }
                :: else
                fi
            :: else
            fi
        }
        if
        :: best == NONE ->
#ifndef WRONG_NO_LIMIT
            d_step {
                /* nothing(below: limit): all frames below the limit have left for good */
                for (slot : 0 .. SLOTS - 1) {
                    assert(!IS_PUBLISHED(word[slot]) || tag[slot] < nextCounter || tag[slot] >= limit)
                }
                missed = missed + limit - nextCounter;
                nextCounter = limit
            }
#endif
            /* FrameRing.wait(forCounter:): sleeps until a newer frame or the end, then checks the count again */
            (published > nextCounter || ended);
            if :: published > nextCounter -> skip :: else -> break fi
        :: else ->
            pinBest();
            if
            :: isPinned ->
                d_step {
                    /* In order and never twice; and the frames that are skipped are no longer there. */
                    assert(firstHalf[best] >= nextCounter);
                    for (slot : 0 .. SLOTS - 1) {
                        assert(slot == best || !IS_PUBLISHED(word[slot]) || tag[slot] < nextCounter
                            || tag[slot] > bestTag)
                    }
#ifdef WRONG_FOLLOW_STANDS_STILL
                    missed = 0
#else
                    missed = missed + bestTag - nextCounter;
                    nextCounter = bestTag + 1
#endif
                    ;
                    delivered++;
                    assert(delivered + missed == nextCounter)
                }
                readBytes();
                unpin()
            :: else
            fi
        fi;
        atomic { seenWord = 0; seenTime = 0; seenTag = 0; bestWord = 0; bestTag = 0; bestGeneration = 0 }
    od;
    assert(nextCounter == published)
}
#endif

#ifdef CHECK_NEVER_BLOCKED
/* Whatever the readers do or fail to do, the producer can always take its next step. */
never {
    do
    :: !isDone && producerId == 0 && !enabled(0) -> break
    :: else
    od
}
#endif
