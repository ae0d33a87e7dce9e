// SPDX-License-Identifier: MIT
// A source that survives its absence: unplugged, in use elsewhere or switched off, it goes on later in the same ring.

import FrameRing
import LivecapFrames
import LivecapThreads

/// Fills a ring from a source that may go away and come back. Leases and history stay; frames after the return have a
/// new epoch.
final class ReturningSource: FrameSource {
    private(set) var description: SourceDescription
    /// Switches it off while nobody needs it, and on again.
    let power: SourcePower
    /// Keeps another source from taking its place.
    let hold: CameraHold
    /// How its camera is mounted and held.
    let rotation: RotationCoordinator?
    let settingsLeftOut: [ControlSetting]
    let settingsFailed: [ControlSetting]
    /// Called with what a source failed to be set to when it came back.
    var whenSettingsFail: (@Sendable ([ControlSetting]) -> Void)?
    let isSuspended: Bool
    private var source: (any JoiningSource)?
    private let succession: any Succession
    private let policy: UnplugPolicy
    private let alarm: Alarm
    /// Raised by whatever may end an absence; nil if the system has none left.
    private let news: WakeEvent?
    /// Whether the succession raises it.
    private var reportsArrivals = false
    /// Reports changes of device nodes while the source is away, if it is one of them.
    private var nodes: NodeWatch?
    /// Whether it was there when it was tried last, and could not be used.
    private var isThere = false
    /// Reports when another program that uses it closes it.
    private var release: ReleaseWatch?
    /// Ends the wait of the source that is there.
    private let relay = InterruptRelay()
    /// How the ring was made to be filled.
    private(set) var transport: Transport?
    /// Why it is not there; only looked at while there is no `source`.
    private var absence = Absence.off

    private enum Absence {
        /// It is switched off.
        case off
        /// Another program uses it; since when it has been away, if it was before.
        case busy(CameraError, since: Timestamp?)
        /// It is unplugged, or cannot be used for another reason that may pass.
        case away(CameraError, since: Timestamp)
    }

    /// How long to wait between two attempts if nothing reports that the source is back.
    private static let pause = Duration.milliseconds(50)
    /// The same if it is there and cannot be used: nothing reports when that passes.
    private static let longPause = Duration.milliseconds(500)

