// SPDX-License-Identifier: MIT
// Whether a tap would be served at once, and if not, what it would wait for.

import LivecapFrames

/// Whether a tap would be served at once, and if not, what it would wait for.
public enum CaptureReadiness: String, Hashable, Codable, Sendable, CaseIterable {
    /// No frames are flowing.
    case notRunning
    /// A tap is served at once.
    case ready
    /// Ready soon: the first frames are coming, the exposure settles, or the stream is being restarted.
    case notReadyMomentarily
    /// The camera is switched off, because nothing needed it. A tap switches it on, and waits for its frames.
    case notReadyCameraOff
    /// Earlier shots still wait for their frames.
    case notReadyWaitingForCapture
    /// There is no room until a shot being processed is done.
    case notReadyWaitingForProcessing

    /// Whether a tap only has to wait for a little, as a rule.
    var mayPass: Bool {
        switch self {
        case .notReadyMomentarily, .notReadyWaitingForCapture, .notReadyWaitingForProcessing: true
        case .notRunning, .ready, .notReadyCameraOff: false
        }
    }
}
