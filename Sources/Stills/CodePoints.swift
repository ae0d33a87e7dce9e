// SPDX-License-Identifier: MIT
// The ITU-T H.273 code points of a colorimetry, as used by HEIC and PNG files.

import LivecapFrames

/// A colorimetry as ITU-T H.273 code points.
struct CodePoints: Hashable {
    /// Nil if there is no code point.
    let primaries: UInt8?
    /// Nil if there is no code point.
    let transfer: UInt8?
    /// The matrix for decoding Y'CbCr. If samples declared as R'G'B' are laid out as Y'CbCr, BT.601 is assumed.
    let matrix: UInt8
    let isFullRange: Bool

    init(primaries: UInt8?, transfer: UInt8?, matrix: UInt8, isFullRange: Bool) {
        self.primaries = primaries
        self.transfer = transfer
        self.matrix = matrix
        self.isFullRange = isFullRange
    }

    init(_ colorimetry: Colorimetry) {
        primaries = colorimetry.primaries.codePoint
        transfer = colorimetry.transfer.codePoint
        let decoder = ColorDecoder(colorimetry)
        matrix = decoder.matrix.codePoint
        isFullRange = decoder.range == .full
    }
}

extension Colorimetry.Matrix {
    fileprivate var codePoint: UInt8 {
        switch self {
        case .identity, .bt601, .xv601: 6
        case .bt709, .xv709: 1
        case .bt2020: 9
        case .bt2020ConstantLuminance: 10
        case .smpte240m: 7
        }
    }
}

extension Colorimetry.Matrix {
    /// The matrix of a code point, for Y'CbCr made of R'G'B'; nil if it has no name here.
    init?(codePoint: UInt8) {
        switch codePoint {
        case 1: self = .bt709
        case 5, 6: self = .bt601
        case 7: self = .smpte240m
        case 9, 10: self = .bt2020
        default: return nil
        }
    }
}

extension Colorimetry.Transfer {
    /// The function of a code point; nil if it has no name here.
    init?(codePoint: UInt8) {
        // BT.601 and BT.2020 share that of BT.709.
        let known = [6, 14, 15].contains(codePoint) ? 1 : codePoint
        guard let transfer = Self.allCases.first(where: { $0.codePoint == known }) else { return nil }
        self = transfer
    }
}

extension Colorimetry.Primaries {
    /// The primaries of a code point; nil if they have no name here.
    init?(codePoint: UInt8) {
        guard let primaries = Self.allCases.first(where: { $0.codePoint == codePoint }) else { return nil }
        self = primaries
    }
}

extension Colorimetry.Transfer {
    fileprivate var codePoint: UInt8? {
        switch self {
        case .bt709: 1
        case .sRGB: 13
        case .opRGB: nil
        case .smpte240m: 7
        case .linear: 8
        case .dciP3: 17
        case .smpte2084: 16
        }
    }
}

extension Colorimetry.Primaries {
    fileprivate var codePoint: UInt8? {
        switch self {
        case .bt709: 1
        case .smpte170m: 6
        case .ebu470M: 4
        case .ebu470BG: 5
        case .smpte240m: 7
        case .opRGB: nil
        case .bt2020: 9
        case .dciP3: 11
        }
    }
}
