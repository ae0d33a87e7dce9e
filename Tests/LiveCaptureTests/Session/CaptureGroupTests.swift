// SPDX-License-Identifier: MIT
// Several sources that answer one tap with the same instant.

import Camera
import Foundation
import LiveCapture
import LivecapDeveloping
import LivecapFrames
import LivecapSeededRandom
import Testing

@Suite(.timeLimit(.usual)) struct CaptureGroupTests {
    /// A small scene at the fast pace, which waits for nobody.
    private func session(_ rate: FrameRate, frames: Int = 60, history: Duration? = nil) throws -> CaptureSession {
        var options = SessionOptions()
        options.threads = 1
        options.memory = 256 << 20
        options.history = history
        return try CaptureSession(
            opening: .synthetic(
                SyntheticSettings("tripod:frames=\(frames)"), size: FrameSize(width: 96, height: 64), rate: rate, .fast),
            options)
    }

    private func begin(_ group: CaptureGroup) { for stream in group.streams { stream.session.begin() } }

    @Test func oneTapGivesAPhotoOfTheSameInstantFromEach() async throws {
        let group = try CaptureGroup([session(FrameRate(30)), session(FrameRate(25)), session(FrameRate(15))])
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededRandom(seed: seed)
        let taps = (0..<20).map { _ in Timestamp.zero + .milliseconds(Int64.random(in: 100...1900, using: &random)) }
        let captures = try taps.map { try group.capture(PhotoSettings(quality: .speed), at: .at($0)) }
        begin(group)
        for (tap, capture) in zip(taps, captures) {
            let photo = await capture.photo()
            #expect(photo.members.map(\.stream) == group.streams.map(\.name))
            for (member, rate) in zip(photo.members, [30, 25, 15.0]) {
                let taken = try member.result.get()
                #expect(taken.group == PhotoGroup(id: photo.id, stream: member.stream))
                #expect(
                    (taken.reference.time - tap).magnitude <= .nanoseconds(Int64(0.5e9 / rate)) + .nanoseconds(1),
                    "seed \(seed)")
            }
            let times = try photo.members.map { try $0.result.get().reference.time }
            #expect(photo.spread?.value == times.max()! - times.min()!)
        }
        await group.stop()
    }

    @Test func aMeasuredOffsetMovesTheMomentAndWidensTheBound() async throws {
        let sessions = try [session(FrameRate(30)), session(FrameRate(30))]
        let offset = ClockOffset(.milliseconds(200), bound: .milliseconds(2))
        let group = try CaptureGroup(sessions) { _ in offset }
        #expect(group.streams.map(\.offset) == [.none, offset])
        let capture = try group.capture(PhotoSettings(quality: .speed), at: .at(.zero + .milliseconds(1000)))
        begin(group)
        let photo = await capture.photo()
        let times = try photo.members.map { try $0.result.get().reference.time }
        #expect(times == [.zero + .milliseconds(1000), .zero + .milliseconds(1200)])
        #expect(photo.difference(0, 1) == MomentDifference(value: .zero, bound: .milliseconds(2)))
        #expect(try photo.members[1].result.get().lagBound == .milliseconds(2))
        await group.stop()
    }

    @Test func aCameraThatFailsLeavesTheOthersTheirPhotos() async throws {
        // The second one ends before the moment.
        let group = try CaptureGroup([session(FrameRate(30)), session(FrameRate(30), frames: 5)])
        let capture = try group.capture(PhotoSettings(quality: .speed), at: .at(.zero + .milliseconds(1500)))
        begin(group)
        let photo = await capture.photo()
        #expect(photo.members[0].photo != nil && photo.members[1].photo == nil)
        #expect(photo.spread == nil && photo.difference(0, 1) == nil)
        await group.stop()
    }

    @Test func aFrameOfTheFirstCameraIsTheMomentForAll() async throws {
        let group = try CaptureGroup([session(FrameRate(30), history: .seconds(3)), session(FrameRate(30))])
        try await group.start()
        let ring = group.streams[0].session.ring
        _ = ring.wait(forCounter: 59)
        let capture = try group.capture(PhotoSettings(quality: .speed), at: .frame(FrameID(epoch: 0, counter: 45)))
        let photo = await capture.photo()
        #expect(try photo.members[0].result.get().reference.id == FrameID(epoch: 0, counter: 45))
        #expect(throws: CaptureGroupError.frameGone(FrameID(epoch: 7, counter: 1))) {
            try group.capture(at: .frame(FrameID(epoch: 7, counter: 1)))
        }
        await group.stop()
    }

    @Test func camerasOfTheSameNameAreNumbered() throws {
        let group = try CaptureGroup([session(FrameRate(30)), session(FrameRate(30)), session(FrameRate(30))])
        let name = group.streams[0].name
        #expect(group.streams.map(\.name) == [name, "\(name) 2", "\(name) 3"])
    }

    @Test func clocksMustBeTheSame() throws {
        let paced = try CaptureSession(
            opening: .synthetic(SyntheticSettings("tripod"), size: FrameSize(width: 96, height: 64), .realtime),
            SessionOptions())
        #expect(throws: CaptureGroupError.self) { try CaptureGroup([session(FrameRate(30)), paced]) }
        #expect(throws: CaptureGroupError.tooFew) { try CaptureGroup([]) }
    }

    @Test func aNameThatIsNoneIsRefused() throws {
        let group = try CaptureGroup([session(FrameRate(30))])
        #expect(throws: CaptureGroupError.badName("a b")) { try group.capture(id: "a b") }
    }

    @Test func ifOneDoesNotStartNoneRuns() async throws {
        let broken = CaptureSource.custom { throw CameraError.sourceFailed(name: "test", reason: "not today") }
        let error = await #expect(throws: CaptureGroupError.self) {
            _ = try await CaptureGroup([
                .synthetic(SyntheticSettings("tripod"), size: FrameSize(width: 96, height: 64), .fast), broken,
            ])
        }
        #expect(error == .source(1, .sourceFailed(name: "test", reason: "not today")))
    }
}
