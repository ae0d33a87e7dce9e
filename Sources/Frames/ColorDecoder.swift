// SPDX-License-Identifier: MIT
// Converts one sample triple to R'G'B' with the equations of BT.601, BT.709, BT.2020, SMPTE 240M and xvYCC.

import Glibc

/// Decodes samples of one colorimetry. Samples are in units of 8-bit codes; fractional codes are allowed.
package struct ColorDecoder: Sendable {
    /// Which sample values stand for black and white.
    package let range: Colorimetry.Range
    /// How Y'CbCr was computed from R'G'B'.
    package let matrix: Colorimetry.Matrix

    /// Creates a decoder for samples of `colorimetry`.
    package init(_ colorimetry: Colorimetry) {
        // xvYCC has only one quantisation, so the range a driver declares is ignored.
        let isExtended = colorimetry.matrix == .xv601 || colorimetry.matrix == .xv709
        range = isExtended ? .limited : colorimetry.range
        matrix = colorimetry.matrix
    }

    /// Maps black to 0 and white to 1, for Y', R', G', B' and grey.
    private func unit(_ sample: Double) -> Double { range == .full ? sample / 255 : (sample - 16) / 219 }

    /// Maps Cb or Cr to -0.5...0.5.
    private func chroma(_ sample: Double) -> Double { (sample - 128) / (range == .full ? 255 : 224) }

    /// The colour of a sample that carries brightness only.
    package func grey(_ sample: Double) -> PlainColor {
        PlainColor(red: unit(sample), green: unit(sample), blue: unit(sample))
    }

    func rgb(red: Double, green: Double, blue: Double) -> PlainColor {
        PlainColor(red: unit(red), green: unit(green), blue: unit(blue))
    }

    /// The colour of Y', Cb and Cr.
    package func color(luma: Double, cb: Double, cr: Double) -> PlainColor {
        let (luma, cb, cr) = (unit(luma), chroma(cb), chroma(cr))
        if matrix == .bt2020ConstantLuminance { return constantLuminance(luma, cb, cr) }
        // Y' = kr R' + kg G' + kb B', Cb = (B' - Y') / 2 (1 - kb), Cr = (R' - Y') / 2 (1 - kr), solved for R'G'B'.
        let (kr, kb) = matrix.weights
        let red = luma + 2 * (1 - kr) * cr
        let blue = luma + 2 * (1 - kb) * cb
        return PlainColor(red: red, green: (luma - kr * red - kb * blue) / (1 - kr - kb), blue: blue)
    }

    /// BT.2020 with constant luminance: luma is computed from linear light, so green is solved for in linear light.
    private func constantLuminance(_ luma: Double, _ cb: Double, _ cr: Double) -> PlainColor {
        let (kr, kb) = matrix.weights
        let blue = luma + cb * (cb <= 0 ? 1.9404 : 1.5816)
        let red = luma + cr * (cr <= 0 ? 1.7184 : 0.9936)
        let green = (linear(luma) - kr * linear(red) - kb * linear(blue)) / (1 - kr - kb)
        return PlainColor(red: red, green: encoded(green), blue: blue)
    }

    /// The BT.709 and BT.2020 transfer function, extended to negative values by symmetry.
    private func encoded(_ light: Double) -> Double {
        let size = abs(light)
        let value = size < 0.018 ? 4.5 * size : 1.099 * pow(size, 0.45) - 0.099
        return light < 0 ? -value : value
    }

    private func linear(_ value: Double) -> Double {
        let size = abs(value)
        let light = size < 0.081 ? size / 4.5 : pow((size + 0.099) / 1.099, 1 / 0.45)
        return value < 0 ? -light : light
    }
}

extension Colorimetry.Matrix {
    /// The weights of red and blue in Y'. If samples declared as R'G'B' are laid out as Y'CbCr, BT.601 weights are
    /// assumed.
    public var weights: (red: Double, blue: Double) {
        switch self {
        case .identity, .bt601, .xv601: (0.299, 0.114)
        case .bt709, .xv709: (0.2126, 0.0722)
        case .bt2020, .bt2020ConstantLuminance: (0.2627, 0.0593)
        case .smpte240m: (0.212, 0.087)
        }
    }
}
