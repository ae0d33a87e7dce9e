// SPDX-License-Identifier: MIT
// Reads the frames that `livecap share` offers: the layout of a shared ring, and a client that needs nothing else.
//
// A ring is one sealed memory file, whose read-only descriptor comes over a Unix socket. It begins with a header and a
// table of slots; frames follow. Readers map it and look, without a lock, a lease or a copy. livecap never waits for
// them, so a frame can be overwritten while it is read: use its bytes where they are, then ask whether the frame is
// still intact, and otherwise discard what was made of it. A frame lasts as long as the ring's history (`--ring`).
//
//     struct livecap_share share;
//     struct livecap_frame frame;
//     uint64_t next = 0;
//     if (livecap_share_open(&share, NULL) < 0) ...
//     while (livecap_share_wait(&share, next, 1000) > 0) {
//         if (livecap_share_next(&share, next, &frame) < 0) continue;
//         next = frame.record.counter + 1;
//         use(frame.bytes, frame.record.byte_count);
//         if (livecap_share_is_intact(&frame)) continue;
//         discard();
//         next = livecap_share_next_counter(&share);      // too slow: the oldest frames are the next to go
//     }
//     livecap_share_close(&share);
//
// For GNU C (-std=gnu11) and C++ on Linux. Numbers have the machine's byte order. A `struct livecap_share` belongs to
// one thread at a time.

#ifndef LIVECAP_SHARE_H
#define LIVECAP_SHARE_H

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

// MARK: The layout

/// The version of the layout and of the socket's messages. Both change only with it, except that reserved bytes, which
/// are zero, may come into use.
#define LIVECAP_SHARE_VERSION 1u

/// The first eight bytes of a ring's file and of each message, with the terminating zero.
#define LIVECAP_SHARE_MAGIC "livecap"

/// What is known of a frame.
struct livecap_record {
    /// Counts frames from 0, through all epochs.
    uint64_t counter;
    /// When the frame was taken, in nanoseconds on the ring's clock.
    int64_t time_ns;
    /// How far off that may be.
    int64_t uncertainty_ns;
    /// Where the frame begins in the file.
    uint64_t offset;
    /// Its size.
    uint64_t byte_count;
    /// Counts restarts of the stream: frames of different epochs are comparable by counter and time alone.
    uint32_t epoch;
    /// The driver's own number.
    uint32_t sequence;
    /// The number of frames lost right before this one, as far as is known.
    uint32_t lost_before;
    /// LIVECAP_FRAME_...
    uint16_t flags;
    /// Why the frame is damaged; 0 if it is not.
    uint8_t damage;
    /// What the time marks. 0: the start of exposure; 1: the end of the frame; 2: when it was taken from the driver;
    /// 3: the time in a file; 4: the exact time of a scene.
    uint8_t time_source;
};

#define LIVECAP_FRAME_DAMAGED (1u << 0)             /* not a complete picture */
#define LIVECAP_FRAME_GAP_BEFORE (1u << 1)          /* frames were lost right before it */
#define LIVECAP_FRAME_DISTRUSTED_TIME (1u << 2)     /* the driver's time was replaced */
#define LIVECAP_FRAME_FIRST_OF_EPOCH (1u << 3)      /* the stream was restarted */
#define LIVECAP_FRAME_NO_HUFFMAN_TABLES (1u << 4)   /* a JPEG to decode with the standard tables */

/// A slot. Its record and the frame's bytes are valid if `generation` is even and was the same before and after they
/// were read. It is odd while the slot is empty or being written.
struct livecap_slot {
    uint64_t generation;
    struct livecap_record record;
    uint64_t reserved[8];
};

