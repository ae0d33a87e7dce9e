// SPDX-License-Identifier: MIT
// Depth maps as grey PNG files of 16 bits, which lose nothing.

import LivecapCStills
import LivecapFrames

/// A depth map as a PNG file: grey, 16 bits, and each sample is a number of counts. 0 is unknown. What a count is, the
/// lens, and whether the map is filtered are in text chunks whose names begin with `Depth`.
package enum DepthPNG {
    /// The file of a map.
    package static func file(_ depth: DepthMap) throws(StillError) -> [UInt8] {
        let picture = try plainFile(depth)
        // After the header, which comes first and has 13 bytes.
        let place = PNGChunks.signature.count + 25
        let texts = DepthNotes(depth).texts.flatMap { PNGChunks.text(PNGChunks.depthPrefix + $0.name, $0.value) }
        return Array(picture[..<place]) + texts + picture[place...]
    }

    /// The file that other formats embed: the samples alone.
    static func plainFile(_ depth: DepthMap) throws(StillError) -> [UInt8] {
        try PNGEncoder(depth: .sixteen).encode(greyWords: depth.samples, size: depth.size)
    }

    /// The notes of a file; nil if it is no depth map written here.
    static func notes(_ chunks: PNGChunks) -> DepthNotes? {
        guard chunks.depth == 16, !chunks.isColour, !chunks.depthTexts.isEmpty else { return nil }
        return DepthNotes { chunks.depthTexts[$0] }
    }

    /// The samples of a grey file, from 0 to 65535 whatever its bits.
    static func samples(_ file: [UInt8]) throws(StillError) -> (size: FrameSize, samples: [UInt16]) {
        guard file.starts(with: PNGChunks.signature) else { throw .undecodable("the depth map is no PNG picture") }
        let chunks = PNGChunks(file)
        guard chunks.hasEnd, let size = chunks.size, size.width > 0, size.height > 0 else {
            throw .undecodable("the depth map is not complete")
        }
        guard max(size.width, size.height) <= DecodedPicture.longestSide else {
            throw .undecodable("a depth map of \(size) is too large")
        }
        guard !chunks.isColour, !chunks.hasTransparency else { throw .undecodable("the depth map is not grey") }
        var why = [CChar](repeating: 0, count: 128)
        var isRead = false
        let samples = [UInt16](unsafeUninitializedCapacity: 3 * size.area) { samples, count in
            isRead = lc_png_read_fine(
                file, file.count, UInt32(size.width), UInt32(size.height), 3, samples.baseAddress!, &why, why.count)
            count = isRead ? 3 * size.area : 0
        }
        guard isRead else { throw StillError(libpng: why) }
        return (size, (0..<size.area).map { samples[3 * $0] })
    }
}
