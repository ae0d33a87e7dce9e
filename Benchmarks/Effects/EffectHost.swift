// SPDX-License-Identifier: MIT
// A session whose frames get effects, as those of `livecap run --effects`.

import Camera
import FrameRing
import LiveCapture
import LivecapEffects
import LivecapFrames
import LivecapLiveFusion
import LivecapStreams
import LivecapThreads

/// A running session with stages that draw portrait, light and framing into its frames, while hands are looked for in
/// them. Gestures begin no reactions: what those cost depends on which one it is.
final class EffectHost {
    let session: CaptureSession
    /// Takes the pictures.
    let taker = PictureTaker()
    /// How often hands were looked for.
    let looks = HandLooks()
    /// End what has begun, in an order in which nothing takes frames of what has ended.
    private var ends: [() -> Void] = []

    /// The effects that are drawn.
    static let settings = EffectSettings(portrait: 0.6, light: 0.6, framing: 1, gestures: true)

    /// Begins with the frames of a source, fused first on a number of threads, if there is one.
    init(_ source: sending any FrameSource, gate: FollowerGate? = nil, fusedOn threads: Int? = nil) throws {
        session = try CaptureSession(source, gate: gate)
        session.effects.set(Self.settings)
        let taker = taker
        var sinks = session.sinks
        if let threads {
            let stage = try StageHost.fusing(threads: threads) { taker.end($0) }
            attach(stage, to: sinks)
            sinks = stage.sinks
        }
        let stage = try StageHost.drawing(session.effects, after: threads == nil ? [] : .fused) { taker.end($0) }
        attach(stage, to: sinks)
        _ = stage.sinks.attach(taker)
        let looks = looks
        let leave = try session.followFacts([.hands], end: { if let error = $0 { taker.end(error) } }) {
            looks.note($0)
        }
        ends.append(leave)
        session.begin()
    }

    private func attach(_ stage: StageHost, to sinks: HostSinks) {
        let leave = sinks.attach(stage)
        ends.append {
            leave()
            stage.close()
        }
    }

    deinit {
        taker.leave()
        for end in ends.reversed() { end() }
        session.end()
        session.endFacts()
    }

    /// The processor time of the thread that looks for hands.
    static var timeOfLooks: Duration { ThreadTime.now(of: ["facts"]) }
}

/// Counts the frames in which hands were looked for.
final class HandLooks: Sendable {
    private let counts = Guarded(Counts())

    struct Counts: Sendable {
        /// Frames.
        var frames = 0
        /// Hands that were seen in them.
        var hands = 0
    }

    /// The counts so far.
    var soFar: Counts { counts.withLock { $0 } }

    func note(_ facts: FrameFacts) {
        counts.withLock { counts in
            counts.frames += 1
            counts.hands += facts.hands?.count ?? 0
        }
    }
}
