// SPDX-License-Identifier: MIT
// A part of a picture as a net takes it.

import LivecapCFusionKernels
import LivecapFrames

/// The upright part of a picture that a net looks at. It may be larger than the picture: what is outside is as at the
/// picture's edges, or empty.
struct NetArea: Hashable {
    /// The corner at the upper left, and the width and height, as shares of the picture's.
    var x: Float
    var y: Float
    var width: Float
    var height: Float

    /// The picture, stretched to the net's shape.
    static let whole = NetArea(x: 0, y: 0, width: 1, height: 1)

    /// A square with the whole picture in its middle.
    static func wholeSquare(of size: FrameSize) -> NetArea {
        let (width, height) = (Float(size.width), Float(size.height)), side = max(width, height)
        return NetArea(
            x: (width - side) / 2 / width, y: (height - side) / 2 / height, width: side / width, height: side / height)
    }

    /// A place of the area, of which 0 and 1 are the edges, as a place in the picture.
    func place(x: Float, y: Float) -> PicturePoint {
        PicturePoint(x: self.x + x * width, y: self.y + y * height)
    }
}

/// Draws parts of pictures into the input of a net.
final class NetPicture {
    private let kernels: UnsafePointer<fusion_kernels>
    private let input: Net.Tensor
    private var row = fusion_net_row_parameters()

    /// A net that takes R'G'B' from the lower to the upper end of `values`, of pictures of a kind.
    init(_ input: Net.Tensor, of kind: PictureKind, values: ClosedRange<Float>) {
        kernels = kind.kernels
        self.input = input
        row.colors = kind.colors(values)
        row.count = input.width
        row.sample_apart = 3
        row.channel_apart = 1
    }

    /// Draws a part of a picture. Above and below the picture it is black; beside it, as its edge is.
    func draw(_ picture: QuadMap, _ area: NetArea) {
        let (width, height) = (Float(picture.width), Float(picture.height))
        row.cells = picture.width
        row.step = area.width * width / Float(input.width)
        row.start = area.x * width + row.step / 2 - 0.5
        let down = area.height * height / Float(input.height)
        for y in 0..<input.height {
            let place = area.y * height + (Float(y) + 0.5) * down - 0.5
            let out = input.values.baseAddress! + 3 * input.width * y
            guard place > -1, place < height else {
                out.update(repeating: row.colors.offset, count: 3 * input.width)
                continue
            }
            let held = min(max(place, 0), height - 1), upper = Int(held)
            row.upper = UnsafePointer(picture.row(upper))
            row.lower = UnsafePointer(picture.row(min(upper + 1, picture.height - 1)))
            row.fraction = held - Float(upper)
            row.out = out
            kernels.pointee.effects.net_row(&row)
        }
    }
}

extension PictureKind {
    /// Leads from the codes of pictures to R'G'B' from the lower to the upper end of `values`.
    func colors(_ values: ClosedRange<Float>) -> fusion_net_colors {
        let isLimited = colorimetry.range == .limited
        return fusion_net_colors(
            luma_offset: isLimited ? 16 : 0, luma_factor: isLimited ? 255.0 / 219 : 1,
            chroma_factor: isLimited ? 255.0 / 224 : 1, scale: (values.upperBound - values.lowerBound) / 255,
            offset: values.lowerBound)
    }
}
