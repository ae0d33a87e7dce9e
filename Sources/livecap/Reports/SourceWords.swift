// SPDX-License-Identifier: MIT
// What is said of a source and its ring.

import Camera
import FrameRing
import LiveCapture
import LivecapFrames

extension GrantedCapacity {
    /// A note that the history is shorter than asked for, why, and what would change that.
    func words(asked: Duration) -> String {
        "note: the history is \(fixed(usualDuration.seconds, 2)) s instead of \(fixed(asked.seconds, 2)) s: \(limit.words)"
    }
}

extension HistoryLimit {
    /// What limits the history, and the option that changes it.
    var words: String {
        switch self {
        case .asked: "a longer --ring keeps more"
        case .memory: "memory is limited; a larger --memory, or a smaller --size, keeps more"
        case .buffers:
            "the driver has no more buffers; --format MJPG, if the camera has it, or a lower --fps keeps more"
        case .slots: "it holds the maximum number of frames; a lower --fps keeps more"
        }
    }
}
