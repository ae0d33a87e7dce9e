// SPDX-License-Identifier: MIT
// Readiness at one moment, and the time until a tap would be served.

import LivecapFrames

/// Whether a tap would be served at once at some moment, and otherwise when.
public struct Readiness: Hashable, Codable, Sendable {
    /// Whether a tap would be served at once.
    public let state: CaptureReadiness
    /// The time from that moment until a tap would be served; zero if ready, nil if unknown.
    public let estimatedWait: Duration?

    /// Creates a readiness with its wait.
    public init(_ state: CaptureReadiness, estimatedWait: Duration? = nil) {
        self.state = state
        self.estimatedWait = estimatedWait
    }
}

extension Readiness: CustomStringConvertible {
    /// Such as `ready`, or `notReadyMomentarily for 0.25 s`.
    public var description: String {
        let wait = estimatedWait.flatMap { $0 > .zero ? " for \($0.inSeconds)" : nil }
        return "\(state.rawValue)\(wait ?? "")"
    }
}
