// SPDX-License-Identifier: MIT
// An MP4 file in fragments: what its index would be.

import Glibc
import LivecapFiles
import LivecapFrameFiles
import LivecapStills

/// What was read of a file in fragments: its header, its samples, and where its media are. Media are not read.
package struct FragmentedMovie {
    /// The file's box `moov`, without its header.
    let header: [UInt8]
    private(set) var tracks: [FragmentedTrack] = []
    /// Where media lie in the file, in their order; adjacent ones are one.
    private(set) var media: [Range<Int>] = []
    /// The number of bytes of all of them.
    package private(set) var mediaBytes = 0

    /// More than any header or description of a fragment has.
    private static let limit = 64 << 20

    /// Reads an open file of `byteCount` bytes.
    package init(_ descriptor: Int32, _ path: String, byteCount: Int) throws(MovieIndexGap) {
        let file = BoxFile(descriptor: descriptor, path: path, byteCount: byteCount)
        var place = 0
        var header: [UInt8]?
        var tracks: [FragmentedTrack] = []
        var (media, mediaBytes): ([Range<Int>], Int) = ([], 0)
        var samples = 0
        while let box = try file.box(at: place) {
            switch box.type {
            case "moov":
                guard header == nil else { throw .unreadable("it has two headers") }
                let bytes = try file.bytes(box.content, atMost: Self.limit)
                tracks = try Self.tracks(in: bytes)
                header = bytes
            case "moof":
                let bytes = try file.bytes(box.content, atMost: Self.limit)
                let source = FragmentedTrack.Source(origin: place, byteCount: byteCount)
                try Self.add(bytes, from: source, to: &tracks) { (range, count) throws(MovieIndexGap) in
                    guard range.lowerBound >= 0, range.upperBound <= byteCount else {
                        throw .unreadable("media are cut off")
                    }
                    // A few bytes that name the same media again and again are not to fill memory and disk.
                    samples += count
                    guard mediaBytes + range.count <= byteCount, samples <= byteCount else {
                        throw .unreadable("media overlap")
                    }
                    defer { mediaBytes += range.count }
                    if media.last?.upperBound == range.lowerBound {
                        media[media.count - 1] = media[media.count - 1].lowerBound..<range.upperBound
                    } else {
                        media.append(range)
                    }
                    return mediaBytes
                }
            default: break
            }
            place = box.end
        }
        guard let header, !tracks.isEmpty else { throw .unreadable("it has no header") }
        self.header = header
        self.tracks = tracks
        self.media = media
        self.mediaBytes = mediaBytes
    }

    /// The tracks of which there are fragments.
    private static func tracks(in header: [UInt8]) throws(MovieIndexGap) -> [FragmentedTrack] {
        var tracks: [FragmentedTrack] = []
        for box in try boxes(in: header[...]) where box.type == "mvex" {
            for inner in try boxes(in: header[box.content]) where inner.type == "trex" {
                tracks.append(try FragmentedTrack(trex: header[inner.content]))
            }
        }
        return tracks
    }

    /// Adds what a fragment has of each track.
    private static func add(
        _ fragment: [UInt8], from source: FragmentedTrack.Source, to tracks: inout [FragmentedTrack],
        media: (Range<Int>, Int) throws(MovieIndexGap) -> Int
    ) throws(MovieIndexGap) {
        for box in try boxes(in: fragment[...]) where box.type == "traf" {
            let content = fragment[box.content]
            guard let head = try boxes(in: content).first(where: { $0.type == "tfhd" }) else {
                throw .unreadable("a fragment names no track")
            }
            var fields = BoxFields(content[head.content])
            try fields.skip(4)
            let id = try fields.word()
            guard let track = tracks.firstIndex(where: { $0.id == id }) else {
                throw .unreadable("a fragment names an unknown track")
            }
            try tracks[track].add(content, from: source, media: media)
        }
    }
}

/// The boxes of an open file.
private struct BoxFile {
    let descriptor: Int32
    let path: String
    let byteCount: Int

    struct Box {
        let type: String
        let content: Range<Int>
        var end: Int { content.upperBound }
    }

    /// The box at a place; nil at the end.
    func box(at place: Int) throws(MovieIndexGap) -> Box? {
        guard place < byteCount else { return nil }
        let head = try bytes(place..<min(place + 16, byteCount), atMost: 16)
        var fields = BoxFields(head[...])
        var (length, size) = (try fields.number(4), 8)
        let type = String(decoding: head[4..<min(8, head.count)], as: UTF8.self)
        if length == 1 {
            try fields.skip(4)
            length = try fields.number(8)
            size = 16
        }
        guard length >= UInt64(size), length <= UInt64(byteCount - place) else {
            throw .unreadable("a box is cut off")
        }
        return Box(type: type, content: place + size..<place + Int(length))
    }

    func bytes(_ range: Range<Int>, atMost limit: Int) throws(MovieIndexGap) -> [UInt8] {
        guard range.count <= limit else { throw .unreadable("a box is too large") }
        var failure: MovieIndexGap?
        let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            do throws(MovieIndexGap) {
                try readFully(descriptor, path, UnsafeMutableRawBufferPointer(buffer), at: range.lowerBound)
                count = buffer.count
            } catch {
                failure = error
                count = 0
            }
        }
        if let failure { throw failure }
        return bytes
    }
}

/// Fills `room` with what an open file has at a place: `pread(2)`.
func readFully(
    _ descriptor: Int32, _ path: String, _ room: UnsafeMutableRawBufferPointer, at place: Int
) throws(MovieIndexGap) {
    var done = 0
    while done < room.count {
        let got = uninterrupted { pread(descriptor, room.baseAddress! + done, room.count - done, off_t(place + done)) }
        guard got >= 0 else { throw .file(.failed(path, call: "pread", errno: errno)) }
        guard got > 0 else { throw .unreadable("it became shorter") }
        done += got
    }
}
