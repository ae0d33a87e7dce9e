// SPDX-License-Identifier: MIT
// The still's moment in a QuickTime movie: a track with one sample of timed metadata, as Apple's programs look for it.

import LivecapFrames
import LivecapStills

/// Adds to a movie the track by which its still is found. Its only sample says nothing but when it is.
///
/// QuickTime File Format, "Timed Metadata Media". FFmpeg writes no such tracks, so this one is added to its finished
/// file: the sample goes before the movie's description (`moov`), which is the last box, and the track to that box's
/// end. Nothing else moves.
enum StillMoment {
    /// The movie with the track; nil if the movie is not as FFmpeg writes it: its description last, and small numbers.
    static func added(to movie: [UInt8], at moment: Duration) -> [UInt8]? {
        guard let boxes = MediaBox.all(in: movie[...]), let description = boxes.last, description.type == "moov",
            let parts = MediaBox.all(in: movie[description.content]),
            let header = parts.first(where: { $0.type == "mvhd" }).map({ Array(movie[$0.whole]) }),
            let pictures = parts.first(where: { $0.type == "trak" }).flatMap({ number(of: $0, in: movie) }),
            header.count == 108, header[8] == 0, description.whole.upperBound < 1 << 31
        else { return nil }
        // Version 0 of the header has its unit of time at 20, and ends with the number of the next track.
        let (unit, next) = (number(header[20..<24]), number(header[104..<108]))
        guard unit > 0, next > pictures, next < .max, moment >= .zero, moment < .seconds(1 << 20) else { return nil }
        let begin = UInt32((moment.seconds * Double(unit)).rounded())
        let samplePlace = UInt32(description.whole.lowerBound) + 8
        let track = Self.track(next, of: pictures, unit: unit, at: begin, sampleAt: samplePlace)
        let newHeader = header.dropLast(4) + bytes(next + 1)
        let others = parts.filter { $0.type != "mvhd" }.flatMap { movie[$0.whole] }
        return Array(movie[..<description.whole.lowerBound]) + box("mdat", sample)
            + box("moov", newHeader + others + track)
    }

    /// Item 1, whose value is -1: it has no meaning.
    private static let sample = bytes(9) + bytes(1) + [0xFF]
    /// The sample lasts as long as a picture, or longer.
    private static let shown: Duration = .milliseconds(40)

    private static func track(
        _ id: UInt32, of pictures: UInt32, unit: UInt32, at begin: UInt32, sampleAt place: UInt32
    ) -> [UInt8] {
        let length = max(1, UInt32((shown.seconds * Double(unit)).rounded()))
        let one: UInt32 = 1 << 16
        let matrix = [one, 0, 0, 0, one, 0, 0, 0, 1 << 30].flatMap(bytes)
        // Enabled, and part of the movie.
        let header = box("tkhd", bytes(3) + bytes(0, 0, id, 0, begin + length) + zeros(16) + matrix + zeros(8))
        // Nothing until the moment, then the sample.
        let edits = (begin > 0 ? [bytes(begin, .max, one)] : []) + [bytes(length, 0, one)]
        let edit = box("edts", box("elst", bytes(0, UInt32(edits.count)) + edits.joined()))
        let mediaHeader = box("mdhd", bytes(0, 0, 0, unit, length) + [0x55, 0xC4, 0, 0])
        let handler = box("hdlr", bytes(0) + Array("mhlrmeta".utf8) + zeros(12) + [0])
        let dataHandler = box("hdlr", bytes(0) + Array("dhlrurl ".utf8) + zeros(12) + [0])
        let baseHeader = box("gmhd", box("gmin", bytes(0) + [0, 0x40, 0x80, 0, 0x80, 0, 0x80, 0, 0, 0, 0, 0]))
        let location = box("dinf", box("dref", bytes(0, 1) + box("url ", bytes(1))))
        let table = box(
            "stbl",
            box("stsd", bytes(0, 1) + box("mebx", zeros(6) + [0, 1] + keys))
                + box("stts", bytes(0, 1, 1, length)) + box("stsc", bytes(0, 1, 1, 1, 1))
                + box("stsz", bytes(0, UInt32(sample.count), 1)) + box("stco", bytes(0, 1, place)))
        let media = box("mdia", mediaHeader + handler + box("minf", baseHeader + dataHandler + location + table))
        return box("trak", header + edit + box("tref", box("cdsc", bytes(pictures))) + media)
    }

    /// Item 1 is the still's time, a number of 8 bits with a sign.
    private static let keys = box(
        "keys",
        box(
            [0, 0, 0, 1],
            box("keyd", Array("mdtacom.apple.quicktime.still-image-time".utf8)) + box("dtyp", bytes(0, 65))))

    /// The number of a track.
    private static func number(of track: MediaBox, in movie: [UInt8]) -> UInt32? {
        guard let header = MediaBox.all(in: movie[track.content])?.first, header.type == "tkhd",
            header.content.count == 84, movie[header.content.lowerBound] == 0
        else { return nil }
        return number(movie[header.content.lowerBound + 12..<header.content.lowerBound + 16])
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
    private static func bytes(_ numbers: UInt32...) -> [UInt8] { numbers.flatMap(bytes) }
    private static func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] { box(Array(type.utf8), content) }
    private static func box(_ type: [UInt8], _ content: [UInt8]) -> [UInt8] {
        bytes(UInt32(content.count) + 8) + type + content
    }
}
