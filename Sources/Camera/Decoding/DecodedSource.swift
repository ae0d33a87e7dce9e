// SPDX-License-Identifier: MIT
// A camera of compressed video as a source of pictures: each frame is decoded between the driver and the ring.

import FrameRing
import LivecapFrames
import LivecapThreads

/// Fills a ring with the pictures of another source, whose frames are H.264 or HEVC. A frame builds on those before it,
/// so each is decoded when it comes, and never at a tap.
///
/// The camera's thread (`capture`) does as ever, and fills a small ring of compressed frames. The thread that steps
/// this source (`decode`) follows that ring, and decodes each frame into a slot of the ring of pictures, with the
/// metadata that the camera's thread gave it: pictures have the times of their capture. Frames that cannot be decoded
/// become frames without bytes, marked as damaged, so that every reader knows why there is no picture. Meanwhile the
/// camera is asked for a picture that needs no other, if it can be asked.
final class DecodedSource: FrameSource {
    /// The camera, in the format of the pictures.
    private(set) var description: SourceDescription
    /// The camera itself.
    let source: any FrameSource
    /// What has been decoded so far. Any thread may read it.
    let account = DecodingAccount()
    /// Whether the camera's thread is to have real-time priority. Decoding has ordinary priority.
    var isRealTime = false
    /// Told whether it has got it.
    var whenRaised: (@Sendable (Bool) -> Void)?

    private let decoder: VideoDecoder
    private let requests: KeyFrameRequests?
    private var wait = KeyFrameWait()
    private let intake: FrameIntake
    /// The camera's frames as they came, with the times of their pictures. Nil until there is a ring.
    private(set) var compressed: Ring?
    /// Nil until the source is started.
    private var frames: FrameSubscription?
    private let pause = StepPause()
    /// How many of the missed frames have been counted.
    private var missed: UInt64 = 0
    /// The losses before frames that are no part of a picture. The next frame reports them.
    private var lostBeforeParameters: UInt32 = 0
    /// The metadata of frames that the decoder has, by their numbers. Pictures of damaged ones are not to be seen.
    private let pending: UnsafeMutablePointer<FrameMetadata>
    private var number: Int64 = 0
    private var held = 0
    private var lastTime = Timestamp(nanoseconds: .min)
    /// Pictures in a row that a ring of this format cannot take.
    private var refused = 0

    /// The most pictures that a stream may hold back, and room for the next one.
    private static let pendingFrames: Int64 = 32
    /// A damaged frame may look like one of another kind, but hardly three in a row.
    private static let refusals = 3
    /// How much compressed video may wait to be decoded. When it is full, frames are lost, and counted.
    private static let backlog = RingCapacity(duration: .seconds(1), byteCap: 64 << 20)

    /// Opens a decoder for a source's frames. `askForKeyFrame` asks the camera for one; nil if it cannot be asked.
    /// - Throws: `noDecoder`.
    init(_ source: any FrameSource, askForKeyFrame: KeyFrameRequests.Ask? = nil) throws(CameraError) {
        self.source = source
        requests = askForKeyFrame.map { [account] in KeyFrameRequests(to: source.description.identity, account, $0) }
        decoder = try VideoDecoder(source.description.format)
        description = source.description
        intake = FrameIntake(source)
        pending = .allocate(capacity: Int(Self.pendingFrames))
        pending.initialize(repeating: FrameMetadata(time: .zero, byteCount: 0), count: Int(Self.pendingFrames))
        description = pictures(of: source.description)
    }

    deinit { pending.deallocate() }

    private func pictures(of source: SourceDescription) -> SourceDescription {
        var description = source
        description.format = decoder.format
        // The driver's buffers are not of this ring.
        description.reserve = 1
        return description
    }

    /// How compressed frames get from the driver to the decoder.
    var transport: Transport? { source.transport }

