// SPDX-License-Identifier: MIT
// The movie of a pair: QuickTime's, with an identifier and the still's moment.

import Foundation
import FrameRing
import LivecapFrames
import LivecapStills
import Testing

@testable import LivecapMovies

@Suite struct StillMomentTests {
    private static let identifier = "0F4A2C11-7B7E-4E0B-9A51-3C2E7D2B9A10"

    private func clip(_ stage: MovieStage) async throws -> LivePhotoClip {
        try stage.publish(at: (0...10).map { $0 * 100 })
        let metadata = stage.ring.lease(nearest: MovieStage.begin + .milliseconds(700))?.metadata
        var settings = LivePhotoSettings(before: .milliseconds(500), after: .milliseconds(200))
        settings.contentIdentifier = Self.identifier
        return try await LivePhotoMovie.open(
            around: #require(metadata), stage.source, ring: stage.ring, settings
        ).clip()
    }

    @Test func programsFindTheIdentifierAndTheMoment() async throws {
        let stage = try MovieStage()
        let clip = try await clip(stage)
        try stage.write(clip.marked(at: MovieStage.begin + .milliseconds(700)), to: "a.mov")
        let output = try MovieProbe.run([
            "exiftool", "-ee", "-n", "-s3", "-ContentIdentifier", "-StillImageTime", "-MajorBrand", stage.path("a.mov"),
        ])
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
        #expect(lines == [Self.identifier[...], "-1", "qt"])
    }

    @Test func theMomentIsInATrackOfItsOwn() async throws {
        let stage = try MovieStage()
        let clip = try await clip(stage)
        try stage.write(clip.marked(at: MovieStage.begin + .milliseconds(700)), to: "a.mov")
        let output = try MovieProbe.run([
            "ffprobe", "-v", "error", "-show_entries", "stream=codec_type,codec_tag_string,start_time", "-of",
            "csv=p=0",
            stage.path("a.mov"),
        ])
        let streams = String(decoding: output, as: UTF8.self).split(separator: "\n")
        #expect(streams.first == "video,avc1,0.000000" && streams.last == "data,mebx,0.500000", "\(streams)")
        #expect(try MovieProbe(stage.path("a.mov")).times.count == clip.frames)
        #expect(try MovieProbe.decoded(stage.path("a.mov")) == clip.frames)
    }

    @Test func theRestOfTheMovieStaysAsItIs() async throws {
        let stage = try MovieStage()
        let bytes = try await clip(stage).bytes
        let marked = try #require(StillMoment.added(to: bytes, at: .zero))
        let (before, after) = (
            try #require(MediaBox.all(in: bytes[...])), try #require(MediaBox.all(in: marked[...]))
        )
        #expect(after.map(\.type) == before.dropLast().map(\.type) + ["mdat", "moov"])
        let description = try #require(before.last).whole.lowerBound
        #expect(marked[..<description] == bytes[..<description])
    }

    @Test func otherBytesAreLeftAlone() async throws {
        #expect(StillMoment.added(to: [], at: .zero) == nil && StillMoment.added(to: [0, 0, 0, 9], at: .zero) == nil)
        let stage = try MovieStage()
        let bytes = try await clip(stage).bytes
        for count in stride(from: 0, to: bytes.count, by: 7) {
            #expect(StillMoment.added(to: Array(bytes[..<count]), at: .zero) == nil)
        }
    }
}
