// SPDX-License-Identifier: MIT
// Which frame a photo of a bracket is made of, whatever the camera does meanwhile.

import Camera
import FrameRing
import LivecapFrames
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct ExposureFollowerTests {
    private static let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 16, height: 8))

    /// A ring whose frames a test publishes.
    private struct Frames: ~Copyable {
        var producer: RingProducer
        let ring: Ring
        private var number = 0

        init() throws {
            ring = try makeSlabRing(
                RingCapacity(duration: .seconds(4), byteCap: 1 << 20), format: format, rate: FrameRate(30)
            ).ring
            producer = RingProducer(filling: ring)
        }

        /// Publishes frames of one level of grey.
        mutating func publish(_ count: Int, _ level: UInt8, damage: Damage = .none) {
            for _ in 0..<count {
                let time = Timestamp(nanoseconds: 33_333_333 * Int64(number))
                number += 1
                let id = producer.publish { bytes in
                    for place in 0..<bytes.byteCount {
                        bytes.storeBytes(of: level, toByteOffset: place, as: UInt8.self)
                    }
                    return FrameMetadata(time: time, byteCount: bytes.byteCount, damage: damage)
                }
                #expect(id != nil)
            }
        }
    }

    @Test func thePhotoHasOnlyFramesOfTheNewExposure() throws {
        var frames = try Frames()
        var follower = ExposureFollower(frames.ring) { false }
        frames.publish(4, 60)
        let level = try follower.settle()
        // Settled with the third; the camera is two frames late.
        frames.publish(2, 60)
        frames.publish(20, 120)
        let seen = try follower.follow(ExposureArrival(change: 1, from: level), thenFrames: 7)
        // The first frame of the new exposure is the seventh. Three alike, then eight more.
        #expect(seen.frame.counter == 6 + 2 + 8)
        #expect(abs((seen.level ?? 0) - 120.0 / 255) < 0.02)
    }

    @Test func damagedFramesDoNotCount() throws {
        var frames = try Frames()
        var follower = ExposureFollower(frames.ring) { false }
        frames.publish(3, 60)
        let level = try follower.settle()
        frames.publish(6, 120)
        frames.publish(5, 120, damage: .short)
        frames.publish(4, 120)
        let seen = try follower.follow(ExposureArrival(change: 1, from: level), thenFrames: 3)
        #expect(seen.frame.counter == 3 + 6 + 5 + 3)
    }

    @Test func aCameraThatBeginsAnewIsNotWaitedFor() throws {
        var frames = try Frames()
        var follower = ExposureFollower(frames.ring) { false }
        frames.publish(3, 60)
        _ = try follower.settle()
        frames.producer.epoch = 1
        frames.publish(1, 60)
        #expect(throws: PhotoError.cameraAway) { try follower.skip(1) }
    }

    @Test func framesThatStayAwayAreNotWaitedForForEver() throws {
        let frames = try Frames()
        var follower = ExposureFollower(frames.ring, patience: .zero) { false }
        #expect(throws: PhotoError.cameraAway) { try follower.skip(1) }
        var cancelled = ExposureFollower(frames.ring) { true }
        #expect(throws: PhotoError.cancelled) { try cancelled.skip(1) }
    }

    @Test func theEndOfTheStreamEndsTheWait() throws {
        let frames = try Frames()
        var follower = ExposureFollower(frames.ring) { false }
        _ = consume frames
        #expect(throws: PhotoError.streamEnded(nil)) { try follower.skip(1) }
    }

    @Test func aSceneHasNoExposureToSet() async throws {
        // Without an end, so that the session still runs when it is asked.
        let scene = CaptureSource.synthetic(
            try SyntheticSettings("object:seed=5"), pixelFormat: .yuyv, size: FrameSize(width: 48, height: 32),
            .realtime)
        var options = SessionOptions()
        options.memory = 64 << 20
        let session = try CaptureSession(opening: scene, options)
        defer { session.end() }
        session.begin()
        await #expect {
            _ = try await session.captureBracket(of: [0])
        } throws: {
            if case .badSettings? = $0 as? PhotoError { true } else { false }
        }
        await #expect(throws: PhotoError.self) { _ = try await session.captureBracket(of: []) }
        await #expect(throws: PhotoError.self) { _ = try await session.captureBracket(of: [.nan]) }
    }
}
