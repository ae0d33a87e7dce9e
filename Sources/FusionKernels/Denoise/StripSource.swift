// SPDX-License-Identifier: MIT
// Where the blocks of a plane come from.

import CFusionKernels

/// A plane that is denoised.
enum StripSource: @unchecked Sendable {
    /// Samples are codes times 64.
    case merged(ResidualDenoiser.Source)
    /// Samples are codes: a frame as it is.
    case frame(SamplePlane)
}
