// SPDX-License-Identifier: MIT
// Why a fusion was refused.

import LivecapFrames
import LivecapThreads

/// Input that a fuser refuses. A frame that merely does not match the reference is not an error: it is left out, and
/// the report says why.
public enum FusionError: ExplainedError, Hashable, Sendable {
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
    /// The process may not use as much memory as is needed.
    case noMemory(bytes: Int)
}

extension FusionError {
    /// What happened, in one line without a full stop.
    public var message: String {
        switch self {
        case .unsupportedFormat(let format): "frames of \(format) cannot be fused"
        case .shortFrame(let bytes, let needed): "the frame has \(bytes) bytes, and \(needed) are needed"
        case .foreignFormat(let format): "\(format) is not the format of this fuser"
        case .frameCount(0, _): "there are no frames to fuse"
        case .frameCount(let count, let most): "\(count) frames are more than the \(most) that can be fused"
        case .noSuchReference(let index): "no frame has the index \(index)"
        case .unsupportedLevel(let name, _): "this processor has no kernels '\(name)'"
        case .noMemory(let bytes): "not enough memory to fuse frames: \(bytes.mebibytes) MiB needed"
        }
    }

    /// What to do about it, in one line without a full stop.
    public var hint: String {
        switch self {
        case .unsupportedFormat: "decode compressed frames first, or choose another pixel format or size"
        case .shortFrame: "leave out frames that are cut short"
        case .foreignFormat: "create one fuser for each format"
        case .frameCount(_, let most): "give it 1 to \(most) frames"
        case .noSuchReference: "choose one of the frames given"
        case .unsupportedLevel(_, let supported): "it has \(supported.map(\.rawValue).joined(separator: ", "))"
        case .noMemory: "choose a smaller size, or allow more memory"
        }
    }
}
