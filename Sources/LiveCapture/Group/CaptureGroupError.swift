// SPDX-License-Identifier: MIT
// Why several cameras cannot be one group.

import Camera
import LivecapFrames
import LivecapThreads

/// Why several cameras cannot be one group, or take no photos together.
public enum CaptureGroupError: ExplainedError, Hashable, Sendable {
    /// No camera was given.
    case tooFew
    /// The source at this place cannot be opened.
    case source(Int, CameraError)
    /// The camera at this place, of this name, does not start.
    case start(Int, String, SessionError)
    /// The frames of these two sources are on different clocks, so that they have no instant in common.
    case differentClocks(String, String)
    /// No group of photos can have this name.
    case badName(String)
    /// The first camera's history does not have this frame, or no longer.
    case frameGone(FrameID)

    /// What happened, in plain words.
    public var message: String {
        switch self {
        case .tooFew: "a group has at least one camera"
        case .source(_, let error): error.message
        case .start(_, let name, let error): "\(name): \(error.message)"
        case .differentClocks(let one, let other):
            "the frames of \(one) and \(other) are on different clocks, so that they have no instant in common"
        case .badName(let name): "'\(name)' cannot name a group of photos"
        case .frameGone(let id): "the history does not have frame \(id), or no longer"
        }
    }

    /// What to do about it.
    public var hint: String {
        switch self {
        case .tooFew: "name a camera"
        case .source(_, let error): error.hint
        case .start(_, _, let error): error.hint
        case .differentClocks: "use cameras only, or recordings and scenes only"
        case .badName: "use up to 64 letters, digits, dots, hyphens and underscores"
        case .frameGone: "ask sooner, or keep more history"
        }
    }

    /// The place of the camera that it is about.
    var place: Int {
        switch self {
        case .source(let place, _), .start(let place, _, _): place
        case .tooFew, .differentClocks, .badName, .frameGone: 0
        }
    }
}
