// SPDX-License-Identifier: MIT
// What noise is measured on: the same plane of two frames.

/// The same plane of two frames that show the same scene.
struct PlanePair {
    let own: SamplePlane
    let other: SamplePlane
    /// The motion to the other one, in samples of the plane.
    let motion: AffineMotion
    /// The frame that `own` belongs to.
    let frame: FusionFrame
    /// How many pixels a sample of the plane covers.
    let step: (x: Int, y: Int)
}

/// Samples in rows, from one of a plane on to the right and down.
struct SampleBlock {
    let samples: UnsafePointer<UInt8>
    let stride: Int

    init(_ samples: UnsafePointer<UInt8>, stride: Int) {
        self.samples = samples
        self.stride = stride
    }

    /// The samples of a plane from (`x`, `y`) on.
    @inline(__always) init(_ plane: SamplePlane, x: Int, y: Int) {
        self.init(UnsafePointer(plane.row(y) + x), stride: plane.stride)
    }

    /// The samples further right and down.
    @inline(__always) func from(x: Int, y: Int) -> SampleBlock {
        SampleBlock(samples + y * stride + x, stride: stride)
    }
}
