// SPDX-License-Identifier: MIT
// A camera's own H.264 for viewers: byte for byte, with the names of its pictures.

import FrameRing
import Glibc
import LiveCapture
import LivecapFrames
import LivecapMovies
import LivecapThreads
import LivecapWebGear
import Synchronization
import Testing

@testable import Camera
@testable import LivecapServing

/// Half a second of a camera's H.264, which begins with a key frame.
private enum CameraClip {
    static let size = FrameSize(width: 640, height: 480)
    static let frames = (try? make(15)) ?? []
    static var isAvailable: Bool { !frames.isEmpty }

    /// A bar that moves over grey.
    private static func make(_ count: Int) throws -> [[UInt8]] {
        let format = FrameFormat(pixelFormat: .i420, size: size)
        let encoder = try LiveEncoder(
            LiveEncoder.Settings(pictures: format, rate: FrameRate(30), bitsPerSecond: 1_000_000))
        var frames: [[UInt8]] = []
        for number in 0..<count {
            var bytes = [UInt8](repeating: 128, count: format.byteCount)
            for row in 0..<size.height {
                for column in 0..<16 { bytes[row * size.width + number * 16 + column] = 235 }
            }
            let frame = FrameMetadata(time: .zero + .milliseconds(33 * number), byteCount: bytes.count)
            try encoder.encode(bytes.span.bytes, of: frame, isKey: false) { frames.append($0.bytes) }
        }
        // A unit that fills up, as cameras of a constant rate send it. No encoder of the server does.
        return frames.map { $0 + [0, 0, 1, 0x0C, 0xFF, 0x80] }
    }
}

@Suite(
    .serialized, .enabled(if: CameraClip.isAvailable, "FFmpeg's libraries, or libx264, are not installed"),
    .timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60)))
struct CameraVideoTests {
    private static let video = HTTPRequest("GET", "/frames?codec=h264")
    /// On a busy machine, it may be given up and tried again, after half a minute.
    private static let patience = 6000

    /// Serves a camera that gives these frames again and again.
    private func serve(
        _ camera: VideoCamera.Script = VideoCamera.Script(CameraClip.frames),
        _ body: (ServedScene) async throws -> Void
    ) async throws {
        let source = CaptureSource.custom { try DecodedSource(VideoCamera(camera, size: CameraClip.size)) }
        try await withServedScene(source: source, body)
    }

    /// The first record that has a frame of the camera.
    private func begin(_ records: FrameRecords) throws -> FrameRecord {
        for _ in 0..<Self.patience {
            let record = try records.nextFrame()
            if record.jpeg == CameraClip.frames[0] { return record }
        }
        throw WireError.timedOut("a frame of the camera")
    }

    @Test func framesArriveAsTheyAreWithTheNamesOfTheirPictures() async throws {
        try await serve { scene in
            let records = try FrameRecords(port: scene.port, Self.video)
            // It begins with an encoded picture, without a wait for the camera.
            let first = try records.nextFrame()
            #expect(first.kind == .key && !CameraClip.frames.contains(first.jpeg))
            var record = try begin(records)
            for index in 0..<45 {
                #expect(record.jpeg == CameraClip.frames[index % 15])
                #expect(record.kind == (index % 15 == 0 ? .key : .dependent) && record.size == CameraClip.size)
                let id = try #require(FrameID(record.id))
                let found = scene.session.ring.lease(id: id)?.metadata
                let picture = try #require(found)
                #expect(picture.time == record.time && Int(picture.sequence) % 15 == index % 15 && picture.isUsable)
                let next = try records.nextFrame()
                #expect(next.counter == record.counter + 1 && next.number == record.number + 1)
                record = next
            }
            let status = try HTTPConnection.get(port: scene.port, "/status").json?["video"]
            #expect(status?["source"]?.text == "\"the camera's own H.264\"")
        }
    }

    @Test func whoComesMeanwhileBeginsWithAKeyOfTheCamera() async throws {
        try await serve { scene in
            let records = try FrameRecords(port: scene.port, Self.video)
            _ = try begin(records)
            let second = try FrameRecords(port: scene.port, Self.video)
            let first = try second.nextFrame()
            #expect(first.kind == .key && first.jpeg == CameraClip.frames[0])
        }
    }

    @Test func otherSizesAreEncoded() async throws {
        try await serve { scene in
            let small = try FrameRecords(port: scene.port, HTTPRequest("GET", "/frames?codec=h264&width=320"))
            let whole = try FrameRecords(port: scene.port, HTTPRequest("GET", "/frames?codec=h264&width=640"))
            _ = try begin(whole)
            for index in 0..<20 {
                let record = try small.nextFrame()
                #expect(record.size == FrameSize(width: 320, height: 240) && !CameraClip.frames.contains(record.jpeg))
                #expect(index > 0 || record.kind == .key)
            }
        }
    }

