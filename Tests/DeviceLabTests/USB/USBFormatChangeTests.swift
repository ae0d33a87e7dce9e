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
            (options.formats, options.threads, options.history) = ([.png], 1, .seconds(30))
            let session = try await CaptureSession(source: source(camera, .yuyv, small), options: options)
            try await session.start()
            let before = try newest(session)
            try await session.setSource(source(camera, .mjpeg, large))
            let after = try newest(session)
            #expect(after.time > before.time && after.id.epoch > before.id.epoch)
            // Both are requested before either is read, which takes seconds here: their frames leave memory meanwhile.
            async let seenBefore = photo(of: before, by: session)
            async let seenAfter = photo(of: after, by: session)
            for (frame, photo, size) in [(before, try await seenBefore, small), (after, try await seenAfter, large)] {
                #expect(photo.reference.id == frame.id)
                try judge(photo, of: frame, size)
            }
            await session.stop()
        }

        private func photo(of frame: FrameMetadata, by session: CaptureSession) async throws -> Photo {
            try await session.photoOutput.photo(
                PhotoSettings(quality: .single, format: .png), at: .frame(frame.id))
        }

        private func judge(_ photo: Photo, of frame: FrameMetadata, _ size: FrameSize) throws {
            let folder = try TemporaryFolder()
            let path = folder.path("seen.png")
            try Data(photo.bytes).write(to: URL(filePath: path))
            let picture = try PNGPicture(path)
            #expect(picture.size == size)
            let marks = try #require(LabMarks(picture), "the marks are unreadable")
            #expect((frame.time - marks.time).milliseconds.magnitude < 1000 / 15)
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
