// SPDX-License-Identifier: MIT
// The writing side of a shared ring. One thread publishes; another one, which may wait, wakes readers.

#ifndef LIVECAP_SHARE_WRITER_H
#define LIVECAP_SHARE_WRITER_H

#include "livecap-share.h"

/// Takes a slot from the readers, before anything of it is overwritten.
static inline void livecap_share_withdraw(struct livecap_slot *slot) {
    uint64_t generation = __atomic_load_n(&slot->generation, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->generation, generation + 1, __ATOMIC_RELAXED);
    // A reader that sees any later write sees the odd generation. Pairs with the fence in livecap_share_is_intact.
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

/// Gives a slot to the readers, whose frame is complete.
static inline void livecap_share_publish(
    struct livecap_header *header, struct livecap_slot *slot, struct livecap_record record) {
    slot->record = record;
    uint64_t generation = __atomic_load_n(&slot->generation, __ATOMIC_RELAXED);
    // Pairs with the acquiring load in livecap_share_find.
    __atomic_store_n(&slot->generation, generation + 1, __ATOMIC_RELEASE);
    // Pairs with the acquiring load in livecap_share_next_counter.
    __atomic_store_n(&header->next_counter, record.counter + 1, __ATOMIC_RELEASE);
}

/// Changes the word that readers sleep on, after a frame that the caller has seen.
static inline void livecap_share_touch(struct livecap_header *header) {
    // Releasing: a reader that sees the change (acquiring, in livecap_share_wait) sees the frame.
    __atomic_fetch_add(&header->wake, 1, __ATOMIC_RELEASE);
}

/// Marks the ring as ended: no more frames will come. To be followed by livecap_share_touch.
static inline void livecap_share_mark_end(struct livecap_header *header) {
    // Pairs with the acquiring load in livecap_share_wait, which reads the counter afterwards.
    __atomic_store_n(&header->ended, 1, __ATOMIC_RELEASE);
}

#endif
