// SPDX-License-Identifier: MIT
// Why a photo has fewer frames than asked for.

/// How many frames a photo lacks of those asked for, and why.
public struct FrameShortage: Hashable, Codable, Sendable {
    /// The reason why frames are missing.
    public enum Reason: String, Hashable, Codable, Sendable, CaseIterable {
        /// The stream began with the first of its frames.
        case begin
        /// The stream was restarted with the first of its frames.
        case restart
        /// The camera was switched on with the first of its frames.
        case switchedOn
        /// Earlier frames had left the history.
        case history
        /// Later frames did not arrive.
        case later
        /// No more frames were kept to develop the photo from.
        case kept
    }

    /// The number asked for.
    public let asked: Int
    /// The number missing.
    public let missing: Int
    /// The reason.
    public let reason: Reason

    package init(asked: Int, missing: Int, reason: Reason) {
        self.asked = asked
        self.missing = missing
        self.reason = reason
    }

    /// A description for people: "3 of 16 frames are missing: nothing comes before the first frame".
    public var words: String {
        let verb = missing == 1 ? "is" : "are"
        let reason =
            switch reason {
            case .begin: "nothing comes before the first frame"
            case .restart: "the stream was restarted before the others"
            case .switchedOn: "the camera was off before the others"
            case .history: "the history reaches back no further"
            case .later: "later ones did not come"
            case .kept: "no more were kept"
            }
        return "\(missing) of \(asked) frames \(verb) missing: \(reason)"
    }
}
