// SPDX-License-Identifier: MIT
// Photos of synthetic scenes, from the tap to the bytes.

import Camera
import LiveCapture
import LivecapFrames
import Testing

/// A session with a small scene at the fast pace.
func fastSession(
    _ scene: String, size: FrameSize = FrameSize(width: 96, height: 64), pixelFormat: PixelFormat = .yuyv,
    _ change: (inout SessionOptions) -> Void = { _ in }
) throws -> CaptureSession {
    var options = SessionOptions()
    (options.threads, options.memory) = (2, 256 << 20)
    change(&options)
    return try CaptureSession(
        opening: .synthetic(SyntheticSettings(scene), pixelFormat: pixelFormat, size: size, .fast), options)
}

@Suite(.timeLimit(.usual)) struct SessionTests {
    @Test func aTapBecomesThePhotoOfItsMoment() async throws {
        let session = try fastSession("handheld:frames=30")
        let capture = session.photoOutput.capture(at: .offset(.milliseconds(500)))
        session.begin()
        let photo = try await capture.photo()
        #expect(photo.reference.id.counter == 15)
        #expect(photo.lag == .zero)
        #expect(photo.used.count + photo.rejected.count == 8)
        #expect(photo.bytes.starts(with: [0xFF, 0xD8]))
        session.end()
    }

    @Test func slowSourcesKeepEnoughForManyFrames() async throws {
        // Twelve frames of 200 ms each are more than the default history.
        var options = SessionOptions()
        (options.threads, options.memory) = (2, 256 << 20)
        let session = try CaptureSession(
            opening: .synthetic(
                SyntheticSettings("tripod:frames=40"), size: FrameSize(width: 96, height: 64), rate: FrameRate(5), .fast
            ),
            options)
        let capture = session.photoOutput.capture(
            PhotoSettings(frames: 12, laterFrames: 10), at: .offset(.milliseconds(2000)))
        session.begin()
        let photo = try await capture.photo()
        #expect(photo.reference.id.counter == 10)
        #expect(photo.used.count + photo.rejected.count == 12)
        session.end()
    }

    @Test func eventsComeInOrderAndEndWithThePhoto() async throws {
        let session = try fastSession("tripod:frames=20")
        let capture = session.photoOutput.capture(at: .offset(.milliseconds(300)))
        session.begin()
        var names: [String] = []
        for await event in capture {
            switch event {
            case .willBeginCapture(let resolved):
                #expect(resolved.frames == 8)
                names.append("begin")
            case .didFinishCapture(let frames):
                #expect(frames.count == 8)
                names.append("captured")
            case .framesNotKept: names.append("not kept")
            case .photo: names.append("photo")
            case .proxy: names.append("proxy")
            case .failed(let error): names.append("failed: \(error.message)")
            }
        }
        #expect(names == ["begin", "captured", "photo"])
        session.end()
    }

    @Test func shotsOfEveryMomentOverlapAndKeepTheirIDs() async throws {
        let session = try fastSession("object:frames=40")
        let captures = (0..<24).map { number -> PhotoCapture in
            let settings = PhotoSettings(quality: number % 8 == 0 ? .balanced : .speed)
            return session.photoOutput.capture(settings, at: .offset(.milliseconds(33 * number)))
        }
        session.begin()
        for (number, capture) in captures.enumerated() {
            let photo = try await capture.photo()
            #expect(photo.shot == capture.id)
            #expect(photo.tap == Timestamp.zero + .milliseconds(Int64(33 * number)))
            #expect(photo.lag.magnitude <= .milliseconds(17))
        }
        session.end()
        #expect(session.photoOutput.shotsInProgress == 0)
    }

    @Test func withoutFramesLaterOnesCannotBeWaitedFor() async throws {
        let session = try fastSession("tripod:frames=5")
        let capture = session.photoOutput.capture(at: .offset(.milliseconds(900)))
        session.begin()
        await #expect(throws: PhotoError.self) { try await capture.photo() }
        session.end()
    }

    @Test func theSameShotsGiveTheSameBytes() async throws {
        func bytes(threads: Int) async throws -> [[UInt8]] {
            let session = try fastSession("handheld:frames=20,seed=3") { $0.threads = threads }
            let captures = [200, 300].map { session.photoOutput.capture(at: .offset(.milliseconds($0))) }
            session.begin()
            var all: [[UInt8]] = []
            for capture in captures { all.append(try await capture.photo().bytes) }
            session.end()
            return all
        }
        #expect(try await bytes(threads: 1) == bytes(threads: 3))
    }
}
