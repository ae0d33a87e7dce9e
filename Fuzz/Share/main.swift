// SPDX-License-Identifier: MIT
// Fuzzes what readers of `livecap share` believe: a ring's memory, and the socket's messages. Readers send nothing, so
// the server has no input.

import FuzzSupport
import Glibc
import LivecapCShare

fuzz { bytes, count in
    readMessage(bytes, count)
    // Of its exact size, so that a read beyond it is noticed.
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, count), alignment: 16)
    defer { memory.deallocate() }
    if let bytes { memory.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: count)) }
    var share = livecap_share()
    share.socket = -1
    guard livecap_share_adopt(&share, memory.baseAddress, UInt64(count)) == 0 else { return 0 }
    var frame = livecap_frame()
    var sum = 0
    func use(_ result: Int32) {
        guard result == 0, livecap_share_is_intact(&frame) != 0 else { return }
        for byte in UnsafeBufferPointer(start: frame.bytes, count: Int(frame.record.byte_count)) { sum += Int(byte) }
    }
    use(livecap_share_newest(&share, &frame))
    var next: UInt64 = 0
    for _ in 0..<8 where livecap_share_wait(&share, next, 0) > 0 {
        use(livecap_share_next(&share, next, &frame))
        next = frame.record.counter &+ 1
    }
    return 0
}

/// Receives the input as the socket's messages. None of them has a descriptor, so none is a ring.
private func readMessage(_ bytes: UnsafePointer<UInt8>?, _ count: Int) {
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { return }
    write(ends[0], bytes, min(count, 64))
    close(ends[0])
    var share = livecap_share()
    share.socket = ends[1]
    var result: Int32 = -1
    for _ in 0..<8 where result != -EPIPE {
        result = livecap_share_next_ring(&share)
        precondition(result < 0, "a message without a descriptor is no ring")
    }
    livecap_share_close(&share)
}
