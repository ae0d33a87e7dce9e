// SPDX-License-Identifier: MIT
// Why a session does not start.

import Camera
import LivecapThreads

/// Why a session does not start, or takes no other source.
public enum SessionError: ExplainedError, Hashable, Sendable {
    /// The session runs. Stop it first.
    case running
    /// The source cannot be opened, or failed before its first frame.
    case source(CameraError)
    /// The source ended, or the session was stopped, before the first frame.
    case ended
    /// The task was cancelled, and the session stopped.
    case cancelled
    /// The session was made with a source that can be opened only once.
    case cannotReopen

    /// What happened, in plain words.
    public var message: String {
        switch self {
        case .running: "the session is running"
        case .source(let error): error.message
        case .ended: "the stream ended before its first frame"
        case .cancelled: "cancelled before the first frame"
        case .cannotReopen: "this session's source can be opened only once"
        }
    }

    /// What to do about it.
    public var hint: String {
        switch self {
        case .running: "stop it first"
        case .source(let error): error.hint
        case .ended: "start the session again, or choose another source"
        case .cancelled: "start the session again"
        case .cannotReopen: "make a new session"
        }
    }
}
