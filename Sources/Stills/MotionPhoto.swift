// SPDX-License-Identifier: MIT
// A still and the moments around it in one file, as Google's Motion Photo format 1.0 describes it.

import LivecapFrames
import LivecapJPEG

/// A still with a movie of the moments around it, in one file that every program shows as the still.
///
/// In JPEG, the movie follows the picture, and the XMP says how long it is. In HEIC, it is in a box of its own at the
/// end, which readers of pictures skip.
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
        self.still = still
        self.movie = movie
        self.moment = moment
    }

    /// The file with a still, whose moment is `moment` after the movie's begin, and a movie (MP4). A movie that the
    /// still's file has is replaced. Nil for stills that are neither JPEG nor HEIC, and if there is no room for the
    /// metadata.
    package static func file(_ still: [UInt8], movie: [UInt8], moment: Duration) -> [UInt8]? {
        let still = Self(still).map { Array(still[$0.still]) } ?? still
        if still.starts(with: [0xFF, 0xD8]) { return jpeg(still, movie, moment) }
        guard MediaBox.all(inFile: still) != nil else { return nil }
        return still + MediaBox.header("mpvd", movie.count) + movie
    }

    /// The still without its movie; the file itself if there is no movie. Of a JPEG file's XMP, the provenance stays,
    /// and what says where its depth map is.
    package static func still(of file: [UInt8]) -> [UInt8] {
        guard let found = Self(file) else { return file }
        let still = Array(file[found.still])
        guard still.starts(with: [0xFF, 0xD8]), let packet = MetadataSegment.xmp.block(of: still.span.bytes) else {
            return still
        }
        let provenance = XMPPacket.provenance(in: packet)
        let depth = GDepth.attributes(in: packet)
        guard provenance != nil || depth != nil else { return jpeg(still, nil) ?? still }
        return jpeg(still, XMPPacket.bytes(provenance: provenance, attributes: depth ?? "")) ?? still
    }

    // MARK: JPEG

    private static func jpeg(_ still: [UInt8], _ movie: [UInt8], _ moment: Duration) -> [UInt8]? {
        let span = still.span.bytes
        let old = MetadataSegment.xmp.block(of: span)
        let packet = XMPPacket.bytes(
            provenance: old.flatMap { XMPPacket.provenance(in: $0) },
            motion: XMPPacket.Motion(movieBytes: movie.count, moment: moment),
            attributes: old.flatMap { GDepth.attributes(in: $0) } ?? "")
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
        guard MediaBox.isFile(file[begin...]) else { return nil }
        return Self(still: 0..<begin, movie: begin..<file.count, moment: motion.moment)
    }

    // MARK: HEIC

    private static func inHEIC(_ file: [UInt8]) -> Self? {
        guard let last = MediaBox.all(inFile: file)?.last, last.type == "mpvd",
            MediaBox.isFile(file[last.content])
        else { return nil }
        return Self(still: 0..<last.whole.lowerBound, movie: last.content, moment: nil)
    }
}
