// SPDX-License-Identifier: MIT
// Photos made without a session, from the frames and the request of a photo made in one.

import Fusion
import LivecapFrames
import LivecapStills
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct DeveloperTests {
    /// The same bytes as from a session, even after the request was converted to text and back.
    @Test(arguments: [PhotoQuality.quality, .balanced, .speed, .mean]) func theSameBytesLater(quality: PhotoQuality)
        async throws
    {
        let driven = try HandDrivenDesk()
        driven.frames(0..<20)
        let settings = PhotoSettings(quality: quality, format: .png)
        let capture = driven.tap(at: 132, settings)
        let shot = try #require(driven.desk.state.withLock { $0.shots.reading.first })
        let request = PhotoRequest(shot, shot.captured, at: driven.desk)
        driven.work()
        let photo = try await capture.photo()

        let source = driven.desk.description
        let developer = try Developer(source, ThreadPool(threads: 2), level: nil, links: FrameLinks())
        let later = try developer.photo(of: PhotoRequest(request.text), try frames(of: request, with: developer))
        #expect(later.bytes == photo.bytes)
        #expect(later.account.map(\.1.text) == photo.account.map(\.1.text))
    }

    @Test func aPhotoWithoutItsNearestFrameFails() throws {
        let driven = try HandDrivenDesk()
        driven.frames(0..<20)
        _ = driven.tap(at: 100)
        let shot = try #require(driven.desk.state.withLock { $0.shots.reading.first })
        let request = PhotoRequest(shot, shot.captured, at: driven.desk)
        let developer = try Developer(driven.desk.description, CallersThread(), level: .portable, links: FrameLinks())
        let others = try frames(of: request, with: developer).filter { $0.metadata.id != request.nearest }
        #expect(throws: PhotoError.undecodable("frame 0:10 is gone")) { try developer.photo(of: request, others) }
    }

    /// While this shot is still being encoded, the next shot's frames are read into its memory.
    @Test func framesAreNotLookedAtOnceTheyAreFused() throws {
        let driven = try HandDrivenDesk()
        driven.frames(0..<20)
        _ = driven.tap(at: 100, PhotoSettings(quality: .speed, includesComparison: true, includesExplanation: true))
        let shot = try #require(driven.desk.state.withLock { $0.shots.reading.first })
        let request = PhotoRequest(shot, shot.captured, at: driven.desk)
        let developer = try Developer(driven.desk.description, CallersThread(), level: .portable, links: FrameLinks())
        let undisturbed = try developer.photo(of: request, try frames(of: request, with: developer))
        let read = try frames(of: request, with: developer)
        var overwritten = 0
        let watch = DevelopmentWatch(fused: {
            let black = [UInt8](repeating: 0, count: developer.source.format.byteCount)
            var times: [(name: String, time: Duration)] = []
            for case .prepared(let memory) in read.map(\.content) {
                _ = try? developer.prepare(
                    black.span.bytes, shape: FrameShape(raw: developer.source.format), memory: memory, times: &times)
                overwritten += 1
            }
        })
        let photo = try developer.photo(of: request, read, watch)
        #expect(overwritten == read.count)
        #expect(photo.bytes == undisturbed.bytes && photo.comparison == undisturbed.comparison)
        #expect(photo.comparison != nil && photo.explanation == undisturbed.explanation)
    }

    /// The frames of a request, as the hand-filled ring makes them.
    private func frames(of request: PhotoRequest, with developer: Developer) throws -> [ReadFrame] {
        let format = developer.source.format
        var times: [(name: String, time: Duration)] = []
        return try request.frames.map { id in
            let bytes = HandFilledRing.picture(number: Int(id.counter), byteCount: format.byteCount)
            let frame = try developer.prepare(
                bytes.span.bytes, shape: FrameShape(raw: format), memory: nil, times: &times)
            let metadata = FrameMetadata(
                time: moment(10 * Double(id.counter)), byteCount: bytes.count, id: id)
            return ReadFrame(metadata: metadata, content: .prepared(frame))
        }
    }
}
