// SPDX-License-Identifier: MIT
// A still and the moments around it in one file, as Google's Motion Photo format 1.0 describes it.

import LivecapFrames
import LivecapJPEG

/// A still with a movie of the moments around it, in one file that every program shows as the still.
///
/// In JPEG, the movie follows the picture, and the XMP says how long it is. In HEIC, it is in a box of its own at the end,
/// which readers of pictures skip.
package struct MotionPhoto: Hashable, Sendable {
    /// Where the still is in the file.
    package let still: Range<Int>
    /// Where the movie is in the file.
    package let movie: Range<Int>
    /// The still's moment since the movie's begin; nil if the file does not say.
    package let moment: Duration?

    /// Finds the movie in a file's bytes; nil if there is none. Accepts any bytes.
    package init?(_ file: [UInt8]) {
        guard let found = Self.inJPEG(file) ?? Self.inHEIC(file) else { return nil }
        self = found
    }

    private init(still: Range<Int>, movie: Range<Int>, moment: Duration?) {
        (self.still, self.movie, self.moment) = (still, movie, moment)
    }

    /// The file with a still, whose moment is `moment` after the movie's begin, and a movie (MP4). A movie that the still's
    /// file has is replaced. Nil for stills that are neither JPEG nor HEIC, and if there is no room for the metadata.
    package static func file(_ still: [UInt8], movie: [UInt8], moment: Duration) -> [UInt8]? {
        let still = Self(still).map { Array(still[$0.still]) } ?? still
        if still.starts(with: [0xFF, 0xD8]) { return jpeg(still, movie, moment) }
        guard HEICBoxes(still) != nil else { return nil }
        return still + HEICBoxes.header("mpvd", movie.count) + movie
    }

    /// The still without its movie; the file itself if there is no movie. Of a JPEG file's XMP, the provenance stays.
    package static func still(of file: [UInt8]) -> [UInt8] {
        guard let found = Self(file) else { return file }
        let still = Array(file[found.still])
        guard still.starts(with: [0xFF, 0xD8]), let packet = MetadataSegment.xmp.block(of: still.span.bytes) else {
            return still
        }
        let provenance = XMPPacket.provenance(in: packet)
        return jpeg(still, provenance.map { XMPPacket.bytes(provenance: $0) }) ?? still
    }

    // MARK: JPEG

    private static func jpeg(_ still: [UInt8], _ movie: [UInt8], _ moment: Duration) -> [UInt8]? {
        let span = still.span.bytes
        let provenance = MetadataSegment.xmp.block(of: span).flatMap { XMPPacket.provenance(in: $0) }
        let motion = XMPPacket.Motion(movieBytes: movie.count, moment: moment)
        let packet = XMPPacket.bytes(provenance: provenance, motion: motion)
        guard packet.count <= MetadataSegment.xmp.maxBytes else { return nil }
        return jpeg(still, packet).map { $0 + movie }
    }

    /// A JPEG file with another XMP packet, or with none. Exif stays before it, as its standard wants.
    private static func jpeg(_ still: [UInt8], _ packet: [UInt8]?) -> [UInt8]? {
        let exif = MetadataSegment.exif.block(of: still.span.bytes)
        let blocks: [(kind: MetadataSegment, bytes: [UInt8]?)] = [(.exif, exif), (.xmp, packet)]
        return MetadataSegment.replaced(
            [.exif, .xmp], by: blocks.compactMap { block in block.bytes.map { (block.kind, $0) } }, in: still.span.bytes
        )
    }

    private static func inJPEG(_ file: [UInt8]) -> Self? {
        guard file.starts(with: [0xFF, 0xD8]), let packet = MetadataSegment.xmp.block(of: file.span.bytes),
            let motion = XMPPacket.motion(in: packet), (1..<file.count).contains(motion.movieBytes)
        else { return nil }
        let begin = file.count - motion.movieBytes
        // What is said must be a movie.
        guard HEICBoxes.isMovie(file[begin...]) else { return nil }
        return Self(still: 0..<begin, movie: begin..<file.count, moment: motion.moment)
    }

    // MARK: HEIC

    private static func inHEIC(_ file: [UInt8]) -> Self? {
        guard let boxes = HEICBoxes(file), let last = boxes.all.last, last.type == "mpvd",
            HEICBoxes.isMovie(file[last.content])
        else { return nil }
        return Self(still: 0..<last.whole.lowerBound, movie: last.content, moment: nil)
    }
}

/// The boxes at the top of an ISO base media file: ISO/IEC 14496-12, 4.2.
struct HEICBoxes {
    struct Box {
        let type: String
        let whole: Range<Int>
        let content: Range<Int>
    }

    let all: [Box]

    /// Nil for bytes that are no such file, or not a whole one.
    init?(_ file: [UInt8]) {
        guard file.count >= 12, file[4..<8].elementsEqual("ftyp".utf8) else { return nil }
        func number(_ place: Int, _ count: Int) -> UInt64 {
            file[place..<place + count].reduce(0) { $0 << 8 | UInt64($1) }
        }
        var (place, boxes): (Int, [Box]) = (0, [])
        while place < file.count {
            guard file.count - place >= 8 else { return nil }
            var (length, header) = (number(place, 4), 8)
            if length == 1 {
                guard file.count - place >= 16 else { return nil }
                (length, header) = (number(place + 8, 8), 16)
            }
            // A box of length 0 extends to the end of the file.
            if length == 0 { length = UInt64(file.count - place) }
            guard length >= UInt64(header), length <= UInt64(file.count - place) else { return nil }
            let whole = place..<place + Int(length)
            boxes.append(
                Box(
                    type: String(decoding: file[place + 4..<place + 8], as: UTF8.self), whole: whole,
                    content: place + header..<whole.upperBound))
            place = whole.upperBound
        }
        all = boxes
    }

    /// The header of a box with `count` bytes.
    static func header(_ type: String, _ count: Int) -> [UInt8] {
        func bytes(_ value: UInt64, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
        }
        guard count + 8 <= UInt32.max else { return bytes(1, 4) + Array(type.utf8) + bytes(UInt64(count) + 16, 8) }
        return bytes(UInt64(count) + 8, 4) + Array(type.utf8)
    }

    /// Whether bytes begin as an MP4 or QuickTime movie does.
    static func isMovie(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count >= 12 && bytes.dropFirst(4).prefix(4).elementsEqual("ftyp".utf8)
    }
}
