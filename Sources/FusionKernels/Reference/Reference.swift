// SPDX-License-Identifier: MIT
// What the kernels must compute, in Swift too plain to be wrong.

/// The reference kernels: one for each member of `fusion_kernels`, in files by family. They take and return arrays, whose
/// bounds are checked, and nothing in the pipeline calls them: they are what the kernels of every level are held to.
package enum Reference {}

/// Rows of samples some distance apart, and perhaps samples around them: what a kernel gets as pointer and stride.
package struct Grid<Sample> {
    /// Everything there is, from the first sample before the margin to the last one behind it.
    package var samples: [Sample]
    /// Where (0, 0) is among them.
    package let origin: Int
    /// Samples from row to row.
    package let stride: Int

    package init(_ samples: [Sample], origin: Int, stride: Int) {
        self.samples = samples
        self.origin = origin
        self.stride = stride
    }

    package subscript(x: Int, y: Int) -> Sample {
        get { samples[origin + y * stride + x] }
        set { samples[origin + y * stride + x] = newValue }
    }
}
