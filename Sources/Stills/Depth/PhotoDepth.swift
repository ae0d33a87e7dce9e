// SPDX-License-Identifier: MIT
// The depth map in a picture file: added to one, found in one, whatever program wrote it. Accepts arbitrary bytes.

import LivecapFrames
import LivecapJPEG

/// What a picture file says of its depth map, without decoding it.
package struct PhotoDepth: Hashable, Sendable {
    /// How a file has its map.
    package enum Form: String, Hashable, Sendable {
        /// HEIC: an auxiliary picture.
        case auxiliary
        /// JPEG: GDepth in XMP.
        case gDepth
        /// PNG: the file is the map.
        case png
    }

    /// How the file has it.
    package let form: Form
    /// Its size; nil if the file does not say, or only in what is missing.
    package let size: FrameSize?
    /// Bits per sample; nil if the file does not say.
    package let bits: Int?
    /// The nearest and farthest distance in metres: those in the map if the file says so, else those that its values
    /// can stand for; nil if it has neither.
    package let distances: ClosedRange<Double>?
    /// The distance of a count in metres; nil for files of other programs.
    package let metresPerCount: Double?
    /// Whether holes were filled or noise was removed; nil for files of other programs.
    package let isFiltered: Bool?
    /// The lens; nil if the file does not say.
    package let intrinsics: DepthIntrinsics?
    private let content: Content

    private enum Content: Hashable, Sendable {
        case heic(HEICDepth)
        case jpeg(GDepth)
        case png(DepthNotes)
    }

    /// Finds the map in a file's bytes; nil if there is none. Needs no libheif.
    package init?(_ file: [UInt8]) {
        let notes: DepthNotes?
        var possible: ClosedRange<Double>?
        if file.starts(with: [0xFF, 0xD8, 0xFF]) {
            guard let depth = MetadataSegment.xmp.block(of: file.span.bytes).flatMap({ GDepth($0) }) else { return nil }
            let chunks = depth.picture(in: file).flatMap { $0.starts(with: PNGChunks.signature) ? PNGChunks($0) : nil }
            form = .gDepth
            size = chunks?.size
            bits = chunks?.depth.map { Int($0) }
            notes = depth.notes
            if let near = depth.distance(0), let far = depth.distance(1), near <= far { possible = near...far }
            content = .jpeg(depth)
        } else if file.starts(with: PNGChunks.signature) {
            let chunks = PNGChunks(file)
            guard let own = DepthPNG.notes(chunks) else { return nil }
            form = .png
            size = chunks.size
            bits = 16
            notes = own
            content = .png(own)
        } else {
            guard let depth = HEICDepth(file) else { return nil }
            form = .auxiliary
            size = depth.size
            bits = depth.bits
            notes = depth.notes
            if let near = depth.representation?.near, let far = depth.representation?.far, near <= far {
                possible = near...far
            }
            content = .heic(depth)
        }
        distances = notes == nil ? possible : notes?.distances
        metresPerCount = notes?.metresPerCount
        isFiltered = notes?.isFiltered
        intrinsics = notes?.intrinsics
    }

    /// Decodes the map of the same file, with the libheif of that file name if it needs one.
    /// - Throws: `undecodable` if the map is damaged, or says nothing of distances; `unavailable` without libheif.
    package func map(of file: [UInt8], heif name: String = HEIFLibrary.usualName) throws(StillError) -> DepthMap {
        switch content {
        case .heic(let depth): return try depth.map(file, heif: name)
        case .jpeg(let depth): return try depth.map(file)
        case .png(let notes):
            let (size, samples) = try DepthPNG.samples(file)
            return DepthMap(
                size: size, samples: samples, metresPerCount: notes.metresPerCount, reach: notes.reach,
                intrinsics: notes.intrinsics, isFiltered: notes.isFiltered)
        }
    }

    /// A finished JPEG or HEIC file with a depth map; a PNG file has none, and `DepthPNG` makes a file beside it.
    /// `orientation` is that of the photo's metadata: HEIC pictures are turned already, and their map is turned here.
    /// `bits` is for HEIC, where half a step of 10 bits is 0.049 % of the map's range.
    package static func added(
        _ depth: DepthMap, to file: [UInt8], orientation: PhotoOrientation = .up, bits: HEICEncoder.Depth = .ten
    ) throws(StillError) -> [UInt8] {
        if file.starts(with: [0xFF, 0xD8, 0xFF]) { return try GDepth.added(depth, to: file) }
        if MediaBox.isFile(file[...]) {
            return try HEICDepth.added(depth.turned(orientation), to: file, bits: bits)
        }
        throw .unencodable("only JPEG and HEIC files have room for a depth map")
    }

    /// Whether a HEIC file's items, with their bytes and properties, are the same after another one is added; true for
    /// what is no such file, and for files to which nothing can be added. A check of the rewriting of boxes.
    package static func keepsItems(of file: [UInt8]) -> Bool {
        let graft = HEICGraft(type: "mime", contentType: "text/plain", bytes: [1, 2, 3], reference: ("cdsc", nil))
        guard let old = HEICItems(file), let whole = HEICGraft.added([graft], to: file) else { return true }
        guard let new = HEICItems(whole), let added = new.items.last, new.primary == old.primary,
            Array(new.items.dropLast()) == old.items,
            new.bytes(of: added.id, in: whole, atMost: 3) == graft.bytes
        else { return false }
        return old.items.allSatisfy { item in
            let limit = 1 << 20
            let before = old.bytes(of: item.id, in: file, atMost: limit)
            let after = new.bytes(of: item.id, in: whole, atMost: limit)
            return before == after && old.associations[item.id] == new.associations[item.id]
        }
    }
}
