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
        /// BT.601: standard definition, and nearly all webcams.
        case bt601 = 1
        /// BT.709: high definition.
        case bt709 = 2
        /// BT.601 with the extended gamut of xvYCC; always limited.
        case xv601 = 3
        /// BT.709 with the extended gamut of xvYCC; always limited.
        case xv709 = 4
        /// BT.2020: ultra-high definition, with Y' computed from R'G'B'.
        case bt2020 = 6
        /// BT.2020 with constant luminance: Y' is computed in linear light.
        case bt2020ConstantLuminance = 7
        /// SMPTE 240M: early high definition.
        case smpte240m = 8
    }

    /// How R'G'B' was computed from linear light.
    public enum Transfer: UInt8, Sendable, CaseIterable {
        /// BT.709, which BT.601 shares.
        case bt709 = 1
        /// sRGB, as displays expect it.
        case sRGB = 2
        /// opRGB, also known as Adobe RGB: a power of about 2.2.
        case opRGB = 3
        /// SMPTE 240M: early high definition.
        case smpte240m = 4
        /// None: the samples are linear light.
        case linear = 5
        /// DCI-P3, for cinema: a power of 2.6.
        case dciP3 = 6
        /// SMPTE 2084, the perceptual quantizer (PQ) of high dynamic range.
        case smpte2084 = 7
    }

    /// The chromaticities of red, green and blue.
    public enum Primaries: UInt8, Sendable, CaseIterable {
        /// BT.709, which sRGB shares.
        case bt709 = 1
        /// SMPTE 170M: 525-line television.
        case smpte170m = 2
        /// BT.470 System M: NTSC of 1953.
        case ebu470M = 3
        /// BT.470 System B/G: 625-line television.
        case ebu470BG = 4
        /// SMPTE 240M: early high definition; the same as SMPTE 170M.
        case smpte240m = 5
        /// opRGB, also known as Adobe RGB.
        case opRGB = 6
        /// BT.2020: ultra-high definition.
        case bt2020 = 7
        /// DCI-P3: cinema.
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