    /// Wraps a source that is there. `policy` says for how long there may be none.
    init(
        _ source: any JoiningSource, onUnplug policy: UnplugPolicy, rotation: RotationCoordinator? = nil,
        hold: CameraHold = CameraHold(), _ succession: any Succession
    ) {
        self.hold = hold
        self.rotation = rotation
        let camera = source as? any CameraSource
        settingsLeftOut = camera?.settingsLeftOut ?? []
        settingsFailed = camera?.settingsFailed ?? []
        isSuspended = camera?.isSuspended ?? false
        description = source.description
        self.source = source
        self.policy = policy
        self.succession = succession
        let news = try? WakeEvent()
        self.news = news
        let alarm = Alarm(raising: news)
        self.alarm = alarm
        power = SourcePower(alarm)
        hold.whenFree { alarm.rouse() }
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
        if power.takeLeave() {
            leave(&producer, .off)
            return .switchedOff
        }
        guard let source else { return try look(&producer) }
        if succession.isSuperseded {
            leave(&producer, .away(.disconnected(path: description.identity), since: .now))
            return .interrupted(reason: "a camera that is preferred to it was connected")
        }
        do throws(CameraError) { return try source.step(&producer) } catch {
            if case .disconnected = error { return try lose(error, &producer) }
            guard succession.replaces(after: error) else { throw error }
            return try lose(error, &producer)
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
    private func leave(_ producer: inout RingProducer, _ absence: Absence) {
        let slots = source?.takeSlots() ?? []
        relay.aim(at: nil)
        stop()
        for slot in slots { producer.discard(slot) }
        self.absence = absence
        switch absence {
        case .off: comeBack()
        case .busy(.busy(let path, _), _):
            if release?.path != path { release = ReleaseWatch(of: path) }
        case .busy, .away:
            release = nil
            guard !reportsArrivals, nodes == nil, let news else { return }
            nodes = succession.nodes.flatMap { NodeWatch($0) }
            reportsArrivals = succession.reportArrivals(by: news)
            // It may be there again, or another one in its place.
            news.raise()
        }
    }

    /// Nothing is waited for any more.
    private func comeBack() {
        release = nil
        nodes = nil
        reportsArrivals = false
    }

    /// Sleeps until the source may be there again, and no longer than until `deadline`.
    private func sleep(until deadline: Timestamp) {
        guard let news else { return alarm.wait(until: min(deadline, .now + Self.pause)) }
        if let release { return release.wait(orFor: news, until: deadline) }
        let again = isThere || succession.hasSource ? .now + Self.longPause : Timestamp.distantFuture
        if let nodes { return nodes.wait(orFor: news, until: min(deadline, again)) }
        news.wait(until: min(deadline, reportsArrivals ? again : .now + Self.pause).nanoseconds)
    }

    /// When a wait is over that has lasted since then.
    private func end(of since: Timestamp?) -> Timestamp {
        guard let since, let limit = policy.limit else { return .distantFuture }
        return since + limit + .nanoseconds(1)
    }

    /// Leaves a source that is gone, or cannot be used for now.
    private func lose(
        _ error: CameraError, since: Timestamp? = nil, _ producer: inout RingProducer
    ) throws(CameraError) -> StepOutcome {
        if case .end = policy { throw error }
        leave(&producer, .away(error, since: since ?? .now))
        guard case .disconnected(let path) = error else { return .interrupted(reason: error.message) }
        return .interrupted(reason: "the camera at \(path) was unplugged")
    }

    /// Waits until the source may be back or is needed again, and opens it.
    private func look(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome {
        switch absence {
        case .off: alarm.wait { power.isOn }
        case .busy(let error, let since):
            sleep(until: end(of: since))
            if let since { try limit(error, since) }
        case .away(let error, let since):
            sleep(until: end(of: since))
            try limit(error, since)
        }
        guard !alarm.isOff else { return .nothing }
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
            comeBack()
            if let failed = (returned as? any CameraSource)?.settingsFailed, !failed.isEmpty {
                whenSettingsFail?(failed)
            }
            let isAnother = returned.description.identity != description.identity
            description = returned.description
            return isAnother ? .moved(to: description) : .nothing
        } catch {
            return try stayAway(because: error, &producer)
        }
    }

    /// Throws the error if the source has been away for too long.
    private func limit(_ error: CameraError, _ since: Timestamp) throws(CameraError) {
        guard let limit = policy.limit, Timestamp.now - since > limit, !alarm.isOff else { return }
        // Another camera may go on, if there is one: the next look shows.
        guard !hold.isHeld else { return hold.waive() }
        throw error
    }

    /// What becomes of a return that failed: the source is still absent, or is so for another reason than before.
    private func stayAway(because error: CameraError, _ producer: inout RingProducer) throws(CameraError) -> StepOutcome
    {
        guard succession.goesOn(after: error) else { throw error }
        if case .noSuchDevice = error { isThere = false } else { isThere = true }
        switch (error, absence) {
        case (.busy, .busy(_, let since)):
            leave(&producer, .busy(error, since: since))
            return .nothing
        case (.busy, .away(_, let since)):
            leave(&producer, .busy(error, since: since))
            return .busy(error)
        case (.busy, .off):
            leave(&producer, .busy(error, since: nil))
            return .busy(error)
        case (_, .away):
            // It was unplugged again, or has no permissions yet.
            leave(&producer, absence)
            return .nothing
        case (.noSuchDevice(let name, _), .busy(_, let since)):
            return try lose(.disconnected(path: name), since: since, &producer)
        case (.noSuchDevice(let name, _), _): return try lose(.disconnected(path: name), &producer)
        case (_, .busy(_, let since)): return try lose(error, since: since, &producer)
        default: return try lose(error, &producer)
        }
    }
}

/// Passes an interrupt on to the source that is there.
private final class InterruptRelay: Sendable {
    private let target = Guarded<(@Sendable () -> Void)?>(nil)

    func aim(at interrupt: (@Sendable () -> Void)?) { target.withLock { $0 = interrupt } }
    func interrupt() { target.withLock { $0 }?() }
}
