// SPDX-License-Identifier: MIT
// What is shown behind people.

import LivecapCFusionKernels
import LivecapDetection

/// The picture without its people, blurred; a colour; or another picture.
final class Backdrop {
    private let kernels: UnsafePointer<fusion_kernels>
    private let blur: BoxBlur
    private let codes: ColourCodes
    private let sums: QuadMap
    /// Brightness, Cb and Cr of each cell, for what is soft.
    private let cells: QuadMap
    private let picture: BackgroundPicture
    private var shown: EffectSettings.Background?
    /// What is shown.
    private(set) var image: Image

    /// What is shown, as it is drawn.
    enum Image {
        /// Cells to enlarge.
        case cells(QuadMap)
        /// Planes of the frame's size.
        case planes(PicturePlanes)
    }

    /// The radius of the strongest blur, as a share of the picture's width: of three boxes, which come near a Gaussian
    /// of that standard deviation.
    private static let widest = 0.035

    init(_ kind: PictureKind, _ blur: BoxBlur) {
        kernels = kind.kernels
        self.blur = blur
        codes = ColourCodes(kind.colorimetry)
        sums = QuadMap(kind.size)
        cells = QuadMap(kind.size)
        picture = BackgroundPicture(kind)
        image = .cells(cells)
    }

    /// Blurs what is behind people. Their own colours do not count, so they leave no halo.
    func blur(_ picture: QuadMap, behind lines: QuadMap, strength: Double) {
        shown = nil
        image = .cells(cells)
        for y in 0..<cells.height {
            kernels.pointee.effects.weigh_behind(picture.row(y), lines.row(y), cells.width, sums.row(y))
        }
        let radius = Int((strength * Self.widest * Double(cells.width)).rounded())
        blur.blur(sums, radius: max(1, radius), times: 3)
        for y in 0..<cells.height {
            kernels.pointee.effects.divide_behind(sums.row(y), cells.width, cells.row(y))
        }
    }

    /// Shows this instead. A picture is loaded if it was not the last one, or its file has changed since; otherwise
    /// this costs little, so it may come and go with each frame.
    func show(_ background: EffectSettings.Background) {
        guard shown != background else { return }
        shown = background
        switch background {
        case .colour(let red, let green, let blue):
            let code = codes.of(red: Double(red), green: Double(green), blue: Double(blue))
            for y in 0..<cells.height {
                let row = cells.row(y)
                for x in 0..<cells.width {
                    (row[4 * x], row[4 * x + 1], row[4 * x + 2]) = (Float(code.luma), Float(code.cb), Float(code.cr))
                }
            }
            image = .cells(cells)
        case .picture(let path): image = .planes(picture.planes(of: path))
        }
    }
}
