// SPDX-License-Identifier: MIT
// The reasons a frame can be damaged.

/// Why a frame is damaged.
public enum Damage: UInt8, Sendable, CaseIterable {
    /// The frame is not damaged.
    case none = 0
    /// The driver set its error flag.
    case driverFlag = 1
    /// Fewer bytes than the format requires.
    case short = 2
    /// A JPEG that does not begin with a start-of-image marker.
    case jpegNoStart = 3
    /// A JPEG without an end-of-image marker near its end.
    case jpegNoEnd = 4
    /// A JPEG too small for its picture size, or whose size differs from the stream's.
    case jpegSize = 5
    /// The checksum in a recording does not match.
    case checksum = 6
    /// More bytes than the frame's slot holds.
    case oversize = 7
    /// A frame of compressed video that builds on one which was lost or damaged: the next key frame ends this.
    case needsKeyFrame = 8
    /// A frame of compressed video that could not be decoded, or only in part.
    case undecodable = 9

    /// The reason's name in listings and JSON. These names are stable.
    public var name: String {
        switch self {
        case .none: "none"
        case .driverFlag: "driver-flag"
        case .short: "short"
        case .jpegNoStart: "jpeg-no-start"
        case .jpegNoEnd: "jpeg-no-end"
        case .jpegSize: "jpeg-size"
        case .checksum: "checksum"
        case .oversize: "oversize"
        case .needsKeyFrame: "needs-key-frame"
        case .undecodable: "undecodable"
        }
    }
}
