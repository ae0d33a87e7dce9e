// SPDX-License-Identifier: MIT
// The source of the blocks to denoise.

import LivecapCFusionKernels

/// A plane to denoise.
enum StripSource: @unchecked Sendable {
    /// A merged plane; samples are codes times 64 (Q6).
    case merged(ResidualDenoiser.Source)
    /// A plane of a frame as it is; samples are codes.
    case frame(SamplePlane)

    /// Samples from row to row.
    var stride: Int {
        switch self {
        case .merged(let plane): plane.stride
        case .frame(let plane): plane.stride
        }
    }
}
