// SPDX-License-Identifier: MIT
// Which frames of compressed video can be decoded, after losses and damage.

import LivecapFrames

/// Decides which frames of compressed video can be decoded, as losses and damage leave them.
struct KeyFrameWait {
    /// Whether nothing can be decoded before the next frame with which decoding can begin.
    private(set) var isWaiting = true
    /// How many pictures are still to be decoded before one is whole; 0 if they are whole.
    private var unwhole = 0
    /// How many frames have given no whole picture since decoding began, although one should have.
    private var overdue = 0
    /// Whether decoding has begun within a refresh, and no picture has been whole since.
    private(set) var isRecovering = false

    /// Decoders count pictures more exactly than frames can be counted here, so they may be this much later.
    private static let patience = 64

    /// What to do with a frame.
    enum Verdict: Hashable {
        /// Decode it.
        case decode
        /// Decode it, and first forget all pictures: it is the first that can be decoded again.
        case begin
        /// The same, and its picture is whole although the stream does not say that decoding can begin there.
        case beginUnannounced
        /// The same as `begin`, but its picture is not whole.
        case beginRefresh
        /// Decode it for those after it. Its picture is not whole.
        case refresh
        /// Decode it for its parameters. It gives no picture.
        case takeParameters
        /// Leave it out, for the reason given.
        case leaveOut(Damage)

        /// Whether all pictures are to be forgotten first.
        var begins: Bool { self == .begin || self == .beginUnannounced || self == .beginRefresh }
        /// Whether the picture that comes of the frame is not to be seen.
        var isUnseen: Bool { self == .refresh || self == .beginRefresh }
    }

    /// Judges the next frame.
    mutating func judge(_ frame: FrameMetadata, _ content: VideoFrame) -> Verdict {
        if frame.lostBefore > 0 || frame.flags.contains(.firstOfEpoch) || !frame.isUsable { isWaiting = true }
        guard frame.isUsable else { return .leaveOut(frame.damage == .none ? .driverFlag : frame.damage) }
        switch content {
        case .garbage:
            isWaiting = true
            return .leaveOut(.undecodable)
        case .noPicture: return .takeParameters
        case .dependent: return isWaiting ? .leaveOut(.needsKeyFrame) : goOn()
        case .key: return begin(.begin)
        case .intra: return begin(.beginUnannounced)
        case .recovery(let count): return begin(.beginRefresh, after: count)
        }
    }

    /// A frame with which decoding can begin, or get whole sooner.
    private mutating func begin(_ verdict: Verdict, after count: Int = 0) -> Verdict {
        guard isWaiting else {
            // The refresh under way may end before this one.
            if !isRecovering || count >= unwhole { return goOn() }
            unwhole = count
            return count == 0 ? .decode : .refresh
        }
        isWaiting = false
        overdue = 0
        unwhole = count
        isRecovering = count > 0
        return verdict == .beginRefresh && count == 0 ? .begin : verdict
    }

    /// A frame after those with which decoding began.
    private mutating func goOn() -> Verdict {
        unwhole = max(0, unwhole - 1)
        return unwhole > 0 ? .refresh : .decode
    }

    /// A picture was lost, or is not whole: those that follow build on it.
    mutating func lose() { isWaiting = true }

    /// A picture is whole.
    mutating func noteWhole() { isRecovering = false }

    /// A frame within a refresh has given no whole picture. If that goes on for too long, the refresh has failed.
    mutating func noteUnwhole() {
        guard unwhole == 0 else { return }
        overdue += 1
        if overdue > Self.patience { isWaiting = true }
    }
}
