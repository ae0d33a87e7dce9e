// SPDX-License-Identifier: MIT
// A movie, pictures and a stage of one camera decode each of its JPEG frames once, together.

import Foundation
import LivecapFrames
import LivecapHandFilledHost
import LivecapJPEG
import LivecapLiveFusion
import LivecapPictures
import LivecapStreams
import LivecapThreads
import Testing

@testable import LivecapMovies

@Suite(.timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60))) struct OneDecodingTests {
    /// Notes the stream of a host.
    private final class Watcher: FrameSink {
        let stream = Guarded<SinkStream?>(nil)
        func streamBegins(_ stream: SinkStream) { self.stream.withLock { $0 = stream } }
        func hostEnds() {}
    }

    private struct NoPicture: Error { let frame: Int }

    private func jpeg(_ number: Int) throws -> [UInt8] {
        let size = HandFilledHost.size
        let pixels = (0..<3 * size.area).map { UInt8(($0 / 36 + 5 * number) % 230) }
        var encoder = try JPEGEncoder()
        return try encoder.encodeRGB(pixels.span.bytes, size: size, quality: 80) { bytes in
            bytes.withUnsafeBytes { Array($0) }
        }
    }

    @Test func everybodySharesOne() throws {
        var source = HandFilledHost.source
        source.format = FrameFormat(pixelFormat: .mjpeg, size: HandFilledHost.size)
        var host = try HandFilledHost(HostSinks(), source)
        let watcher = Watcher()
        _ = host.sinks.attach(watcher)
        let stream = try #require(watcher.stream.withLock { $0 })

        let path = FileManager.default.temporaryDirectory.appending(path: "decoded-\(UUID().uuidString).mkv").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let first = MovieSource(source, stream.ring, planes: stream.planes)
        let movie = try MovieFileOutput(first, to: path, MovieSettings(codec: .h264)) { $0.begin(first) }
        movie.start()
        let stage = try StageHost.fusing(threads: 1) { Issue.record("\($0)") }
        _ = host.sinks.attach(stage)
        let small = PictureSettings(format: .grey, size: FrameSize(width: 16, height: 12))
        let (plain, fused) = (FrameOutput(FrameOutputSettings(pictures: small)), FrameOutput())
        try host.sinks.add(plain)
        try stage.sinks.add(fused)

        let count = 12
        for number in 0..<count {
            host.publish(number, try jpeg(number))
            for output in [plain, fused] {
                let event = output.next(until: .distantFuture)
                guard case .picture(let picture) = event else { throw NoPicture(frame: number) }
                #expect(picture.frame.time == HandFilledHost.time(number))
            }
            wait { movie.progress.frames == number + 1 }
        }
        #expect(movie.finish().summary.frames == count)
        // Of the first frame, small pictures may be made before others say that they need it in full.
        #expect((count...count + 1).contains(stream.planes.decodeCount), "\(stream.planes.decodeCount) decodings")
        stage.close()
    }
}
