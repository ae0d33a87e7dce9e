// SPDX-License-Identifier: MIT
// What a session knows of the people it sees.

import Camera
import LivecapDetection
import LivecapFacts
import LivecapFrames
import LivecapStreams
import LivecapThreads

extension CaptureSession {
    /// What is known of the people in the newest frames, as it becomes known.
    ///
    /// ```swift
    /// for await facts in try session.facts([.faces]) {
    ///     print(facts.faces?.count ?? 0)
    /// }
    /// ```
    ///
    /// The camera stays on while the stream is followed. Facts that come faster than they are taken are replaced by
    /// newer ones. Nothing leaves the machine.
    /// - Throws: why people cannot be looked for: the nets are not installed, or frames have an unsuitable format.
    public func facts(_ kinds: Set<FactKind> = [.faces]) throws(CameraError) -> AsyncStream<FrameFacts> {
        let finder = try factFinder(for: kinds)
        let (stream, continuation) = AsyncStream.makeStream(
            of: FrameFacts.self, bufferingPolicy: .bufferingNewest(Self.mostWaiting))
        let leave = try CameraError.wrapping { () throws(SystemShortage) in
            try finder.follow(kinds, end: { _ in continuation.finish() }) { continuation.yield($0) }
        }
        continuation.onTermination = { _ in leave() }
        return stream
    }

    /// Facts of a second wait for whoever takes them.
    private static let mostWaiting = 30

    /// The same for callers on threads of their own, who get every one: `take` is called by the finder's thread until
    /// the result is called. `end` is called if the session ends before that, or, with the reason, if nobody can be
    /// looked for any more. With `keepsOn`, the camera stays on for it. `maxRate`: how many frames of a camera suffice.
    package func followFacts(
        _ kinds: Set<FactKind>, keepsOn: Bool = true, maxRate: FrameRate? = nil,
        end: @escaping @Sendable (CameraError?) -> Void = { _ in }, _ take: @escaping @Sendable (FrameFacts) -> Void
    ) throws(CameraError) -> @Sendable () -> Void {
        let finder = try factFinder(for: kinds)
        return try CameraError.wrapping { () throws(SystemShortage) in
            try finder.follow(kinds, keepsOn: keepsOn, maxRate: maxRate, end: end, take)
        }
    }

    /// Why facts of some kinds cannot be found; nil if they can.
    package func lackOfFacts(_ kinds: Set<FactKind>) -> CameraError? {
        if let refusal = FactFinder.refusal(of: source.format) { return refusal }
        return FactKind.lack(kinds).map { .badSettings($0.message, hint: $0.hint) }
    }

    /// Ends whatever looks for facts, and waits for it.
    package func endFacts() { finder.withLock { $0.take() }?.close() }

    /// What looks for facts, which is there from the first wish on.
    private func factFinder(for kinds: Set<FactKind>) throws(CameraError) -> FactFinder {
        if let lack = lackOfFacts(kinds) { throw lack }
        let (found, isNew) = finder.withLock { finder in
            if let finder { return (finder, false) }
            let made = FactFinder(
                reactions: { [effects] in effects.inProgress() },
                note: { [weak self] facts in if facts.faces != nil { self?.follow(facts) } }
            ) { (kind, kinds) throws(NetError) in try FactReader(kind, kinds, Nets()) }
            finder = made
            return (made, true)
        }
        if isNew { _ = sinks.attach(found) }
        return found
    }
}
