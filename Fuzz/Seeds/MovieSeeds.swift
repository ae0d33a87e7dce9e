// SPDX-License-Identifier: MIT
// Small movies, made by hand: no encoder is needed for them.

import LivecapFrameFiles

/// Movies to begin with.
enum MovieSeeds {
    // MARK: MP4

    /// A file in fragments, with one track whose samples are listed in one of two ways.
    static func fragments(isListed: Bool) -> [UInt8] {
        let header = box("mvhd", words(0, 0, 0, 1000, 0) + zeros(80)) + track + box("mvex", box("trex", usual))
        let media = zeros(12)
        // Sizes of their own, or the usual ones.
        let rows = isListed ? words(40, 3, 33, 4, 33, 5) : []
        let run = { (place: UInt32) in box("trun", words(isListed ? 0x301 : 0x1, 3, place) + rows) }
        let fragment = { (place: UInt32) in
            let parts = box("tfhd", words(0x2_0000, 1)) + box("tfdt", words(1 << 24, 0, 0)) + run(place)
            return box("moof", box("mfhd", words(0, 1)) + box("traf", parts))
        }
        let place = UInt32(fragment(0).count + 8)
        return box("ftyp", Array("iso5".utf8) + words(0x200)) + box("moov", header) + fragment(place)
            + box("mdat", media)
    }

    /// The number of the track, and what is usual: ticks, size, flags.
    private static let usual = words(0, 1, 1, 40, 4, 0x1_0000)

    private static var track: [UInt8] {
        let edits = box("edts", box("elst", words(0, 1, 0, 0, 1 << 16)))
        let samples = box("minf", box("stbl", box("stsd", words(0, 0))))
        let media = box("mdia", box("mdhd", words(0, 0, 0, 1000, 0, 0)) + samples)
        return box("trak", box("tkhd", words(3, 0, 0, 1, 0, 0) + zeros(60)) + edits + media)
    }

    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        words(UInt32(content.count + 8)) + Array(type.utf8) + content
    }

    private static func words(_ words: UInt32...) -> [UInt8] {
        words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) } }
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    // MARK: Matroska

    /// Two pictures. A file that is still being written does not know how long it will be.
    static func matroska(_ jpeg: [UInt8], isFinished: Bool) -> [UInt8] {
        let pictures = EBML.element(0xE0, EBML.element(0xB0, [16]) + EBML.element(0xBA, [8]))
        let entry = EBML.element(0xD7, [1]) + EBML.element(0x86, Array("V_MJPEG".utf8)) + pictures
        let tracks = EBML.element(0x1654_AE6B, EBML.element(0xAE, entry))
        let cluster =
            EBML.element(0xE7, [0]) + EBML.element(0xA3, [0x81, 0, 0, 0x80] + jpeg)
            + EBML.element(0xA0, EBML.element(0xA1, [0x81, 0, 33, 0] + jpeg))
        let info = EBML.element(0x1549_A966, EBML.element(0x2AD7B1, EBML.unsigned(1_000_000)))
        let head = EBML.element(0x1A45_DFA3, EBML.element(0x4282, Array("matroska".utf8)))
        let unknown: [UInt8] = [0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        guard !isFinished else {
            return head + EBML.element(0x1853_8067, info + tracks + EBML.element(0x1F43_B675, cluster))
        }
        return head + EBML.id(0x1853_8067) + unknown + info + tracks + EBML.id(0x1F43_B675) + unknown + cluster
    }
}
