// SPDX-License-Identifier: MIT
// A camera of compressed video that does what a script says, and the pictures that come of it.

import FrameRing
import LivecapFrames
import Testing

@testable import Camera

/// A camera that delivers a clip's frames as a script says.
final class ScriptedVideo: FrameSource {
    /// What it does next.
    enum Act {
        case frame(Int, lost: UInt32 = 0, damage: Damage = .none)
        case news(StepOutcome)
        case fail(CameraError)
        /// Waits until it is interrupted.
        case hang
        /// Something else, between two frames.
        case call(@Sendable () -> Void)
    }

    let description: SourceDescription
    let transport: Transport? = .copied
    private let clip: VideoClip
    private var acts: [Act]
    private let alarm = Alarm()

    init(_ clip: VideoClip, _ acts: [Act]) {
        self.clip = clip
        self.acts = acts
        var format = clip.format
        format.byteCount = 65536
        description = SourceDescription(
            name: "Eye", identity: "eye", format: format, rate: FrameRate(30), clock: .monotonic, reserve: 4)
    }

    func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
        try makeSlabRing(capacity, format: description.format, rate: FrameRate(30))
    }
    func start(_ producer: inout RingProducer) throws(CameraError) {}
    func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome {
        guard !acts.isEmpty else { return .ended }
        switch acts.removeFirst() {
        case .frame(let number, let lost, let damage):
            var metadata = clip.metadata(number)
            metadata.noteLoss(lost)
            metadata.markDamaged(damage)
            let bytes = clip.frames[number]
            let slot = producer.claim(byteCount: bytes.count)!
            producer.bytes(of: slot).copyBytes(from: bytes)
            return .published(producer.publish(slot, metadata))
        case .news(let outcome):
            if case .restarted = outcome { producer.beginEpoch() }
            return outcome
        case .fail(let error): throw error
        case .hang:
            alarm.wait(until: .distantFuture)
            acts = [.hang]
            return .nothing
        case .call(let body):
            body()
            return .nothing
        }
    }
    func stop() {}
    var interrupt: @Sendable () -> Void { { [alarm] in alarm.switchOff() } }

    /// A loop of the pictures that come of a script.
    static func loop(
        _ clip: VideoClip, _ acts: [Act], askForKeyFrame: KeyFrameRequests.Ask? = nil
    ) throws -> CaptureLoop {
        try CaptureLoop(
            DecodedSource(ScriptedVideo(clip, acts), askForKeyFrame: askForKeyFrame),
            capacity: RingCapacity(duration: .seconds(4), byteCap: 64 << 20), isRealTime: false)
    }

    /// All frames that come of a script.
    static func run(
        _ clip: VideoClip, _ acts: [Act], askForKeyFrame: KeyFrameRequests.Ask? = nil
    ) throws -> (loop: CaptureLoop, frames: [SeenFrame]) {
        let loop = try loop(clip, acts, askForKeyFrame: askForKeyFrame)
        var subscription = FrameSubscription(to: loop.ring)
        loop.start()
        var seen: [SeenFrame] = []
        while case .frame(let frame) = subscription.next() {
            let bytes = frame.withBytes { $0.withUnsafeBytes { [UInt8]($0) } }
            seen.append(SeenFrame(metadata: frame.metadata, bytes: bytes))
        }
        #expect(subscription.missed == 0)
        loop.stop()
        return (loop, seen)
    }
}
