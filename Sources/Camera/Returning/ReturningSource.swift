// SPDX-License-Identifier: MIT
// A source that survives being unplugged: it waits until it is back, and goes on in the same ring.

import FrameRing
import LivecapFrames
import LivecapThreads

/// Fills a ring from a source that may go away and come back. Leases and history stay; frames after the return have a
/// new epoch.
final class ReturningSource: FrameSource {
    /// What comes after the source.
    struct Succession {
        /// Opens the source again, or another one, to deliver by the same transport as before, or throws why there is none
        /// (yet).
        let open: (_ transport: Transport?) throws(CameraError) -> any JoiningSource
        /// Whether another source is to go on now, although the present one is there.
        var isSuperseded: () -> Bool = { false }
        /// Whether to look again after that error of a source that was opened.
        var goesOn: (CameraError) -> Bool = \.mayPass
    }

    private(set) var description: SourceDescription
    private var source: (any JoiningSource)?
    private let succession: Succession
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
    init(_ source: any JoiningSource, limit: Duration?, _ succession: Succession) {
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
        if succession.isSuperseded() {
            leave(&producer)
            absence = (.noSuchDevice("auto", available: []), .now)
            return .interrupted(reason: "another camera is preferred to \(description.name) now")
        }
        do throws(CameraError) { return try source.step(&producer) } catch .disconnected(let path) {
            leave(&producer)
            absence = (.disconnected(path: path), .now)
            return .interrupted(reason: "the camera at \(path) was unplugged")
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
            guard succession.goesOn(error) else { throw error }
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

extension CameraError {
    /// Whether a camera that is being waited for may be usable a moment later.
    var mayPass: Bool {
        switch self {
        case .noSuchDevice, .permissionDenied, .busy, .disconnected, .notACamera, .driver, .streamFailed, .noBandwidth:
            true
        default: false
        }
    }
}