    @Test func aLostFrameEndsItWithAnEncodedKey() async throws {
        let script = VideoCamera.Script(CameraClip.frames)
        try await serve(script) { scene in
            let records = try FrameRecords(port: scene.port, Self.video)
            var last = try begin(records)
            script.lose()
            var record = try records.nextFrame()
            while CameraClip.frames.contains(record.jpeg) {
                #expect(record.counter == last.counter + 1)
                last = record
                record = try records.nextFrame()
            }
            #expect(record.kind == .key && record.counter > last.counter && record.number == last.number + 1)
            for _ in 0..<20 {
                let next = try records.nextFrame()
                #expect(!CameraClip.frames.contains(next.jpeg) && next.counter > record.counter)
                record = next
            }
            let status = try HTTPConnection.get(port: scene.port, "/status").json?["video"]
            #expect(status?["source"] == nil)
        }
    }

    @Test func keysWithoutParametersGetThem() async throws {
        var frames = CameraClip.frames
        // As of a camera that sends them once.
        let first = frames[0]
        let found = first.indices.last { first[$0...].starts(with: [0, 0, 1, 0x65]) }
        let slice = try #require(found)
        let bare = Array(first[slice...])
        let script = VideoCamera.Script(frames)
        frames[0] = bare
        let later = frames
        try await serve(script) { scene in
            let records = try FrameRecords(port: scene.port, Self.video)
            // They come with the first frames that are passed on.
            while try !CameraClip.frames.contains(records.nextFrame().jpeg) {}
            script.laterFrames.withLock { $0 = later }
            for _ in 0..<Self.patience {
                let record = try records.nextFrame()
                guard record.kind == .key, record.jpeg.suffix(bare.count) == bare[...] else { continue }
                let whole = CameraClip.frames[0]
                let has = H264Head(of: record.jpeg.span.bytes)
                let should = H264Head(of: whole.span.bytes)
                #expect(has.parameters == should.parameters && !has.parameters.isEmpty)
                return
            }
            Issue.record("no key frame of the camera came")
        }
    }
}

/// A camera that gives the same frames of H.264 again and again, and never two of them at once.
final class VideoCamera: FrameSource {
    /// What it gives.
    final class Script: Sendable {
        let firstFrames: [[UInt8]]
        /// What it gives from the second time on, if that is something else.
        let laterFrames = Guarded<[[UInt8]]?>(nil)
        private let isLosing = Atomic(false)

        init(_ frames: [[UInt8]]) { firstFrames = frames }

        /// The next frame that builds on another does not come.
        func lose() { isLosing.store(true, ordering: .relaxed) }

        func frame(_ number: Int) -> [UInt8] {
            let frames = number < firstFrames.count ? firstFrames : laterFrames.withLock { $0 } ?? firstFrames
            return frames[number % frames.count]
        }

        func loses(_ number: Int) -> Bool {
            number % firstFrames.count != 0 && isLosing.exchange(false, ordering: .relaxed)
        }
    }

    let description: SourceDescription
    let transport: Transport? = .copied
    private let script: Script
    private let alarm = Alarm()
    private var next = Timestamp.zero
    private var number = 0

    init(_ script: Script, size: FrameSize) {
        self.script = script
        var format = FrameFormat(pixelFormat: .h264, size: size)
        format.byteCount = 65536
        description = SourceDescription(
            name: "Eye", identity: "eye", format: format, rate: FrameRate(30), clock: .monotonic, reserve: 4)
    }

    func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
        try makeSlabRing(capacity, format: description.format, rate: FrameRate(30))
    }

    func start(_ producer: inout RingProducer) throws(CameraError) {}

    func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome {
        next = max(next, .now) + .milliseconds(33)
        alarm.wait(until: next)
        guard !alarm.isOff else { return .nothing }
        let isLost = script.loses(number)
        if isLost { number += 1 }
        let bytes = script.frame(number)
        guard let slot = producer.claim(byteCount: bytes.count) else { return .dropped }
        producer.bytes(of: slot).copyBytes(from: bytes)
        var frame = FrameMetadata(time: next, byteCount: bytes.count, sequence: UInt32(number))
        if isLost { frame.noteLoss(1) }
        number += 1
        return .published(producer.publish(slot, frame))
    }

    func stop() { alarm.switchOff() }

    var interrupt: @Sendable () -> Void { { [alarm] in alarm.switchOff() } }
}
