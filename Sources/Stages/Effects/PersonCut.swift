// SPDX-License-Identifier: MIT
// A matte as fine as the picture: where exactly people end.

import LivecapCFusionKernels
import LivecapDetection

/// Refines a net's coarse matte by the picture itself (a guided filter, after He, Sun and Tang, 2010): around each
/// place, the matte is taken for a line of brightness, so that it ends where the picture has an edge.
///
/// The lines are found at a quarter of the picture's width and height, and apply to its full size.
final class PersonCut {
    private let kernels: UnsafePointer<fusion_kernels>
    private let blur: BoxBlur
    private let products: QuadMap
    private let row: UnsafeMutablePointer<Float>
    /// For each cell, the slope and the offset of its line.
    let lines: QuadMap

    /// Cells around each that its line is found in. More leave a halo, fewer the net's own coarse edge.
    private static let radius = 3
    /// Variances of brightness well below this are no edges, in squared codes.
    private static let flat: Float = 50

    init(_ kind: PictureKind, _ blur: BoxBlur) {
        kernels = kind.kernels
        self.blur = blur
        products = QuadMap(kind.size)
        lines = QuadMap(kind.size)
        row = .allocate(capacity: lines.width)
    }

    deinit { row.deallocate() }

    /// Finds the lines of the picture that `matte` has looked at.
    func refine(_ matte: PersonMatte, by picture: QuadMap) {
        for y in 0..<lines.height {
            matte.draw(row: y, of: lines, into: row)
            kernels.pointee.effects.guide_products(picture.row(y), row, lines.width, products.row(y))
        }
        blur.blur(products, radius: Self.radius)
        for y in 0..<lines.height {
            kernels.pointee.effects.guide_lines(products.row(y), lines.width, Self.flat, lines.row(y))
        }
        blur.blur(lines, radius: Self.radius)
    }
}
