// SPDX-License-Identifier: MIT
// Reads frames of `livecap share` where they lie, and prints of each its number, time, size and mean byte.
// Build: cc -o reader reader.c (once `make install` has put livecap-share.h in place). Usage: reader [SOCKET [COUNT]]

#include <livecap-share.h>

int main(int count, char **words) {
    struct livecap_share share;
    struct livecap_frame frame;
    uint64_t next = 0;
    long left = count > 2 ? atol(words[2]) : -1;
    int result = livecap_share_open(&share, count > 1 ? words[1] : NULL);
    if (result < 0) {
        fprintf(stderr, "reader: no frames to read: %s; is livecap share running?\n", strerror(-result));
        return 1;
    }
    while (left != 0) {
        if (livecap_share_wait(&share, next, -1) < 0) {
            // The next ring begins with frame 0 again. There is none if livecap has ended.
            next = 0;
            if (livecap_share_next_ring(&share) < 0) break;
            continue;
        }
        if (livecap_share_next(&share, next, &frame) < 0) continue;
        next = frame.record.counter + 1;
        uint64_t sum = 0;
        for (uint64_t index = 0; index < frame.record.byte_count; index++) sum += frame.bytes[index];
        // livecap waits for nobody: what was read counts only if the frame is still there.
        if (!livecap_share_is_intact(&frame)) {
            fprintf(stderr, "reader: frame %llu was overwritten\n", (unsigned long long)frame.record.counter);
            // Too slow: the oldest frames are the next to go.
            next = livecap_share_next_counter(&share);
            continue;
        }
        printf("%llu %lld %llu %.2f\n", (unsigned long long)frame.record.counter, (long long)frame.record.time_ns,
               (unsigned long long)frame.record.byte_count, (double)sum / (double)frame.record.byte_count);
        fflush(stdout);
        left--;
    }
    livecap_share_close(&share);
    return 0;
}
