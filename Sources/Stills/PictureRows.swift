// SPDX-License-Identifier: MIT
// A fused picture as rows of R'G'B' or grey, for PNG and for JPEG files encoded through R'G'B'.

import Fusion

/// Provides a picture's rows in any order. Owns the scratch memory of one row.
final class PictureRows {
    /// Samples per pixel: 1 for grey, 3 for colour.
    let channels: Int
    private let picture: FusedPicture
    private let source: FinePicture?
    private let converter: RowConverter
    private let chroma: (cb: UnsafeMutablePointer<UInt16>, cr: UnsafeMutablePointer<UInt16>)
    private let sums: UnsafeMutablePointer<UInt32>
    private let row: UnsafeMutableBufferPointer<UInt16>

    /// Rows of a picture. Where nothing was drawn since it was made of `source`, they have the samples of that file.
    init(_ picture: FusedPicture, of source: FinePicture? = nil) {
        self.picture = picture
        self.source = source
        converter = RowConverter(picture.colorimetry)
        channels = picture.chroma == .none ? 1 : 3
        let width = picture.size.width
        chroma = (.allocate(capacity: width + 1), .allocate(capacity: width + 1))
        sums = .allocate(capacity: width)
        row = .allocate(capacity: channels * width)
        row.initialize(repeating: 0)
    }

    deinit {
        chroma.cb.deallocate()
        chroma.cr.deallocate()
        sums.deallocate()
        row.deallocate()
    }

    /// Row `y` in 16 bits, valid until the next row is requested.
    func samples(_ y: Int) -> UnsafeMutableBufferPointer<UInt16> {
        let width = picture.size.width
        let luma = UnsafePointer(picture.planes[0].samples.baseAddress! + y * width)
        if channels == 1 {
            converter.grey(luma, count: width, into: row.baseAddress!)
        } else {
            ChromaRows(picture.planes[1], picture.chroma, sums: sums).spread(y, into: chroma.cb)
            ChromaRows(picture.planes[2], picture.chroma, sums: sums).spread(y, into: chroma.cr)
            converter.rgb(luma, chroma.cb, chroma.cr, count: width, into: row.baseAddress!)
            if picture.chroma == .singles {
                source?.restore(y, where: (luma, UnsafePointer(chroma.cb), UnsafePointer(chroma.cr)), in: row)
            }
        }
        return row
    }

    /// Writes row `y`, rounded to 8 bits.
    func bytes(_ y: Int, into bytes: UnsafeMutablePointer<UInt8>) {
        let samples = samples(y)
        // Rounded division by 257 maps 0...65535 to 0...255.
        for place in 0..<samples.count {
            bytes[place] = UInt8(truncatingIfNeeded: (UInt32(samples[place]) &* 255 &+ 32895) &>> 16)
        }
    }
}
