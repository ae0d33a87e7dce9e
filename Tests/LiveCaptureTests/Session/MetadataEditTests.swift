// SPDX-License-Identifier: MIT
// A caller may change what a photo's file says of it, before it is written.

import LivecapFiles
import LivecapFrames
import LivecapPhotoStorage
import LivecapStills
import LivecapThreads
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct MetadataEditTests {
    private let size = FrameSize(width: 48, height: 32)

    /// Calls an edit was asked for, and what it proposed to be.
    private final class Calls: Sendable {
        let proposals = Guarded<[PhotoMetadata]>([])

        @Sendable func edit(_ metadata: PhotoMetadata, _ frame: FrameMetadata) -> PhotoMetadata {
            proposals.withLock { $0.append(metadata) }
            var metadata = metadata
            metadata.description = "seen in frame \(frame.id.counter)"
            metadata.cameraModel = "Eye of \(metadata.cameraModel ?? "nobody")"
            return metadata
        }
    }

    private func holds(_ bytes: [UInt8], _ text: String) -> Bool {
        let wanted = Array(text.utf8)
        return bytes.indices.contains { bytes[$0...].starts(with: wanted) }
    }

    @Test(arguments: [PhotoQuality.speed, .balanced]) func theFileSaysWhatTheCallerMadeOfIt(
        _ quality: PhotoQuality
    ) async throws {
        let calls = Calls()
        let session = try fastSession("object:frames=20,seed=5", size: size, pixelFormat: .mjpeg)
        defer { session.end() }
        let capture = session.photoOutput.capture(
            PhotoSettings(quality: quality), at: .offset(.milliseconds(320)), metadata: calls.edit)
        session.begin()
        let photo = try await capture.photo()
        let hasBoth =
            holds(photo.bytes, "seen in frame \(photo.reference.id.counter)")
            && holds(photo.bytes, "Eye of synthetic object")
        #expect(hasBoth)
        #expect(calls.proposals.withLock { $0.count } == 1)
    }

    @Test func theFinalOfADeferredPhotoSaysTheSame() async throws {
        let (calls, folder) = (Calls(), try PhotoFolder())
        let library = try PhotoLibrary(folder.file("library"))
        let session = try fastSession("object:frames=20,seed=5", size: size) {
            $0.library = library
            $0.finishingDelay = nil
        }
        let capture = session.photoOutput.capture(
            PhotoSettings(quality: .merge, frames: 3, deferral: .required), at: .offset(.milliseconds(320)),
            metadata: calls.edit)
        session.begin()
        let proxy = try await capture.photo()
        session.end()
        #expect(proxy.isProxy)
        let finisher = PhotoFinisher(library, threads: 1, level: nil, gate: nil, isLowPriority: false)
        guard case .finished(let photo, _)? = try await finisher.finish() else {
            _ = Issue.record("it was not finished")
            return
        }
        let bytes = try #require(folder.bytes(String(photo.path.dropFirst(folder.path.count + 1))))
        let hasBoth = holds(bytes, "seen in frame ") && holds(bytes, "Eye of synthetic object")
        #expect(hasBoth)
        #expect(calls.proposals.withLock { $0.count } == 1)
    }
}
