// SPDX-License-Identifier: MIT
// Small files in fragments, made by hand, that claim more than they hold.

import Foundation
import LivecapStills
import Testing

@testable import LivecapMovies

@Suite struct FragmentedMovieTests {
    /// What is claimed: how many samples a run has, how large each is, how often the run is repeated, and how often
    /// the track is.
    private struct Claim {
        var samples: UInt32 = 3
        var bytes: UInt32 = 4
        /// The bytes of media that there are.
        var media = 12
        var runs = 1
        var tracks = 1
        /// What a track says of its samples.
        var handling = [UInt8].box("minf", .box("stbl", .box("stsd", words(0, 0))))
    }

    private static func words(_ words: UInt32...) -> [UInt8] {
        words.reduce(into: []) { bytes, word in bytes.append(word: word) }
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    private static func header(_ claim: Claim) -> [UInt8] {
        let media = [UInt8].box("mdhd", words(0, 0, 0, 1000, 0, 0)) + claim.handling
        let track = [UInt8].box("trak", .box("tkhd", words(3, 0, 0, 1, 0, 0) + zeros(60)) + .box("mdia", media))
        let usual = words(0, 1, 1, 40, claim.bytes, 0x1_0000)
        var content = [UInt8].box("mvhd", words(0, 0, 0, 1000, 0) + zeros(80))
        for _ in 0..<claim.tracks { content += track }
        return .box("moov", content + .box("mvex", .box("trex", usual)))
    }

    private static func file(_ claim: Claim) -> [UInt8] {
        func fragment(_ place: UInt32) -> [UInt8] {
            var parts = [UInt8].box("tfhd", words(0x2_0000, 1)) + .box("tfdt", words(1 << 24, 0, 0))
            for _ in 0..<claim.runs { parts += .box("trun", words(1, claim.samples, place)) }
            return .box("moof", .box("mfhd", words(0, 1)) + .box("traf", parts))
        }
        let place = UInt32(fragment(0).count + 8)
        return .box("ftyp", Array("iso5".utf8)) + header(claim) + fragment(place) + .box("mdat", zeros(claim.media))
    }

    /// The index of a file.
    private func head(_ claim: Claim) throws -> [UInt8] {
        let bytes = Self.file(claim)
        let file = try #require(tmpfile())
        defer { fclose(file) }
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count && fflush(file) == 0)
        let movie = try FragmentedMovie(fileno(file), "movie", byteCount: bytes.count)
        #expect(movie.mediaBytes <= bytes.count)
        return try MovieIndexTables(movie).head()
    }

    @Test func theFileIsWhole() throws {
        let head = try head(Claim())
        let boxes = try #require(MediaBox.all(in: (head + Self.zeros(12))[...]))
        #expect(boxes.map(\.type) == ["ftyp", "moov", "mdat"])
        // Three samples, each with its size.
        let sizes = try #require(head.firstRange(of: Array("stsz".utf8))?.upperBound)
        #expect(Array(head[(sizes + 8)...].prefix(16)) == Self.words(3, 4, 4, 4))
    }

    @Test func moreSamplesThanBytesAreRefused() {
        let gap = MovieIndexGap.unreadable("there are too many samples")
        #expect(throws: gap) { try head(Claim(samples: 1 << 25, bytes: 0)) }
        #expect(throws: gap) { try head(Claim(samples: .max, bytes: 1)) }
    }

    @Test func mediaNamedAgainAndAgainAreRefused() {
        let gap = MovieIndexGap.unreadable("media overlap")
        #expect(throws: gap) { try head(Claim(bytes: 200, media: 600, runs: 100)) }
    }

    @Test func tracksWithTheSameNumberAreRefused() {
        #expect(throws: MovieIndexGap.unreadable("two tracks have the same number")) { try head(Claim(tracks: 2)) }
    }

    @Test func boxesInEachOtherAreNotFollowed() throws {
        var nested: [UInt8] = []
        for _ in 0..<5_000 { nested = .box("minf", nested) }
        _ = try head(Claim(handling: nested))
    }

    @Test func repeatedTablesAreMadeOnce() throws {
        let claim = Claim()
        let table = try #require(MediaBox.all(in: claim.handling[...])?.first).content
        let many = Array(repeating: Array(claim.handling[table]), count: 50).flatMap(\.self)
        let head = try head(Claim(handling: .box("minf", many)))
        #expect(head.ranges(of: Array("stsz".utf8)).count == 1)
    }
}
