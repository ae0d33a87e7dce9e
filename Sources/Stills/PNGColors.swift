// SPDX-License-Identifier: MIT
// Declares the colours of a PNG file.

import LivecapCStills
import LivecapFrames

extension lc_png_header {
    /// Declares the colorimetry, or what the file that the picture was made of says of its colours. An ICC profile is
    /// not part of the header's values, and stands alone.
    mutating func describe(_ colorimetry: Colorimetry, _ colours: FileColours?) {
        guard let colours else { return describe(colorimetry) }
        guard colours.profile == nil else { return }
        let usual = CodePoints(colorimetry), codes = colours.codes(inPlaceOf: usual)
        guard codes != usual else { return describe(colorimetry) }
        primaries = codes.primaries ?? 0
        transfer = codes.transfer ?? 0
    }

    /// Declares the colorimetry. sRGB has a chunk that every reader knows. Everything else uses cICP, together with
    /// gamma and primaries for readers that do not support cICP.
    mutating func describe(_ colorimetry: Colorimetry) {
        let (transfer, primaries) = (colorimetry.transfer, colorimetry.primaries)
        is_srgb = colorimetry.isSRGB
        guard !is_srgb else { return }
        let codes = CodePoints(colorimetry)
        (self.primaries, self.transfer) = (codes.primaries ?? 0, codes.transfer ?? 0)
        gamma = Int32((100_000 * transfer.encodingExponent).rounded())
        let places = primaries.chromaticities.map { Int32((100_000 * $0).rounded()) }
        withUnsafeMutableBytes(of: &chromaticities) { $0.copyBytes(from: places.withUnsafeBytes { Array($0) }) }
    }
}

extension Colorimetry.Transfer {
    /// The exponent that best approximates the transfer function. SMPTE 2084 has no usable approximation, so readers
    /// without cICP get none.
    fileprivate var encodingExponent: Double {
        switch self {
        case .bt709, .smpte240m: 1 / 1.961
        case .sRGB: 1 / 2.2
        case .opRGB: 1 / 2.19921875
        case .linear: 1
        case .dciP3: 1 / 2.6
        case .smpte2084: 0
        }
    }
}

extension Colorimetry.Primaries {
    /// x and y of white, red, green and blue.
    fileprivate var chromaticities: [Double] {
        let d65 = [0.3127, 0.3290]
        return switch self {
        case .bt709: d65 + [0.640, 0.330, 0.300, 0.600, 0.150, 0.060]
        case .smpte170m, .smpte240m: d65 + [0.630, 0.340, 0.310, 0.595, 0.155, 0.070]
        case .ebu470M: [0.310, 0.316, 0.670, 0.330, 0.210, 0.710, 0.140, 0.080]
        case .ebu470BG: d65 + [0.640, 0.330, 0.290, 0.600, 0.150, 0.060]
        case .opRGB: d65 + [0.640, 0.330, 0.210, 0.710, 0.150, 0.060]
        case .bt2020: d65 + [0.708, 0.292, 0.170, 0.797, 0.131, 0.046]
        case .dciP3: [0.314, 0.351, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060]
        }
    }
}
