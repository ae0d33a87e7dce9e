// SPDX-License-Identifier: MIT
// A picture that reactions are drawn into.

import Fusion
import LivecapDetection
import LivecapFrames

@testable import LivecapEffects

/// A picture with something in it, and a margin that nothing may be drawn into.
struct ReactionPicture {
    let kind: PictureKind
    let planes: PicturePlanes

    init(
        _ width: Int = 160, _ height: Int = 90, _ colorimetry: Colorimetry = .webcam, at level: KernelLevel = .best
    ) {
        kind = PictureKind(FrameSize(width: width, height: height), colorimetry, level)
        planes = PicturePlanes(kind.size)
        for (number, plane) in planes.all.enumerated() {
            for y in -SamplePlane.margin..<plane.height + SamplePlane.margin {
                for x in -SamplePlane.margin..<plane.width + SamplePlane.margin {
                    plane.row(y)[x] = UInt8(truncatingIfNeeded: 60 + 5 * x + 3 * y + 70 * number)
                }
            }
        }
    }

    /// The samples of the picture, plane by plane.
    var samples: [UInt8] {
        planes.all.flatMap { plane in
            (0..<plane.height).flatMap { Array(UnsafeBufferPointer(start: plane.row($0), count: plane.width)) }
        }
    }

    /// The samples beyond its edges.
    var margins: [UInt8] {
        let margin = SamplePlane.margin
        return planes.all.flatMap { plane in
            (-margin..<plane.height + margin).flatMap { y in
                let row = plane.row(y) - margin, isInside = (0..<plane.height).contains(y)
                let (middle, end) = (isInside ? margin : plane.width + margin, plane.width + margin)
                return Array(UnsafeBufferPointer(start: row, count: middle))
                    + UnsafeBufferPointer(start: row + end, count: margin)
            }
        }
    }

    /// Draws both layers.
    func draw(_ painter: ReactionPainter, behind mask: PeopleMask? = nil) {
        painter.draw(.behind, into: planes, behind: mask)
        painter.draw(.before, into: planes)
    }

    /// The same picture with a reaction, `time` seconds after it began.
    func drawn(_ reaction: Reaction, at time: Double, seed: UInt64 = 1) -> [UInt8] {
        let painter = ReactionPainter(kind)
        painter.begin(reaction, seed: seed)
        painter.advance(by: time)
        let picture = copy
        picture.draw(painter)
        return picture.samples
    }

    /// The same before anything was drawn.
    var copy: ReactionPicture { ReactionPicture(kind) }

    private init(_ kind: PictureKind) {
        self.init(kind.size.width, kind.size.height, kind.colorimetry)
    }
}