    func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
        var backlog = Self.backlog
        let format = source.description.format
        backlog.byteCap = max(backlog.byteCap, RingCapacity.minBytes(format: format, reserve: description.reserve))
        compressed = try source.makeRing(backlog).ring
        pause.ring = compressed
        return try makeSlabRing(capacity, format: description.format, rate: description.rate)
    }

    func start(_ producer: inout RingProducer) throws(CameraError) {
        guard let compressed else { throw .disconnected(path: description.identity) }
        var filling = RingProducer(filling: compressed, epoch: producer.epoch)
        frames = FrameSubscription(to: compressed)
        try source.start(&filling)
        try intake.begin(filling, isRealTime: isRealTime, whenRaised: whenRaised)
    }

    func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome {
        if let news = intake.takeNews(before: frames!.place().next) { return try outcome(of: news) }
        let deadline = Timestamp.now + .milliseconds(500)
        switch frames!.next(until: deadline, unless: { intake.hasNews || pause.isAsked }) {
        case .frame(let lease):
            // Whatever is noticed before a frame is published is seen with the frame, and comes first.
            if let news = intake.takeNews(before: lease.metadata.id.counter) {
                frames!.goBack(to: lease.metadata.id.counter)
                return try outcome(of: news)
            }
            return try decode(lease, &producer)
        case .timedOut:
            pause.end()
            return .nothing
        case .ended:
            guard let news = intake.takeNews(before: .max) else { return .ended }
            return try outcome(of: news)
        }
    }

    func stop() {
        requests?.end()
        intake.end()
        source.stop()
    }

    var interrupt: @Sendable () -> Void {
        let pause = pause
        return { pause.ask() }
    }

    private func outcome(of news: Result<StepOutcome, CameraError>) throws(CameraError) -> StepOutcome {
        guard case .moved(let other) = try news.get() else { return try news.get() }
        description = pictures(of: other)
        requests?.move(to: other.identity)
        return .moved(to: description)
    }

    // MARK: The path of a frame. Nothing of ours here allocates, locks or logs.

    private func decode(
        _ lease: borrowing FrameLease, _ producer: inout RingProducer
    ) throws(CameraError) -> StepOutcome {
        var frame = lease.metadata
        let begun = Timestamp.now
        if frame.id.epoch != producer.epoch { producer.beginEpoch(frame.id.epoch) }
        let allMissed = frames!.place().missed
        frame.noteLoss(UInt32(clamping: allMissed - missed))
        frame.noteLoss(lostBeforeParameters)
        lostBeforeParameters = 0
        missed = allMissed
        let damage = lease.withBytes { bytes in bytes.withUnsafeBytes { give($0, frame) } }
        if damage == Damage.none { return leaveOut(frame, .none, &producer) }
        let outcome =
            if let damage { leaveOut(frame, damage, &producer) } else { try deliver(since: begun, &producer) }
        if wait.isWaiting || wait.isRecovering { requests?.wish(at: begun) }
        return outcome
    }

    /// Gives the decoder a frame. Returns why it has not taken it; `none` if it belongs to no picture.
    private func give(_ bytes: UnsafeRawBufferPointer, _ frame: FrameMetadata) -> Damage? {
        let verdict = wait.judge(frame, decoder.content(of: bytes))
        if case .leaveOut(let damage) = verdict { return damage }
        if verdict.begins {
            decoder.forgetPictures()
            held = 0
        }
        let isTaken = decoder.send(bytes, number: number, beginsUnannounced: verdict == .beginUnannounced)
        // What has parameters alone is no frame of a picture.
        if verdict == .takeParameters { return Damage.none }
        guard isTaken else {
            // Decoders refuse some of the frames that build on what was lost.
            guard !wait.isRecovering else { return .needsKeyFrame }
            wait.lose()
            return .undecodable
        }
        var pending = frame
        if verdict.isUnseen { pending.markDamaged(.needsKeyFrame) }
        self.pending[Int(number % Self.pendingFrames)] = pending
        number += 1
        held += 1
        return nil
    }

    /// Publishes the pictures that the decoder has now: one, unless the stream holds some back.
    private func deliver(
        since begun: Timestamp, _ producer: inout RingProducer
    ) throws(CameraError) -> StepOutcome {
        var outcome = StepOutcome.nothing
        while true {
            switch decoder.next() {
            case .none:
                guard outcome == .nothing, wait.isRecovering else {
                    account.heldBack(held)
                    return outcome
                }
                // Decoders keep pictures back that are not whole yet.
                held = 0
                return leaveOutUnwhole(number - 1, &producer)
            case .failed:
                held = 0
                guard !wait.isRecovering else { return leaveOutUnwhole(number - 1, &producer) }
                wait.lose()
                return leaveOut(frame(number - 1), .undecodable, &producer)
            case .damaged(let number):
                held = max(0, held - 1)
                try refuse()
                if wait.isRecovering {
                    outcome = leaveOutUnwhole(number, &producer)
                } else {
                    wait.lose()
                    outcome = leaveOut(frame(number), .undecodable, &producer)
                }
            case .picture(let number):
                held = max(0, held - 1)
                refused = 0
                let frame = frame(number)
                guard frame.isUsable else {
                    outcome = leaveOutUnwhole(number, &producer)
                    continue
                }
                wait.noteWhole()
                outcome = publish(frame, &producer)
                account.decoded(in: .now - begun)
            }
        }
    }

    /// Publishes a frame of a refresh whose picture is not whole yet.
    private func leaveOutUnwhole(_ number: Int64, _ producer: inout RingProducer) -> StepOutcome {
        wait.noteUnwhole()
        return leaveOut(frame(number), .needsKeyFrame, &producer)
    }

    /// Fails if the camera's pictures are whole and yet never those of the ring's format.
    private func refuse() throws(CameraError) {
        guard let refusal = decoder.refusal else { return refused = 0 }
        refused += 1
        guard refused < Self.refusals else { throw .notSupported(path: description.identity, detail: refusal) }
    }

    private func frame(_ number: Int64) -> FrameMetadata { pending[Int(max(0, number) % Self.pendingFrames)] }

    private func publish(_ frame: FrameMetadata, _ producer: inout RingProducer) -> StepOutcome {
        // Pictures out of order have no place in a ring, and neither have those without a slot.
        guard frame.time >= lastTime, let slot = producer.claim() else {
            producer.drop(lostBefore: frame.lostBefore)
            return .dropped
        }
        decoder.store(into: producer.bytes(of: slot))
        var picture = frame
        picture.byteCount = description.format.byteCount
        picture.flags.remove(.firstOfEpoch)
        lastTime = picture.time
        producer.countCopied(picture.byteCount)
        return .published(producer.publish(slot, picture))
    }

    /// Publishes a frame without a picture.
    private func leaveOut(_ frame: FrameMetadata, _ damage: Damage, _ producer: inout RingProducer) -> StepOutcome {
        guard damage != .none else {
            lostBeforeParameters = frame.lostBefore
            return .nothing
        }
        account.leftOut(damage)
        guard frame.time >= lastTime, let slot = producer.claim() else {
            producer.drop(lostBefore: frame.lostBefore)
            return .dropped
        }
        var empty = frame
        empty.byteCount = 0
        empty.flags.remove(.firstOfEpoch)
        empty.markDamaged(damage)
        lastTime = empty.time
        return .published(producer.publish(slot, empty))
    }
}

extension FrameSubscription {
    /// Where it is. Mutating, because only so can it be called on an optional without consuming that.
    fileprivate mutating func place() -> (next: UInt64, missed: UInt64) { (nextCounter, missed) }
}