/// The beginning of the file.
struct livecap_header {
    char magic[8];
    uint32_t version;
    /// Where the slots begin, how far apart they lie, and how many there are.
    uint32_t slots_offset;
    uint32_t slot_stride;
    uint32_t slot_count;
    /// The size of the file.
    uint64_t file_bytes;
    /// The pixel format as V4L2's four-character code, the first character in the lowest byte.
    uint32_t pixel_format;
    uint32_t width;
    uint32_t height;
    /// Bytes from one row of the first plane to the next; 0 for compressed formats.
    uint32_t bytes_per_line;
    /// The size of the largest frame; for uncompressed formats, of every one.
    uint64_t frame_bytes;
    /// Frames per second, as a fraction; 0/0 if unknown.
    uint32_t rate_numerator;
    uint32_t rate_denominator;
    /// 0: times are on this machine's CLOCK_MONOTONIC; 1: on the clock of the recording or scene that is played.
    uint32_t clock;
    /// How samples map to colours. Primaries: 1 BT.709, 2 SMPTE 170M, 3 BT.470 M, 4 BT.470 BG, 5 SMPTE 240M, 6 opRGB,
    /// 7 BT.2020, 8 DCI-P3. Transfer and matrix are V4L2's numbers (xfer_func, ycbcr_enc; matrix 0: R'G'B' or grey).
    /// Range: 1 limited, 2 full.
    uint8_t primaries;
    uint8_t transfer;
    uint8_t matrix;
    uint8_t range;
    /// The camera's name in UTF-8, with a terminating zero.
    char name[128];
    /// How the camera is mounted, if the user has said so: a picture is upright once it is mirrored left to right, if
    /// `mirrored` is 1, and then turned clockwise by `rotation` degrees (0, 90, 180 or 270). Frames are neither.
    uint16_t rotation;
    uint16_t mirrored;
    uint32_t reserved1[13];

    /// All frames with counters below this one have been published.
    uint64_t next_counter;
    uint64_t reserved2[15];

    /// A futex to sleep on: changes after each frame and at the end.
    uint32_t wake;
    /// 1 once no more frames will come.
    uint32_t ended;
    uint64_t reserved3[15];

    /// The camera's id, as `livecap devices` lists it, in UTF-8 with a terminating zero. It changes with `name` when
    /// another camera takes over. Not part of a ring whose `slots_offset` leaves no room for it.
    char identity[256];
};

/// A message of the socket, from livecap to the reader; the reader sends nothing.
struct livecap_message {
    char magic[8];
    uint32_t version;
    /// LIVECAP_SHARE_...
    uint32_t kind;
};

#define LIVECAP_SHARE_RING 1u      /* a ring, with its descriptor; it replaces the one before */
#define LIVECAP_SHARE_REFUSED 2u   /* another user's ring; the connection ends */
#define LIVECAP_SHARE_FULL 3u      /* there are too many readers; the connection ends */

// MARK: The client

/// A connection and the ring that came over it.
struct livecap_share {
    int socket;
    const struct livecap_header *header;
    const uint8_t *base;
    uint64_t size;
    /// Copied from the header and checked once, so that no later change of the file has an effect.
    uint32_t slots_offset;
    uint32_t slot_stride;
    uint32_t slot_count;
};

/// A frame as found in the ring.
struct livecap_frame {
    const struct livecap_slot *slot;
    uint64_t generation;
    struct livecap_record record;
    const uint8_t *bytes;
};

static inline void livecap_share_unmap(struct livecap_share *share) {
    if (share->base) munmap((void *)(uintptr_t)share->base, share->size);
    share->base = NULL;
    share->header = NULL;
}

/// Ends the connection. Frames are no longer accessible.
static inline void livecap_share_close(struct livecap_share *share) {
    livecap_share_unmap(share);
    if (share->socket >= 0) close(share->socket);
    share->socket = -1;
}

/// Uses `size` mapped bytes as a ring. -EPROTO if they are none, or one of another version.
static inline int livecap_share_adopt(struct livecap_share *share, const void *base, uint64_t size) {
    const struct livecap_header *header = (const struct livecap_header *)base;
    if (size < sizeof *header || memcmp(header->magic, LIVECAP_SHARE_MAGIC, 8) != 0) return -EPROTO;
    uint32_t offset = header->slots_offset, stride = header->slot_stride, count = header->slot_count;
    if (header->version != LIVECAP_SHARE_VERSION || stride < sizeof(struct livecap_slot)) return -EPROTO;
    if (offset % 8 != 0 || stride % 8 != 0 || offset > size || (uint64_t)stride * count > size - offset) return -EPROTO;
    share->header = header;
    share->base = (const uint8_t *)base;
    share->size = size;
    share->slots_offset = offset;
    share->slot_stride = stride;
    share->slot_count = count;
    return 0;
}

