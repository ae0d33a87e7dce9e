// SPDX-License-Identifier: MIT
// Reads frames of `livecap share` where they lie, and prints of each its number, time, size and mean byte.
// Run: swift run share-reader [SOCKET [COUNT]]

import Foundation
import LivecapCShare

let words = CommandLine.arguments
var left = words.count > 2 ? Int(words[2]) ?? 0 : -1
var share = livecap_share()
let result = livecap_share_open(&share, words.count > 1 ? words[1] : nil)
guard result == 0 else {
    print("share-reader: \(String(cString: strerror(-result)))")
    exit(1)
}
var next: UInt64 = 0
var frame = livecap_frame()
while left != 0 {
    if livecap_share_wait(&share, next, -1) < 0 {
        // The next ring begins with frame 0 again. There is none if livecap has ended.
        next = 0
        if livecap_share_next_ring(&share) < 0 { break }
        continue
    }
    guard livecap_share_next(&share, next, &frame) == 0 else { continue }
    next = frame.record.counter + 1
    let bytes = UnsafeBufferPointer(start: frame.bytes, count: Int(frame.record.byte_count))
    let sum = bytes.reduce(0 as UInt64) { $0 &+ UInt64($1) }
    // livecap waits for nobody: what was read counts only if the frame is still there.
    guard livecap_share_is_intact(&frame) != 0 else {
        FileHandle.standardError.write(Data("share-reader: frame \(next - 1) was overwritten\n".utf8))
        // Too slow: the oldest frames are the next to go.
        next = livecap_share_next_counter(&share)
        continue
    }
    let mean = String(format: "%.2f", Double(sum) / Double(bytes.count))
    print(frame.record.counter, frame.record.time_ns, bytes.count, mean)
    fflush(nil)
    left -= 1
}
livecap_share_close(&share)
