// SPDX-License-Identifier: MIT
// How sample values map to colours: range, matrix, transfer and primaries, as declared by drivers.

/// How a frame's samples map to colours. Every frame carries one.
public struct Colorimetry: Hashable, Codable, Sendable {
    /// Which sample values stand for black and white.
    public enum Range: UInt8, Sendable, CaseIterable {
        /// Y' from 16 to 235, chroma from 16 to 240 (RGB from 16 to 235).
        case limited = 1
        /// All values from 0 to 255.
        case full = 2
    }

    /// How Y'CbCr was computed from R'G'B'.
    public enum Matrix: UInt8, Sendable, CaseIterable {
        /// The samples are R'G'B' already, or grey.
        case identity = 0
        case bt601 = 1
        case bt709 = 2
        /// BT.601 with the extended gamut of xvYCC; always limited.
        case xv601 = 3
        /// BT.709 with the extended gamut of xvYCC; always limited.
        case xv709 = 4
        case bt2020 = 6
        /// BT.2020 with constant luminance: Y' is computed in linear light.
        case bt2020ConstantLuminance = 7
        case smpte240m = 8
    }

    /// How R'G'B' was computed from linear light.
    public enum Transfer: UInt8, Sendable, CaseIterable {
        case bt709 = 1
        case sRGB = 2
        case opRGB = 3
        case smpte240m = 4
        case linear = 5
        case dciP3 = 6
        case smpte2084 = 7
    }

    /// The chromaticities of red, green and blue.
    public enum Primaries: UInt8, Sendable, CaseIterable {
        case bt709 = 1
        case smpte170m = 2
        case ebu470M = 3
        case ebu470BG = 4
        case smpte240m = 5
        case opRGB = 6
        case bt2020 = 7
        case dciP3 = 8
    }

    /// Which sample values stand for black and white.
    public var range: Range
    /// How Y'CbCr was computed from R'G'B'.
    public var matrix: Matrix
    /// How R'G'B' was computed from linear light.
    public var transfer: Transfer
    /// The chromaticities of red, green and blue.
    public var primaries: Primaries

    /// Creates a colorimetry from its four parts.
    public init(range: Range, matrix: Matrix, transfer: Transfer = .sRGB, primaries: Primaries = .bt709) {
        self.range = range
        self.matrix = matrix
        self.transfer = transfer
        self.primaries = primaries
    }

    /// Limited-range BT.601, used by most uncompressed webcam formats.
    public static let webcam = Colorimetry(range: .limited, matrix: .bt601)
    /// Full-range BT.601, used by JPEG.
    public static let jpeg = Colorimetry(range: .full, matrix: .bt601)
    /// Computer graphics: full-range R'G'B'.
    public static let sRGB = Colorimetry(range: .full, matrix: .identity)
    /// Full-range grey, delivered by grey (mostly infrared) sensors.
    public static let grey = Colorimetry(range: .full, matrix: .identity)
}
