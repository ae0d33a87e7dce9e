// SPDX-License-Identifier: MIT
// Why there is no still.

import Frames

/// What a fuser refuses. Frames that merely do not fit the reference are no error: they are left out, and the report
/// says why.
public enum FusionError: Error, Hashable, Sendable {
    /// Frames of this format, or of this size, are not fused.
    case unsupportedFormat(FrameFormat)
    /// A frame's bytes end before its last pixel.
    case shortFrame(bytes: Int, needed: Int)
    /// A frame or picture was made for another format than the fuser's.
    case foreignFormat(FrameFormat)
    /// No frames were given, or more than the fuser takes.
    case frameCount(Int, most: Int)
    /// The reference is none of the frames given.
    case noSuchReference(Int)
    /// There are no kernels of that name, or the processor lacks what they need; it has the others.
    case unsupportedLevel(String, supported: [KernelLevel])
}
