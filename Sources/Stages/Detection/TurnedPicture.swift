// SPDX-License-Identifier: MIT
// A turned part of a picture as a net takes it.

import LivecapCFusionKernels
import LivecapFrames

/// Draws turned squares of pictures into the input of a net, from the pictures themselves: a hand has few cells in a
/// map of quads.
final class TurnedPicture {
    private let kernels: UnsafePointer<fusion_kernels>
    private let input: Net.Tensor
    private var row = fusion_net_turned_row_parameters()

    /// Places beyond this many samples do not fit the numbers that the kernel takes.
    private static let farthest: Float = 32000

    /// A net that takes R'G'B' from the lower to the upper end of `values`, of pictures of a kind.
    init(_ input: Net.Tensor, of kind: PictureKind, values: ClosedRange<Float>) {
        precondition(input.width == input.height && input.channels == 3, "nets take squares of colors")
        kernels = kind.kernels
        self.input = input
        row.colors = kind.colors(values)
        row.width = Int32(kind.size.width)
        row.height = Int32(kind.size.height)
        row.count = input.width
    }

    /// Draws a square of a picture. What is outside of the picture is as at its edges. Returns false if the square is
    /// of no use: too small, or too far outside.
    func draw(_ picture: PicturePlanes, _ square: TurnedSquare) -> Bool {
        let reach = max(abs(square.middle.x), abs(square.middle.y)) + square.side
        // Comparisons with what is no number are false.
        guard square.side >= 1, reach < Self.farthest else { return false }
        row.luma = UnsafePointer(picture.luma.base)
        row.stride = picture.luma.stride
        row.cb = UnsafePointer(picture.cb.base)
        row.cr = UnsafePointer(picture.cr.base)
        row.chroma_stride = picture.cb.stride
        let count = Float(input.width), step = square.side / count
        row.step_x = Self.fixed(square.cosine * step)
        row.step_y = Self.fixed(square.sine * step)
        for y in 0..<input.height {
            // From edges, of which the first is 0, to the middles of samples, of which the first is 0.
            let first = square.place(x: 0.5 / count, y: (Float(y) + 0.5) / count)
            row.x = Self.fixed(first.x - 0.5)
            row.y = Self.fixed(first.y - 0.5)
            row.out = input.values.baseAddress! + 3 * input.width * y
            kernels.pointee.effects.net_turned_row(&row)
        }
        return true
    }

    /// In 65536ths.
    private static func fixed(_ samples: Float) -> Int32 { Int32((samples * 65536).rounded()) }
}