/// Maps a ring's file. -EPROTO if it is none, or could shrink while it is mapped, which would kill the reader.
static inline int livecap_share_map(struct livecap_share *share, int file) {
    struct stat status;
    int seals = fcntl(file, 1034 /* F_GET_SEALS */);
    if (seals < 0 || !(seals & 2 /* F_SEAL_SHRINK */)) return -EPROTO;
    if (fstat(file, &status) < 0 || status.st_size <= 0) return -EPROTO;
    void *base = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, file, 0);
    if (base == MAP_FAILED) return -errno;
    int result = livecap_share_adopt(share, base, (uint64_t)status.st_size);
    if (result < 0) munmap(base, (size_t)status.st_size);
    return result;
}

/// Waits for the next ring, and replaces the one there is. The first comes at once; others when the format changes.
/// -EPIPE if livecap has ended, -EACCES if it belongs to another user, -EUSERS if it has too many readers.
static inline int livecap_share_next_ring(struct livecap_share *share) {
    struct livecap_message message;
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr aligned;
    } control;
    struct iovec vector = {&message, sizeof message};
    struct msghdr header;
    memset(&header, 0, sizeof header);
    header.msg_iov = &vector;
    header.msg_iovlen = 1;
    header.msg_control = &control;
    header.msg_controllen = sizeof control;
    ssize_t count;
    do count = recvmsg(share->socket, &header, MSG_CMSG_CLOEXEC | MSG_WAITALL);
    while (count < 0 && errno == EINTR);
    if (count < 0) return -errno;
    int file = -1;
    struct cmsghdr *attached = CMSG_FIRSTHDR(&header);
    if (attached && attached->cmsg_level == SOL_SOCKET && attached->cmsg_type == SCM_RIGHTS)
        memcpy(&file, CMSG_DATA(attached), sizeof file);
    int result = -EPROTO;
    if (count == 0) {
        result = -EPIPE;
    } else if (count == sizeof message && memcmp(message.magic, LIVECAP_SHARE_MAGIC, 8) == 0) {
        if (message.kind == LIVECAP_SHARE_REFUSED) result = -EACCES;
        if (message.kind == LIVECAP_SHARE_FULL) result = -EUSERS;
        if (message.kind == LIVECAP_SHARE_RING && file >= 0) {
            livecap_share_unmap(share);
            result = livecap_share_map(share, file);
        }
    }
    if (file >= 0) close(file);
    return result;
}

/// Connects to the socket at `path`. 0 or -errno.
static inline int livecap_share_connect(struct livecap_share *share, const char *path) {
    struct sockaddr_un address;
    memset(&address, 0, sizeof address);
    if (strlen(path) >= sizeof address.sun_path) return -ENAMETOOLONG;
    address.sun_family = AF_UNIX;
    strcpy(address.sun_path, path);
    share->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (share->socket < 0) return -errno;
    if (connect(share->socket, (const struct sockaddr *)&address, sizeof address) == 0) return 0;
    int result = -errno;
    livecap_share_close(share);
    return result;
}

