// SPDX-License-Identifier: MIT
// What is shown behind people.

import LivecapCFusionKernels
import LivecapDetection
import LivecapFrames

/// The picture without its people, blurred, or a colour: brightness and chroma of each cell.
final class Backdrop {
    private let kernels: UnsafePointer<fusion_kernels>
    private let blur: BoxBlur
    private let colorimetry: Colorimetry
    private let sums: QuadMap
    /// What is shown: brightness, Cb and Cr of each cell.
    let cells: QuadMap
    private var colour: EffectSettings.Background?

    /// The radius of the strongest blur, as a share of the picture's width: of three boxes, which come near a Gaussian
    /// of that standard deviation.
    private static let widest = 0.035

    init(_ kind: PictureKind, _ blur: BoxBlur) {
        kernels = kind.kernels
        self.blur = blur
        colorimetry = kind.colorimetry
        sums = QuadMap(kind.size)
        cells = QuadMap(kind.size)
    }

    /// Blurs what is behind people. Their own colours do not count, so they leave no halo.
    func blur(_ picture: QuadMap, behind lines: QuadMap, strength: Double) {
        colour = nil
        for y in 0..<cells.height {
            kernels.pointee.effects.weigh_behind(picture.row(y), lines.row(y), cells.width, sums.row(y))
        }
        let radius = Int((strength * Self.widest * Double(cells.width)).rounded())
        blur.blur(sums, radius: max(1, radius), times: 3)
        for y in 0..<cells.height {
            kernels.pointee.effects.divide_behind(sums.row(y), cells.width, cells.row(y))
        }
    }

    /// Shows this instead.
    func show(_ background: EffectSettings.Background) {
        guard colour != background else { return }
        colour = background
        switch background {
        case .colour(let red, let green, let blue):
            let (luma, cb, cr) = codes(red: Double(red), green: Double(green), blue: Double(blue))
            for y in 0..<cells.height {
                let row = cells.row(y)
                for x in 0..<cells.width {
                    (row[4 * x], row[4 * x + 1], row[4 * x + 2]) = (luma, cb, cr)
                }
            }
        }
    }

    /// The codes of R'G'B' from 0 to 255.
    private func codes(red: Double, green: Double, blue: Double) -> (luma: Float, cb: Float, cr: Float) {
        let (kr, kb) = colorimetry.matrix.weights, isLimited = colorimetry.range == .limited
        let luma = kr * red + (1 - kr - kb) * green + kb * blue
        let chroma = isLimited ? 224.0 / 255 : 1
        return (
            Float(isLimited ? 16 + luma * 219 / 255 : luma),
            Float(128 + chroma * (blue - luma) / (2 * (1 - kb))), Float(128 + chroma * (red - luma) / (2 * (1 - kr)))
        )
    }
}
