// SPDX-License-Identifier: MIT
// Why a fusion was refused.

import Frames

/// Input that a fuser refuses. A frame that merely does not match the reference is not an error: it is left out, and
/// the report says why.
public enum FusionError: Error, Hashable, Sendable {
    /// Frames of this format or size cannot be fused.
    case unsupportedFormat(FrameFormat)
    /// The frame's data ends before its last pixel.
    case shortFrame(bytes: Int, needed: Int)
    /// A frame or picture was made for a format other than the fuser's.
    case foreignFormat(FrameFormat)
    /// No frames were given, or more than the fuser accepts.
    case frameCount(Int, most: Int)
    /// The reference is not the index of one of the given frames.
    case noSuchReference(Int)
    /// No kernel level has that name, or the processor lacks the instructions it needs; `supported` lists the usable
    /// levels.
    case unsupportedLevel(String, supported: [KernelLevel])
}
