// SPDX-License-Identifier: MIT
// Frames as a developer gets them.

import Frames
import FusionKernels

/// A frame with the work done that every photo of it shares.
struct ReadFrame {
    enum Content {
        case prepared(FusionFrame)
        /// As it came; and why it could not be prepared, if it was to be.
        case bytes([UInt8], reason: String?)
        /// It cannot be used.
        case unusable(reason: String)
    }

    let metadata: FrameMetadata
    let content: Content
}

/// A neighbour that is prepared only when none of a photo's own frames can be used.
struct SpareFrame {
    let metadata: FrameMetadata
    let prepare: (_ times: inout [(name: String, time: TimeSpan)]) throws(UnusableFrame) -> FusionFrame
}

/// What goes on while a photo is made, for whoever has it made.
struct DevelopmentWatch {
    /// Its frames are needed no longer.
    var fused: () -> Void = {}
    /// Whether it is given up; asked between the parts of the work.
    var isCancelled: () -> Bool = { false }
    /// A part of the work took from then to then.
    var trace: (_ name: String, _ from: Timestamp, _ to: Timestamp) -> Void = { _, _, _ in }
}
