// SPDX-License-Identifier: MIT
// What becomes of a capture whose camera is unplugged.

/// What becomes of a capture whose camera is unplugged.
public enum UnplugPolicy: Hashable, Codable, Sendable {
    /// The camera is waited for: for ever, or for as long as `limit`. When it is back, it is set as before, and its
    /// frames go on.
    case wait(limit: Duration? = nil)
    /// The capture ends.
    case end
}
