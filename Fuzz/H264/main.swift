// SPDX-License-Identifier: MIT
// Fuzzes what is read of a camera's H.264 frames.

import FuzzSupport
import LivecapMovies

fuzz { bytes, count in
    let frame = UnsafeRawBufferPointer(start: bytes, count: count)
    let head = H264Head(of: frame.bytes)
    // What a movie's header gets are whole units, of both kinds, and they are found in it again.
    if !head.parameters.isEmpty {
        precondition(head.parameters.starts(with: [0, 0, 0, 1]), "a start code comes first")
        let again = H264Head(of: head.parameters.span.bytes)
        precondition(again.picture == .none && again.parameters == head.parameters, "they are units as before")
    }
    // More bytes behind a frame's picture change nothing.
    if head.picture != .none {
        precondition(H264Head(of: (Array(frame) + [0, 0, 1, 0x67, 1, 2, 3]).span.bytes) == head, "it is a beginning")
    }
    return 0
}
