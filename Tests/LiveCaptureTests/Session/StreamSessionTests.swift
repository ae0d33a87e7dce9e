// SPDX-License-Identifier: MIT
// Sessions that take no photos: hosts of recordings, movies and other sinks alone.

import Camera
import LivecapFrames
import LivecapStreams
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct StreamSessionTests {
    @Test func aTapFailsAtOnce() async throws {
        let session = try fastSession("tripod:frames=5") { $0.takesPhotos = false }
        let capture = session.photoOutput.capture(at: .offset(.milliseconds(30)))
        session.begin()
        #expect(await capture.failure() == .overloaded)
        session.end()
    }

    @Test func allOfItsMemoryIsForFrames() throws {
        func slots(takesPhotos: Bool) throws -> Int {
            let session = try fastSession("tripod:frames=5") {
                $0.history = .seconds(600)
                $0.memory = 16 << 20
                $0.takesPhotos = takesPhotos
            }
            return session.granted.slots
        }
        #expect(try slots(takesPhotos: false) > slots(takesPhotos: true))
    }

    /// A source at the fast pace waits for them, and for nothing else of the session.
    @Test func outputsGetItsFrames() throws {
        let session = try fastSession("tripod:frames=40") { $0.takesPhotos = false }
        let output = FrameOutput(FrameOutputSettings(delivery: .every, depth: 2))
        try session.add(output)
        session.begin()
        var count = 0
        while case .picture = output.next(until: .distantFuture) { count += 1 }
        #expect(count == 40)
        session.end()
    }

    @Test func framesThatCannotBeDecodedAreKept() throws {
        let format = FrameFormat(pixelFormat: .h264, size: FrameSize(width: 64, height: 48))
        let script = Script()
        func session(takesPhotos: Bool) throws(CameraError) -> CaptureSession {
            var options = SessionOptions()
            options.takesPhotos = takesPhotos
            return try CaptureSession(ScriptedSource(script, format: format), options)
        }
        #expect(throws: CameraError.self) { try session(takesPhotos: true) }
        let host = try session(takesPhotos: false)
        host.begin()
        script.frames(0..<3)
        #expect(host.statistics.published == 3)
        host.end()
    }
}
