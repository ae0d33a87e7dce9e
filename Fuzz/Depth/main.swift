// SPDX-License-Identifier: MIT
// Fuzzes depth maps in picture files: GDepth in XMP and its parts, chunks of PNG, boxes of HEIC, and adding to them.

import FuzzSupport
import LivecapFrames
import LivecapStills

/// Small, so that no time goes into encoding it.
let small = DepthMap(size: FrameSize(width: 2, height: 1), samples: [0, 1000])

fuzz { bytes, count in
    let file = Array(UnsafeBufferPointer(start: bytes, count: count))
    if let depth = PhotoDepth(file) {
        // A file of a few bytes may claim a large map, whose memory is the caller's limit. HEVC is left to libheif.
        if depth.form != .auxiliary, depth.size.map({ $0.area < 1 << 20 }) ?? true {
            if let map = try? depth.map(of: file) {
                precondition(map.samples.count == map.size.area && map.metresPerCount > 0, "a map without samples")
            }
        }
    }
    if file.first == 0xFF, let more = try? PhotoDepth.added(small, to: file) {
        guard let depth = PhotoDepth(more), let map = try? depth.map(of: more) else {
            preconditionFailure("a map that is lost when it is added")
        }
        precondition(map == small, "a map that changes when it is added")
    }
    // Boxes are written anew; what was read from them must be there again.
    precondition(PhotoDepth.keepsItems(of: file), "items that are lost when one is added")
    return 0
}
