// SPDX-License-Identifier: MIT
// Sizes, rates and colours in FFmpeg's numbers, which for colours are those of ITU-T H.273.

import LivecapCMovies
import LivecapFrames

extension lc_movie_picture {
    init(size: FrameSize, rate: FrameRate?, colorimetry: Colorimetry) {
        self.init(
            width: Int32(clamping: size.width), height: Int32(clamping: size.height),
            range: colorimetry.range == .full ? 2 : 1, primaries: colorimetry.primaries.code,
            transfer: colorimetry.transfer.code, matrix: colorimetry.matrix.code,
            rate_numerator: Int32(clamping: rate?.numerator ?? 0),
            rate_denominator: Int32(clamping: rate?.denominator ?? 1))
    }
}

extension Colorimetry.Primaries {
    fileprivate var code: Int32 {
        switch self {
        case .bt709: 1
        case .ebu470M: 4
        case .ebu470BG: 5
        case .smpte170m: 6
        case .smpte240m: 7
        case .bt2020: 9
        case .dciP3: 11
        // Has no number: unspecified.
        case .opRGB: 2
        }
    }
}

extension Colorimetry.Transfer {
    fileprivate var code: Int32 {
        switch self {
        case .bt709: 1
        case .opRGB: 4
        case .smpte240m: 7
        case .linear: 8
        case .sRGB: 13
        case .smpte2084: 16
        case .dciP3: 17
        }
    }
}

extension Colorimetry.Matrix {
    fileprivate var code: Int32 {
        switch self {
        case .bt709, .xv709: 1
        // Grey has no chroma; that of a neutral picture is the same by every matrix.
        case .bt601, .xv601, .identity: 6
        case .smpte240m: 7
        case .bt2020: 9
        case .bt2020ConstantLuminance: 10
        }
    }
}
