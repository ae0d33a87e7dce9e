// SPDX-License-Identifier: MIT
// Frames that are drawn anew, steadied or with effects, as a source like any other.

import Camera
import FrameRing
import Fusion
import LivecapFrames
import LivecapPictures
import LivecapStreams

/// Draws the frames of a stage's input into a ring of its own, as planes of 4:2:0. They keep their times, epochs and
/// flags. Frames that are damaged, cannot be decoded, or come faster than they are drawn are passed over, and counted
/// with the next one.
final class DrawnSource: FrameSource {
    let description: SourceDescription
    /// What readers of the drawn frames join to miss none, if the input's come at the fast pace.
    let gate: FollowerGate
    /// Which frames of the input the drawn ones were made of.
    let origins = FrameOrigins()
    private let input: StageInput
    private let makeDrawer: @Sendable () throws(CameraError) -> any FrameDrawer
    private let alarm = Alarm()
    private var drawer: any FrameDrawer
    private var picture: [UInt8]
    /// Nil while nobody wants its frames.
    private var frames: FrameSubscription?
    private var seenMissed: UInt64 = 0
    /// Frames that pressure has kept from being taken since the last one that was.
    private var thinned: UInt64 = 0
    private var hasPublished = false

    private var isPaced: Bool { input.gate != nil }

    /// Draws the frames of `input` for as long as they are wanted. `makeDrawer` makes what draws them: anew after
    /// a rest, if that cannot forget.
    /// - Throws: what `makeDrawer` throws.
    init(
        _ input: StageInput, _ makeDrawer: @escaping @Sendable () throws(CameraError) -> any FrameDrawer
    ) throws(CameraError) {
        self.input = input
        self.makeDrawer = makeDrawer
        drawer = try makeDrawer()
        drawer.follow(input.planes)
        picture = [UInt8](repeating: 0, count: drawer.format.byteCount)
        let gate = FollowerGate()
        self.gate = gate
        input.whenEnded { gate.open() }
        var description = input.source
        description.format = drawer.format
        description.reserve = 1
        self.description = description
        frames = input.takeBeginning()
    }

    /// Why frames of `format` cannot be `treated`, such as "steadied", as far as is known before one is there.
    static func refusal(of format: FrameFormat, treated: String) -> CameraError? {
        guard format.pixelFormat == .h264 || !Fuser.takes(PlaneFolding.pictures(of: format)) else { return nil }
        return .unsuitable(format, treated: treated)
    }

    /// The stream of what is drawn, in a ring of `capacity`.
    static func stream(
        of input: StageInput, _ capacity: RingCapacity,
        _ makeDrawer: @escaping @Sendable () throws(CameraError) -> any FrameDrawer
    ) throws(CameraError) -> StageStream {
        let source = try DrawnSource(input, makeDrawer)
        let (gate, origins) = (input.gate == nil ? nil : source.gate, source.origins)
        return StageStream(
            loop: try CaptureLoop(source, capacity: capacity, isRealTime: false), gate: gate,
            origin: { origins.origin(of: $0) })
    }

    func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
        try makeSlabRing(capacity, format: description.format, rate: description.rate)
    }

    func start(_ producer: inout RingProducer) throws(CameraError) {}

    func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome {
        guard !alarm.isOff else { return .nothing }
        guard !input.isOver else { return .ended }
        if let drawn = draw(isOver: false, &producer) { return drawn }
        guard input.isWanted else { return rest() }
        if frames == nil {
            if !drawer.forget() {
                drawer = try makeDrawer()
                drawer.follow(input.planes)
            }
            frames = FrameSubscription(to: input.ring, gate: input.gate)
            seenMissed = 0
            thinned = 0
        }
        switch frames!.poll(isPaced ? .every : .newest) {
        case .ended: return draw(isOver: true, &producer) ?? .ended
        case .timedOut:
            let next = frames?.nextCounter ?? .max
            input.wait(forCounter: next) { alarm.isOff || !input.isWanted }
            return .nothing
        case .frame(let lease):
            guard input.admits(lease.metadata.time) else {
                thinned += 1
                return .nothing
            }
            add(lease, &producer)
            return .nothing
        }
    }

    /// Sleeps until frames are wanted.
    private func rest() -> StepOutcome {
        frames = nil
        // It reports no longer how it keeps up.
        _ = drawer.forget()
        guard !input.ring.isEnded else { return .ended }
        input.wait(forCounter: .max) { alarm.isOff || input.isWanted }
        return .nothing
    }

    private func add(_ lease: borrowing FrameLease, _ producer: inout RingProducer) {
        var frame = lease.metadata
        let allMissed = frames?.missed ?? 0
        let missed = allMissed - seenMissed
        seenMissed = allMissed
        if missed + thinned > 0 {
            frame.lostBefore &+= UInt32(clamping: missed + thinned)
            frame.flags.insert(.gapBefore)
            drawer.passOver(Int(clamping: missed))
        }
        thinned = 0
        let isAdded = frame.isUsable && lease.withBytes { drawer.add(frame, $0) }
        if !isAdded { producer.drop(lostBefore: frame.lostBefore) }
    }

    /// Publishes the oldest picture that is ready; nil if none is.
    private func draw(isOver: Bool, _ producer: inout RingProducer) -> StepOutcome? {
        guard var frame = picture.withUnsafeMutableBytes({ drawer.draw(into: $0, isOver: isOver) }) else {
            return nil
        }
        if frame.id.epoch != producer.epoch || !hasPublished {
            producer.beginEpoch(frame.id.epoch)
            origins.note(own: producer.ring.nextCounter, of: frame.id.counter)
            hasPublished = true
        }
        if isPaced {
            gate.wait(untilFinishedBelow: producer.ring.nextCounter)
            guard !alarm.isOff else { return .nothing }
        }
        guard let slot = producer.claim() else {
            producer.drop(lostBefore: frame.lostBefore)
            return .dropped
        }
        picture.withUnsafeBytes { producer.bytes(of: slot).copyMemory(from: $0) }
        frame.byteCount = picture.count
        frame.flags.remove([.standardHuffmanTables, .firstOfEpoch])
        return .published(producer.publish(slot, frame))
    }

    func stop() {
        alarm.switchOff()
        gate.open()
    }

    var interrupt: @Sendable () -> Void {
        let (alarm, gate, ring) = (alarm, gate, input.ring)
        return {
            alarm.switchOff()
            gate.open()
            ring.wakeWaiters()
        }
    }
}
