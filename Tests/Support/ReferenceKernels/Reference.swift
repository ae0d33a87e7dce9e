// SPDX-License-Identifier: MIT
// What the kernels must compute, in Swift plain enough to be obviously right.

/// The reference kernels: one for each kernel of `KernelList.h`, in files by family. They take and return arrays,
/// whose bounds are checked. Nothing in the pipeline calls them; the kernels of every level are tested against them.
package enum Reference {}

/// Rows of samples at a fixed distance, possibly with samples around them: what a kernel receives as a pointer and a
/// stride.
package struct Grid<Sample> {
    /// All samples, from the first one before the margin to the last one after it.
    package var samples: [Sample]
    /// The index of (0, 0) among them.
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
