// SPDX-License-Identifier: MIT
// The room for chapters near the beginning of a movie's file, and how they are written there.

import LivecapFrameFiles
import LivecapFrames
import LivecapStills

/// Where a file has room for its chapters.
///
/// Neither fragments of MP4 nor clusters of Matroska can have chapters that were not known when the file was begun. So
/// it is begun with chapters that mean nothing, and those of the movie are written over them as they come: a file that
/// was cut off has them, too. What is left of the room is a part of the file that readers skip.
struct ChapterRoom {
    /// Where it is in the file.
    let place: Range<Int>
    private let container: MovieContainer

    /// MP4 counts chapters by one byte.
    static let limit = 255
    /// Finds the room in the beginning of a file. Nil if there is none.
    init?(in head: [UInt8], _ container: MovieContainer) {
        let place = container == .mp4 ? Self.box(in: head) : Self.element(in: head)
        guard let place else { return nil }
        self.place = place
        self.container = container
    }

    /// The bytes of the room with as many of `chapters` as it takes, and their number.
    func bytes(_ chapters: [MovieChapter]) -> (bytes: [UInt8], count: Int) {
        // No more than can fit are looked at, however many there are.
        var (count, bytes) = (0, 0)
        for chapter in chapters.prefix(Self.limit) {
            bytes += leastBytes + min(chapter.name.utf8.count, MovieMarks.nameLimit)
            guard bytes <= place.count else { break }
            count += 1
        }
        // The estimate is a little low, and some rests of the room are too small to be filled.
        while count >= 0 {
            let written = container == .mp4 ? Self.boxes(chapters.prefix(count)) : elements(chapters.prefix(count))
            if let rest = filling(place.count - written.count) { return (written + rest, count) }
            count -= 1
        }
        return ([], 0)
    }

    /// What a chapter takes at least besides its name.
    private var leastBytes: Int { container == .mp4 ? 9 : 19 }

    private func filling(_ count: Int) -> [UInt8]? {
        if count == 0 { return [] }
        if container == .mp4 {
            guard count >= 8 else { return nil }
            return Self.big(count, 4) + Array("free".utf8) + [UInt8](repeating: 0, count: count - 8)
        }
        guard count >= 9 else { return nil }
        return EBML.id(0xEC) + EBML.longSize(count - 9) + [UInt8](repeating: 0, count: count - 9)
    }

    private static func big(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// As much of the name as there is room for, in whole characters.
    private static func name(of chapter: MovieChapter) -> [UInt8] {
        guard chapter.name.utf8.count > MovieMarks.nameLimit else { return Array(chapter.name.utf8) }
        var name: [UInt8] = []
        for character in chapter.name {
            guard name.count + character.utf8.count <= MovieMarks.nameLimit else { break }
            name += character.utf8
        }
        return name
    }

    // MARK: MP4

    /// The box `chpl` in `moov/udta`.
    private static func box(in head: [UInt8]) -> Range<Int>? {
        var range = head.indices
        for type in ["moov", "udta", "chpl"] {
            guard let found = MediaBox.all(in: head[range])?.first(where: { $0.type == type }) else { return nil }
            if type == "chpl" { return found.whole }
            range = found.content
        }
        return nil
    }

    /// Version 1, a reserved word, the number of chapters; of each, its begin in units of 100 ns, and its name.
    private static func boxes(_ chapters: ArraySlice<MovieChapter>) -> [UInt8] {
        var content: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0, UInt8(chapters.count)]
        for chapter in chapters {
            let name = name(of: chapter)
            content += big(Int(chapter.begin.nanoseconds / 100), 8) + [UInt8(name.count)] + name
        }
        return big(content.count + 8, 4) + Array("chpl".utf8) + content
    }

    // MARK: Matroska

    /// The element Chapters of the segment.
    private static func element(in head: [UInt8]) -> Range<Int>? {
        var place = 0
        while let found = EBML.header(in: head[place...]) {
            if found.id == 0x1043_A770 {
                guard let size = found.size, place + found.length + size <= head.count else { return nil }
                return place..<place + found.length + size
            }
            // Into the segment, over all others.
            place += found.length + (found.id == 0x1853_8067 ? 0 : found.size ?? 0)
            guard place < head.count, found.id != 0x1F43_B675 else { return nil }
        }
        return nil
    }

    private func elements(_ chapters: ArraySlice<MovieChapter>) -> [UInt8] {
        guard !chapters.isEmpty else { return [] }
        // WebM has no flags of editions.
        var edition = container == .webm ? [] : EBML.element(0x45DB, [1])
        for (number, chapter) in chapters.enumerated() {
            let display = EBML.element(0x85, Self.name(of: chapter)) + EBML.element(0x437C, Array("und".utf8))
            edition += EBML.element(
                0xB6,
                EBML.element(0x73C4, EBML.unsigned(UInt64(number) + 1))
                    + EBML.element(0x91, EBML.unsigned(UInt64(max(chapter.begin.nanoseconds, 0))))
                    + EBML.element(0x80, display))
        }
        return EBML.element(0x1043_A770, EBML.element(0x45B9, edition))
    }
}
