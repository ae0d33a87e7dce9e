// SPDX-License-Identifier: MIT
// Where strips of a plane come from.

import CFusionKernels

/// A plane whose strips are transformed.
enum StripSource: @unchecked Sendable {
    /// Samples are codes times 64.
    case merged(ResidualDenoiser.Source)
    /// Samples are codes: a frame as it is.
    case frame(SamplePlane)

    /// Transforms the columns of the eight rows from `top`.
    func transform(
        _ top: Int, width: Int, height: Int, _ kernels: UnsafePointer<fusion_kernels>,
        into strip: UnsafeMutablePointer<Float>
    ) {
        switch self {
        case .merged(let plane):
            kernels.pointee.denoise_strip(plane.samples, plane.stride, width, height, top, strip)
        case .frame(let plane):
            kernels.pointee.denoise_strip_bytes(plane.base, plane.stride, width, height, top, strip)
        }
    }
}
