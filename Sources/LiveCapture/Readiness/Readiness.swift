// SPDX-License-Identifier: MIT
// Readiness at one moment, and how long it would take until a tap is served.

import Frames

/// Whether a tap would be served at once at some moment, and when it would be if not.
public struct Readiness: Hashable, Sendable {
    /// Whether a tap would be served at once.
    public let state: CaptureReadiness
    /// How long from then until it would: no time where it is ready, nil where that is not known.
    public let estimatedWait: TimeSpan?

    /// A readiness and its wait.
    public init(_ state: CaptureReadiness, estimatedWait: TimeSpan? = nil) {
        self.state = state
        self.estimatedWait = estimatedWait
    }
}
