// SPDX-License-Identifier: MIT
// A session that gets another format of its camera while it runs.

import Foundation
import LiveCapture
import Testing

extension DeviceLab {
    @Suite("another format of a USB camera")
    struct USBFormatChangeTests {
        private let small = FrameSize(width: 320, height: 240)
        private let large = FrameSize(width: 640, height: 480)

        @Test("photos of before and after show the frames of their moments")
        func change() async throws {
            let camera = try LabCamera()
            var options = SessionOptions()
            (options.formats, options.threads, options.history) = ([.png], 1, .seconds(8))
            let session = try await CaptureSession(source: source(camera, .yuyv, small), options: options)
            try await session.start()
            let before = try newest(session)
            try await session.setSource(source(camera, .mjpeg, large))
            let after = try newest(session)
            #expect(after.time > before.time && after.id.epoch > before.id.epoch)
            let folder = try TemporaryFolder()
            for (frame, size) in [(before, small), (after, large)] {
                let photo = try await session.photoOutput.photo(
                    PhotoSettings(quality: .single, format: .png), at: .frame(frame.id))
                let path = folder.path("seen.png")
                try Data(photo.bytes).write(to: URL(filePath: path))
                let picture = try PNGPicture(path)
                #expect(picture.size == size && photo.reference.id == frame.id)
                let marks = try #require(LabMarks(picture), "the marks are unreadable")
                #expect((frame.time - marks.time).milliseconds.magnitude < 1000 / 15)
            }
            await session.stop()
        }

        private func source(_ camera: LabCamera, _ format: PixelFormat, _ size: FrameSize) -> CaptureSource {
            .camera(camera.path, FormatRequest(pixelFormat: format, size: size, rate: FrameRate(15)))
        }

        private func newest(_ session: CaptureSession) throws -> FrameMetadata {
            let metadata = session.ring.leaseNewest()?.metadata
            return try #require(metadata)
        }
    }
}
