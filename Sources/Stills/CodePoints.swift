// SPDX-License-Identifier: MIT
// Colours by the numbers of ITU-T H.273, as HEIC and PNG files have them.

import Frames

/// What ITU-T H.273 calls a colorimetry.
struct CodePoints: Hashable {
    /// Nil where it has no code.
    let primaries: UInt8?
    /// Nil where it has no code.
    let transfer: UInt8?
    /// How Y'CbCr is to be read: samples said to be R'G'B' that lie as Y'CbCr are taken for BT.601's.
    let matrix: UInt8
    let isFullRange: Bool

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
