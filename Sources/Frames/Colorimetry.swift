// SPDX-License-Identifier: MIT
// How the numbers of a frame stand for colours: range, matrix, transfer and primaries, as drivers declare them.

/// How a frame's samples stand for colours; it travels with every frame.
public struct Colorimetry: Hashable, Sendable {
    /// Which sample values stand for black and white.
    public enum Range: UInt8, Sendable, CaseIterable {
        /// Y' from 16 to 235, chroma from 16 to 240 (RGB from 16 to 235).
        case limited = 1
        /// All values from 0 to 255.
        case full = 2
    }

    /// How Y'CbCr was made from R'G'B'.
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
        /// BT.2020 with constant luminance: Y' is made in linear light.
        case bt2020ConstantLuminance = 7
        case smpte240m = 8
    }

    /// How R'G'B' was made from linear light.
    public enum Transfer: UInt8, Sendable, CaseIterable {
        case bt709 = 1
        case sRGB = 2
        case opRGB = 3
        case smpte240m = 4
        case linear = 5
        case dciP3 = 6
        case smpte2084 = 7
    }

    /// Which red, green and blue the components speak of.
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
    /// How Y'CbCr was made from R'G'B'.
    public var matrix: Matrix
    /// How R'G'B' was made from linear light.
    public var transfer: Transfer
    /// Which red, green and blue the components speak of.
    public var primaries: Primaries

    /// A colorimetry with each of its four parts given.
    public init(range: Range, matrix: Matrix, transfer: Transfer = .sRGB, primaries: Primaries = .bt709) {
        self.range = range
        self.matrix = matrix
        self.transfer = transfer
        self.primaries = primaries
    }

    /// What uncompressed webcam formats mostly are: limited-range BT.601.
    public static let webcam = Colorimetry(range: .limited, matrix: .bt601)
    /// What JPEG is: full-range BT.601.
    public static let jpeg = Colorimetry(range: .full, matrix: .bt601)
    /// Computer graphics: full-range R'G'B'.
    public static let sRGB = Colorimetry(range: .full, matrix: .identity)
    /// What grey sensors (mostly infrared) deliver: all values from 0 to 255.
    public static let grey = Colorimetry(range: .full, matrix: .identity)
}