/// Connects, and maps the ring. `path` is the socket's, or NULL for the usual one: livecap/share.sock in
/// $XDG_RUNTIME_DIR or /run/user/UID, or else /tmp/livecap-UID/share.sock. 0, or -errno as above, and of connect(2).
static inline int livecap_share_open(struct livecap_share *share, const char *path) {
    memset(share, 0, sizeof *share);
    share->socket = -1;
    int result = -ENOENT;
    if (path) {
        result = livecap_share_connect(share, path);
    } else {
        const char *runtime = getenv("XDG_RUNTIME_DIR");
        for (int place = 0; place < 3 && result < 0; place++) {
            char usual[128];
            unsigned user = geteuid();
            int count = place == 0 ? snprintf(usual, sizeof usual, "%s/livecap/share.sock", runtime ? runtime : "")
                      : place == 1 ? snprintf(usual, sizeof usual, "/run/user/%u/livecap/share.sock", user)
                                   : snprintf(usual, sizeof usual, "/tmp/livecap-%u/share.sock", user);
            if (count > 0 && count < (int)sizeof usual) result = livecap_share_connect(share, usual);
        }
        // Anybody could have made a folder in /tmp.
        struct { int32_t pid; uint32_t uid, gid; } peer;
        socklen_t length = sizeof peer;
        if (result == 0 && (getsockopt(share->socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0
                            || (peer.uid != geteuid() && peer.uid != 0))) result = -EACCES;
    }
    if (result == 0) result = livecap_share_next_ring(share);
    if (result < 0) livecap_share_close(share);
    return result;
}

/// The counter of the next frame: all frames below it have been published.
static inline uint64_t livecap_share_next_counter(const struct livecap_share *share) {
    // Pairs with the release in livecap_share_publish: every frame below the counter can be found.
    return __atomic_load_n(&share->header->next_counter, __ATOMIC_ACQUIRE);
}

/// Whether the frame has not been overwritten: everything read of it so far is right.
static inline int livecap_share_is_intact(const struct livecap_frame *frame) {
    // What was read is read before the generation. Pairs with the fence in livecap_share_withdraw.
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return __atomic_load_n(&frame->slot->generation, __ATOMIC_RELAXED) == frame->generation;
}

/// The oldest frame from counter `from` on, or with `newest` the newest one. 0, or -EAGAIN if there is none.
static inline int livecap_share_find(
    const struct livecap_share *share, uint64_t from, int newest, struct livecap_frame *found) {
    // Read first: a frame below the limit that is not found is gone.
    uint64_t limit = livecap_share_next_counter(share);
    int result = -EAGAIN;
    for (uint32_t index = 0; index < share->slot_count; index++) {
        struct livecap_frame frame;
        frame.slot = (const struct livecap_slot *)(const void *)(
            share->base + share->slots_offset + (uint64_t)share->slot_stride * index);
        // Pairs with the release in livecap_share_publish: record and bytes are complete.
        frame.generation = __atomic_load_n(&frame.slot->generation, __ATOMIC_ACQUIRE);
        frame.record = frame.slot->record;
        if (frame.generation & 1 || !livecap_share_is_intact(&frame)) continue;
        const struct livecap_record *record = &frame.record;
        if (record->counter < from || record->counter >= limit) continue;
        if (record->offset > share->size || record->byte_count > share->size - record->offset) continue;
        if (result == 0 && (record->counter > found->record.counter) != (newest != 0)) continue;
        frame.bytes = share->base + record->offset;
        *found = frame;
        result = 0;
    }
    return result;
}

/// The oldest frame from counter `from` on that is still there. 0, or -EAGAIN if there is none.
static inline int livecap_share_next(const struct livecap_share *share, uint64_t from, struct livecap_frame *frame) {
    return livecap_share_find(share, from, 0, frame);
}

/// The newest frame. 0, or -EAGAIN if there is none.
static inline int livecap_share_newest(const struct livecap_share *share, struct livecap_frame *frame) {
    return livecap_share_find(share, 0, 1, frame);
}

/// Sleeps until a frame with this counter or a later one has been published. 1 when it has, 0 after `milliseconds`
/// (-1: no limit), -EPIPE if this ring gets no more frames: livecap has ended or has another ring, for which
/// livecap_share_next_ring waits.
static inline int livecap_share_wait(const struct livecap_share *share, uint64_t counter, int milliseconds) {
    // livecap may be killed and wake nobody; the socket tells.
    const int64_t look = 200000000;
    struct timespec now, nap;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t end = now.tv_sec * 1000000000 + now.tv_nsec + milliseconds * (int64_t)1000000;
    for (;;) {
        // Read before the counter: a frame that comes in between changes it, and then the kernel does not put us to
        // sleep.
        uint32_t seen = __atomic_load_n(&share->header->wake, __ATOMIC_ACQUIRE);
        int has_ended = __atomic_load_n(&share->header->ended, __ATOMIC_ACQUIRE) != 0;
        if (livecap_share_next_counter(share) > counter) return 1;
        if (has_ended) return -EPIPE;
        clock_gettime(CLOCK_MONOTONIC, &now);
        int64_t left = milliseconds < 0 ? look : end - (now.tv_sec * 1000000000 + now.tv_nsec);
        if (left <= 0) return 0;
        nap.tv_sec = 0;
        nap.tv_nsec = left < look ? left : look;
        if (syscall(SYS_futex, &share->header->wake, FUTEX_WAIT, seen, &nap, NULL, 0) < 0 && errno == ETIMEDOUT) {
            struct pollfd state = {share->socket, POLLIN, 0};
            if (share->socket >= 0 && poll(&state, 1, 0) > 0 && livecap_share_next_counter(share) <= counter)
                return -EPIPE;
        }
    }
}

#ifdef __cplusplus
}
#endif

#endif
