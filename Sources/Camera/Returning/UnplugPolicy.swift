// SPDX-License-Identifier: MIT
// What becomes of a capture whose camera is unplugged.

/// What becomes of a capture whose camera is unplugged.
public enum UnplugPolicy: Hashable, Codable, Sendable {
    /// The camera is waited for: for ever, or for as long as `limit`. When it is back, it is set as before, and its
    /// frames go on.
    case wait(limit: Duration? = nil)
    /// The next best camera that delivers the same format goes on; if there is none, one is waited for, as with `wait`.
    /// A camera selected as "auto" is replaced by the preferred one whenever another becomes that: one that is plugged
    /// in, or that the user chooses. One that was named is returned to once it is back. During a movie that does not
    /// ask for other cameras, as with `wait`.
    case next(limit: Duration? = nil)
    /// The capture ends.
    case end
}

extension UnplugPolicy {
    /// For how long there may be no camera; nil for ever.
    var limit: Duration? {
        switch self {
        case .wait(let limit), .next(let limit): limit
        case .end: nil
        }
    }
}
