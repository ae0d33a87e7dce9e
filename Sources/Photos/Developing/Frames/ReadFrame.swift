// SPDX-License-Identifier: MIT
// Frames in the form a developer takes them.

import Fusion
import LivecapFrames

/// A frame after the work that every photo of it shares.
package struct ReadFrame {
    package enum Content {
        case prepared(FusionFrame)
        /// The bytes as delivered, known to decode; and why they could not be prepared, if they were to be.
        case bytes([UInt8], reason: String?)
        /// The frame cannot be used.
        case unusable(reason: String)
    }

    package let metadata: FrameMetadata
    package let content: Content

    package init(metadata: FrameMetadata, content: Content) { (self.metadata, self.content) = (metadata, content) }

    /// Whether the frame is in the form asked for.
    var isUsable: Bool {
        switch content {
        case .prepared, .bytes(_, nil): true
        case .bytes, .unusable: false
        }
    }

    /// Why it is not; nil if it is.
    var flaw: String? {
        switch content {
        case .prepared: nil
        case .bytes(_, let reason): reason
        case .unusable(let reason): reason
        }
    }
}

extension Developer {
    /// Reads a frame into the form asked for, or, if it cannot be prepared, as the bytes delivered. JPEG bytes are
    /// decoded in either case, so that a frame that does not decode never becomes a picture.
    package func content(
        _ bytes: RawSpan, form: FrameForm, shape: FrameShape?, into memory: FusionFrame? = nil,
        times: inout [(name: String, time: Duration)]
    ) -> ReadFrame.Content {
        var reason: String?
        if form == .prepared {
            do throws(UnusableFrame) {
                return .prepared(try prepare(bytes, shape: shape, memory: memory, times: &times))
            } catch {
                reason = error.reason
            }
        }
        if source.format.pixelFormat.isJPEG {
            let begun = Timestamp.now
            if let flaw = reader.flaw(in: bytes, source.format.size) { return .unusable(reason: flaw) }
            if form == .bytes { times.append(("decode", .now - begun)) }
        }
        return .bytes(bytes.withUnsafeBytes { Array($0) }, reason: reason)
    }
}
