// SPDX-License-Identifier: MIT
// A source that survives being unplugged: it waits until it is back, and goes on in the same ring.

import FrameRing
import LivecapFrames
import LivecapThreads

/// Fills a ring from a source that may go away and come back. Leases and history stay; frames after the return have a
/// new epoch.
final class ReturningSource: FrameSource {
    private(set) var description: SourceDescription
    private var source: (any JoiningSource)?
    private let succession: any Succession
    private let limit: Duration?
    private let alarm = Alarm()
    /// Ends the wait of the source that is there.
    private let relay = InterruptRelay()
    /// How the ring was made to be filled.
    private(set) var transport: Transport?
    /// Why and since when it is away.
    private var absence: (error: CameraError, since: Timestamp)?

    /// How long to wait between two looks for the source.
    private static let pause = Duration.milliseconds(50)

    /// Wraps a source that is there. After `limit` without one, the capture ends (nil: never).
    init(_ source: any JoiningSource, limit: Duration?, _ succession: any Succession) {
        (description, self.source, self.limit, self.succession) = (source.description, source, limit, succession)
        relay.aim(at: source.interrupt)
    }

    func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
        guard let source else { throw .disconnected(path: description.identity) }
        let made = try source.makeRing(capacity)
        transport = source.transport
        return made
    }

    func start(_ producer: inout RingProducer) throws(CameraError) {
        guard let source else { throw .disconnected(path: description.identity) }
        try source.start(&producer)
    }

    func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome {
        guard let source else { return try look(&producer) }
        if succession.isSuperseded {
            return lose(
                .disconnected(path: description.identity), &producer, because: "another camera is preferred now")
        }
        do throws(CameraError) { return try source.step(&producer) } catch {
            if case .disconnected(let path) = error {
                return lose(error, &producer, because: "the camera at \(path) was unplugged")
            }
            guard succession.replaces(after: error) else { throw error }
            return lose(error, &producer, because: error.message)
        }
    }

    func stop() {
        source?.stop()
        source = nil
    }

    var interrupt: @Sendable () -> Void {
        { [alarm, relay] in
            alarm.switchOff()
            relay.interrupt()
        }
    }

    /// Releases the source, and only then its slots.
    private func leave(_ producer: inout RingProducer) {
        let slots = source?.takeSlots() ?? []
        relay.aim(at: nil)
        stop()
        for slot in slots { producer.discard(slot) }
    }

    /// Leaves the source, and waits for it or another one from now on.
    private func lose(
        _ error: CameraError, _ producer: inout RingProducer, because reason: String
    ) -> StepOutcome {
        leave(&producer)
        absence = (error, .now)
        return .interrupted(reason: reason)
    }

    /// Waits a moment, and opens the source if it is back.
    private func look(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome {
        alarm.wait(until: .now + Self.pause)
        guard !alarm.isOff, let absence else { return .nothing }
        if let limit, Timestamp.now - absence.since > limit { throw absence.error }
        do throws(CameraError) {
            let returned = try succession.open(transport)
            guard returned.fits(producer.ring) else {
                throw .notSupported(
                    path: description.identity,
                    detail: "it came back with \(returned.description.format), not \(description.format)")
            }
            source = returned
            relay.aim(at: returned.interrupt)
            // A stop that came before has to end the first wait, too.
            if alarm.isOff { returned.interrupt() }
            try returned.join(&producer)
            producer.beginEpoch()
            self.absence = nil
            let isAnother = returned.description.identity != description.identity
            description = returned.description
            if isAnother { return .moved(to: description) }
        } catch {
            // It was unplugged again, has no permissions yet, or is in use by another program.
            guard succession.goesOn(after: error) else { throw error }
            leave(&producer)
        }
        return .nothing
    }
}

/// Passes an interrupt on to the source that is there.
private final class InterruptRelay: Sendable {
    private let target = Guarded<(@Sendable () -> Void)?>(nil)

    func aim(at interrupt: (@Sendable () -> Void)?) { target.withLock { $0 = interrupt } }
    func interrupt() { target.withLock { $0 }?() }
}
