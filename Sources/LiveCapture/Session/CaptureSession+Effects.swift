// SPDX-License-Identifier: MIT
// Effects and reactions in a session's pictures.

import Camera
import LivecapEffects
import LivecapFrames
import LivecapThreads

extension CaptureSession {
    /// The effects that are drawn into frames `withEffects`; none at first.
    public var effectSettings: EffectSettings { effects.settings }

    /// Draws these effects from the next picture on, in all outputs and movies of frames `withEffects`.
    ///
    /// ```swift
    /// try await session.setEffects(EffectSettings(portrait: 0.6, light: 0.6))
    /// let (shown, plain) = (FrameOutput(), FrameOutput())
    /// try session.add(shown, of: .withEffects)
    /// try session.add(plain)
    /// ```
    ///
    /// Every change is the event `effectsChanged`.
    /// - Throws: what is missing: the nets are not installed, or the background's picture cannot be read. Nothing has
    ///   changed then.
    public func setEffects(_ settings: EffectSettings) async throws(CameraError) {
        if let lack = await onThread(named: "ask", { settings.lack }) {
            throw .badSettings(lack.message, hint: lack.hint)
        }
        effects.set(settings)
    }

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

extension EffectBoard {
    /// Has `body` called with the effects whenever others are set, for as long as the board is there.
    func onNewSettings(_ body: @escaping @Sendable (EffectSettings) -> Void) {
        let last = Guarded(settings)
        _ = onChange { [weak self] in
            // With the lock, so that no earlier change is reported after a later one.
            last.withLock { last in
                guard let settings = self?.settings, settings != last else { return }
                last = settings
                body(settings)
            }
        }
    }
}
