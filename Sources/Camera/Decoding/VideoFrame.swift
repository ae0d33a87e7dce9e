// SPDX-License-Identifier: MIT
// What has to be known of a frame of compressed video before it is decoded: whether it needs others.

import LivecapFrames

/// The beginning of a frame in the byte stream of ITU-T H.264 or H.265, Annex B: units between start codes.
enum VideoFrame: Hashable {
    /// No picture, but other units, such as parameters.
    case noPicture
    /// A picture that builds on earlier ones.
    case dependent
    /// A picture that needs no other: decoding can begin with it.
    case key
    /// Bytes without any unit.
    case garbage

    /// Reads the units up to the first of a picture. Accepts any bytes, and allocates nothing.
    init(_ bytes: UnsafeRawBufferPointer, of format: PixelFormat) {
        let isHEVC = format == .hevc
        self = .garbage
        var zeros = 0
        for place in 0..<max(0, bytes.count - 1) {
            let byte = bytes[place]
            guard byte == 1, zeros >= 2 else {
                zeros = byte == 0 ? zeros + 1 : 0
                continue
            }
            zeros = 0
            switch isHEVC ? Self.kindOfHEVC(bytes[place + 1]) : Self.kindOfH264(bytes[place + 1]) {
            case .noPicture: self = .noPicture
            case let picture:
                self = picture
                return
            }
        }
    }

    /// By the first byte of a unit.
    private static func kindOfH264(_ header: UInt8) -> VideoFrame {
        switch header & 0x1F {
        case 1, 2: .dependent
        case 5: .key
        default: .noPicture
        }
    }

    /// Pictures of types 16 to 23 need no other. Some of them may be followed by pictures that need earlier ones, and
    /// are shown before them; the decoder leaves those out.
    private static func kindOfHEVC(_ header: UInt8) -> VideoFrame {
        switch header >> 1 & 0x3F {
        case 0..<16: .dependent
        case 16..<24: .key
        default: .noPicture
        }
    }
}

/// Decides which frames of compressed video can be decoded, as losses and damage leave them.
struct KeyFrameWait {
    /// Whether nothing can be decoded before the next key frame.
    private(set) var isWaiting = true

    /// What to do with a frame.
    enum Verdict: Hashable {
        /// Decode it.
        case decode
        /// Decode it, and first forget all pictures: it is the first that can be decoded again.
        case begin
        /// Decode it for its parameters. It gives no picture.
        case takeParameters
        /// Leave it out, for the reason given.
        case leaveOut(Damage)
    }

    /// Judges the next frame.
    mutating func judge(_ frame: FrameMetadata, _ content: VideoFrame) -> Verdict {
        if frame.lostBefore > 0 || frame.flags.contains(.firstOfEpoch) || !frame.isUsable { isWaiting = true }
        guard frame.isUsable else { return .leaveOut(frame.damage == .none ? .driverFlag : frame.damage) }
        switch content {
        case .garbage:
            isWaiting = true
            return .leaveOut(.undecodable)
        case .noPicture: return .takeParameters
        case .dependent: return isWaiting ? .leaveOut(.needsKeyFrame) : .decode
        case .key:
            defer { isWaiting = false }
            return isWaiting ? .begin : .decode
        }
    }

    /// A picture was lost, or is not whole: those that follow build on it.
    mutating func lose() { isWaiting = true }
}
