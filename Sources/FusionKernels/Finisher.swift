// SPDX-License-Identifier: MIT
// The last step: corrects the shift that noise caused in the mean.

import LivecapCFusionKernels
import LivecapFrames

/// Corrects each sample of a denoised picture for the bias that noise causes (see `LightBias`). It owns
/// its working memory.
final class Finisher: @unchecked Sendable {
    private let kernels: UnsafePointer<fusion_kernels>
    private let color: fusion_color
    private let black: Float
    private let span: Float
    private let isGrey: Bool
    private let rows: Int
    private let codes: LightBias.Codes
    private var bias = LightBias()
    private let census = ColorCensus()

    init(_ format: FrameFormat, _ chroma: ChromaGrid, _ kernels: UnsafePointer<fusion_kernels>) {
        self.kernels = kernels
        let isLimited = format.colorimetry.range == .limited
        (black, span) = isLimited ? (16, 219) : (0, 255)
        isGrey = chroma == .none
        rows = chroma == .quads ? 2 : 1
        let (red, blue) = format.colorimetry.matrix.weights
        let chromaSpan: Float = isLimited ? 224 : 255
        codes = .init(black: black, lumaSpan: span, chromaSpan: isGrey ? 0 : chromaSpan, red: red, blue: blue)
        color = fusion_color(
            black: black * 256, luma_span: span * 256, chroma_span: chromaSpan * 256, red: red, blue: blue)
    }

    /// Computes the correction for a shot with this noise.
    func learn(_ noise: NoiseModel, _ reference: FusionFrame) {
        census.measure(reference)
        bias.update(noise, codes, census)
    }

    /// Picture rows per band.
    private static let bandRows = 64

    /// The number of bands that can be worked on independently.
    func bands(_ picture: FusedPicture) -> Int { (picture.size.height + Self.bandRows - 1) / Self.bandRows }

    /// The rows of a band.
    func rows(of band: Int, _ picture: FusedPicture) -> Range<Int> {
        Self.bandRows * band..<min(Self.bandRows * (band + 1), picture.size.height)
    }

    /// Corrects the rows of one band.
    func finish(_ picture: FusedPicture, band: Int) {
        let luma = picture.planes[0]
        bias.lift.withUnsafeBufferPointer { lift in
            let band = rows(of: band, picture)
            for y in Swift.stride(from: band.lowerBound, to: band.upperBound, by: 2) {
                let row = luma.samples.baseAddress! + y * luma.width
                let below = y + 1 < luma.height ? row + luma.width : row
                guard !isGrey else {
                    kernels.pointee.finish.lift_grey(row, luma.width, lift.baseAddress!, 256 * black, 256 * span)
                    if below != row {
                        kernels.pointee.finish.lift_grey(below, luma.width, lift.baseAddress!, 256 * black, 256 * span)
                    }
                    continue
                }
                let width = picture.planes[1].width
                let cb = picture.planes[1].samples.baseAddress! + y / rows * width
                let cr = picture.planes[2].samples.baseAddress! + y / rows * width
                let step = below == row || rows == 2 ? 0 : width
                liftPairs(row, below: below, cb: cb, cr: cr, step: step, pairs: luma.width / 2, lift: lift.baseAddress!)
                guard luma.width % 2 == 1 else { continue }
                // An odd row's last pixel is passed as a pair with itself.
                let last = luma.width - 1
                var pair = (SIMD2(repeating: row[last]), SIMD2(repeating: below[last]))
                withUnsafeMutableBytes(of: &pair) { pair in
                    let pair = pair.baseAddress!.assumingMemoryBound(to: UInt16.self)
                    liftPairs(
                        pair, below: below == row ? pair : pair + 2, cb: cb + width - 1, cr: cr + width - 1, step: step,
                        pairs: 1, lift: lift.baseAddress!
                    )
                }
                (row[last], below[last]) = (pair.0.x, below == row ? pair.0.x : pair.1.x)
            }
        }
    }

    private func liftPairs(
        _ row: UnsafeMutablePointer<UInt16>, below: UnsafeMutablePointer<UInt16>, cb: UnsafeMutablePointer<UInt16>,
        cr: UnsafeMutablePointer<UInt16>, step: Int, pairs: Int, lift: UnsafePointer<Float>
    ) {
        withUnsafePointer(to: color) { color in
            var rows = fusion_lift_parameters(
                upper: row, lower: below, cb: cb, cr: cr, lower_cb: cb + step, lower_cr: cr + step, pairs: pairs,
                table: lift, color: color)
            kernels.pointee.finish.lift_colors(&rows)
        }
    }
}

extension Colorimetry.Matrix {
    /// The weights of red and blue in brightness (Y').
    var weights: (red: Float, blue: Float) {
        switch self {
        case .bt709, .xv709: (0.2126, 0.0722)
        case .bt2020, .bt2020ConstantLuminance: (0.2627, 0.0593)
        case .smpte240m: (0.212, 0.087)
        case .bt601, .xv601, .identity: (0.299, 0.114)
        }
    }
}
