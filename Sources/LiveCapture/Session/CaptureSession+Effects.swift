// SPDX-License-Identifier: MIT
// Reactions in a session's pictures with effects.

import LivecapEffects
import LivecapFrames

extension CaptureSession {
    /// Whether something draws effects now, and reactions with them.
    public var canPerformReactionEffects: Bool { effects.isDrawn }

    /// The reactions that can be asked for: none while nothing draws them.
    public var availableReactionTypes: [Reaction] { canPerformReactionEffects ? Reaction.allCases : [] }

    /// The reactions that are being drawn.
    public var reactionEffectsInProgress: [Reaction] { effects.inProgress() }

    /// Begins a reaction with the next picture with effects. Has no effect while nothing draws them.
    public func perform(_ reaction: Reaction) {
        if canPerformReactionEffects { effects.perform(reaction) }
    }
}
