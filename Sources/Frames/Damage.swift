// SPDX-License-Identifier: MIT
// Why a frame is no picture.

/// Why a frame is damaged.
public enum Damage: UInt8, Sendable, CaseIterable {
    case none = 0
    /// The driver said so.
    case driverFlag = 1
    /// Fewer bytes than the format has.
    case short = 2
    /// A JPEG that does not begin with a start-of-image marker.
    case jpegNoStart = 3
    /// A JPEG without an end-of-image marker near its end.
    case jpegNoEnd = 4
    /// A JPEG too small for its picture, or whose own size is not the stream's.
    case jpegSize = 5
    /// A recording's checksum does not match.
    case checksum = 6
    /// More bytes than a frame's place in memory holds.
    case oversize = 7

    /// The reason's name in lists and JSON, never to change.
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
        }
    }
}
