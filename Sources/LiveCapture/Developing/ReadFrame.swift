// SPDX-License-Identifier: MIT
// Frames as a developer gets them.

import Frames
import FusionKernels

/// A frame with the work done that every photo of it shares.
struct ReadFrame {
    enum Content {
        case prepared(FusionFrame)
        /// As it came: it decodes. And why it could not be prepared, if it was to be.
        case bytes([UInt8], reason: String?)
        /// It cannot be used.
        case unusable(reason: String)
    }

    let metadata: FrameMetadata
    let content: Content

    /// Whether it is what was asked for.
    var isUsable: Bool {
        switch content {
        case .prepared, .bytes(_, nil): true
        case .bytes, .unusable: false
        }
    }

    /// Why it is not.
    var flaw: String? {
        switch content {
        case .prepared: nil
        case .bytes(_, let reason): reason
        case .unusable(let reason): reason
        }
    }
}

/// A neighbour that is read only when it may have to stand in for a photo's own frame.
struct SpareFrame {
    let metadata: FrameMetadata
    let read: (_ times: inout [(name: String, time: TimeSpan)]) -> ReadFrame.Content
}

extension Developer {
    /// What comes of a frame's bytes, in the form that is wanted or, where it cannot be prepared, as they came. JPEG bytes are
    /// decoded in either case: what does not decode never becomes a picture.
    func content(
        _ bytes: RawSpan, _ form: FrameForm, _ shape: FrameShape?, into memory: FusionFrame? = nil,
        _ times: inout [(name: String, time: TimeSpan)]
    ) -> ReadFrame.Content {
        var reason: String?
        if form == .prepared {
            do throws(UnusableFrame) { return .prepared(try prepare(bytes, shape, memory, &times)) } catch {
                reason = error.reason
            }
        }
        if source.format.pixelFormat.layout == .jpeg {
            let begun = Timestamp.now
            if let flaw = reader.flaw(in: bytes, source.format.size) { return .unusable(reason: flaw) }
            if form == .bytes { times.append(("decode", .now - begun)) }
        }
        return .bytes(bytes.withUnsafeBytes { Array($0) }, reason: reason)
    }
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
