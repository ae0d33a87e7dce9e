// SPDX-License-Identifier: MIT
// Why a session does not take an output.

import Camera
import LivecapFrames
import LivecapPictures
import LivecapThreads

/// Why a session does not take an output.
public enum OutputError: ExplainedError, Hashable, Sendable {
    /// It is part of a session.
    case connected
    /// Its pictures cannot be made of the frames.
    case pictures(PictureError)
    /// The frames that its pictures are to be made of cannot be made, for this reason.
    case untreated(CameraError)
    /// Its pictures need so many bytes, more than are left for outputs.
    case memory(needed: Int, left: Int)
    /// With it, the session's outputs would need this share of a processor, and they have one.
    case processor(share: Double)

    /// What happened, in one line without a full stop.
    public var message: String {
        switch self {
        case .connected: "the output is already part of a session"
        case .pictures(let error): error.message
        case .untreated(let error): error.message
        case .memory(let needed, let left):
            "its pictures need \(mebibytes(needed)) of memory, and \(mebibytes(left)) are left for outputs"
        case .processor(let share):
            "the outputs would need \(Int((share * 100).rounded())) % of the one processor that they have"
        }
    }

    /// What to do about it, in one line without a full stop.
    public var hint: String {
        switch self {
        case .connected: "remove it there first"
        case .pictures(let error): error.hint
        case .untreated(let error): error.hint
        case .memory: "ask for smaller pictures or fewer of them at once, or raise SessionOptions.outputMemory"
        case .processor: "ask for smaller pictures or a lower rate"
        }
    }

    private func mebibytes(_ bytes: Int) -> String { "\((bytes + (1 << 20) - 1) >> 20) MiB" }
}
