// SPDX-License-Identifier: MIT
// Fuzzes the structure check of a camera's JPEG frames, and the decoder and the insertion of tables that follow it.

import FuzzSupport
import LivecapFrames
import LivecapJPEG

fuzz { bytes, count in
    let jpeg = UnsafeRawBufferPointer(start: bytes, count: count).bytes
    let (structure, damage) = JPEGStructure.check(jpeg)
    // A picture that passes the check is decoded. In a camera its size is that of the stream, so it is
    // limited here as well.
    if damage == .none, let size = structure?.size, size.area <= 1 << 18 {
        let pixels = UnsafeMutableRawBufferPointer.allocate(byteCount: 3 * size.area, alignment: 64)
        defer { pixels.deallocate() }
        do throws(JPEGError) {
            var decoder = try JPEGDecoder()
            _ = try decoder.decodeRGB(jpeg, size: size, into: pixels)
            _ = try decoder.decodeGreyEighth(jpeg, size: size, into: pixels)
            let header = try decoder.header(jpeg)
            if let layout = PlanarLayout(size: size, sampling: header.sampling) {
                precondition(layout.byteCount <= pixels.count, "planes have no more samples than colours")
                _ = try decoder.decode(jpeg, to: layout, in: pixels)
            }
        } catch {
            _ = error
        }
    }
    _ = JPEGStructure.check(jpeg, size: FrameSize(width: 64, height: 48))
    _ = StandardHuffmanTables.inserted(into: jpeg)
    // Another Exif block must not change a picture's structure.
    if let tagged = MetadataSegment.inserted([(.exif, [1, 2, 3])], into: jpeg) {
        let (found, damageFound) = JPEGStructure.check(tagged.span.bytes)
        precondition(damageFound == damage && found?.size == structure?.size, "the block has damaged the picture")
    }
    return 0
}
