// SPDX-License-Identifier: MIT
// A picture file in the precision that it has, for drawing into it. Accepts arbitrary bytes.

import Fusion
import LivecapFrames
import LivecapThreads

/// A PNG or HEIC file with all of its bits, and a colour for each pixel. PNG files lose nothing but transparency: what
/// is transparent is drawn on black, as `DecodedPicture` does. HEIC files are the R'G'B' of as many bits that libheif
/// makes of them, turned as they say.
package struct FinePicture: Sendable {
    /// The file's format.
    package let format: StillFormat
    /// The picture's size, as it is shown.
    package let size: FrameSize
    /// Bits per sample of the file: 8 or 16 for PNG, 8 to 16 for HEIC.
    package let bits: Int
    /// What the file says of its colours.
    package let colours: FileColours
    /// Full-range red, green and blue from 0 to 65535, interleaved, in rows without padding.
    let pixels: [UInt16]

    /// Decodes a file with the libheif of that file name, if it needs one. Nil for JPEG, and for what is no picture, or
    /// lacks libheif, of which `DecodedPicture` says why.
    /// - Throws: `undecodable`; `unavailable` for a HEIC file without a decoder.
    package init?(_ file: [UInt8], heif name: String = HEIFLibrary.usualName) throws(StillError) {
        guard let picture = PhotoInspection(file, heif: name), picture.lack == nil else { return nil }
        format = picture.format
        switch format {
        case .jpeg: return nil
        case .png:
            let chunks = PNGChunks(file)
            size = try Self.checkedSize(picture)
            bits = chunks.depth == 16 ? 16 : 8
            colours = FileColours(chunks)
            pixels = try PNGReading.samples(file, chunks, size)
        case .heic:
            size = try Self.checkedSize(picture)
            let decoded = try HEIFReading.fine(HEIFLibrary(name), file, size)
            pixels = decoded.samples
            bits = decoded.bits
            colours = decoded.colours
        }
    }

    /// The size of a picture that there is room for.
    private static func checkedSize(_ picture: PhotoInspection) throws(StillError) -> FrameSize {
        let size = try picture.decodableSize()
        // Words of up to four samples per pixel.
        guard AddressSpace.hasRoom(for: 8 * size.area) else { throw .noMemory }
        return size
    }

    /// The picture to draw into: Y'CbCr with a colour for each pixel.
    /// - Throws: `unsupportedLevel` if the processor has no such level of kernels.
    package func picture(level: KernelLevel? = nil) throws(FusionError) -> FusedPicture {
        let picture = try FusedPicture(size, .singles, colours.colorimetry, level: level)
        let folder = PixelFolder(colours.colorimetry.matrix)
        let luma = picture.planes[0].samples
        let cb = picture.planes[1].samples
        let cr = picture.planes[2].samples
        pixels.withUnsafeBufferPointer { pixels in
            for place in 0..<size.area {
                let folded = folder.folded(pixels[3 &* place], pixels[3 &* place &+ 1], pixels[3 &* place &+ 2])
                luma[place] = folded.luma
                cb[place] = folded.cb
                cr[place] = folded.cr
            }
        }
        return picture
    }

    /// Writes the file's own samples into a row of a picture that was made of it, at pixels whose Y', Cb and Cr are
    /// what they were when it was made: the way there and back is not exact.
    func restore(
        _ y: Int, where now: (luma: UnsafePointer<UInt16>, cb: UnsafePointer<UInt16>, cr: UnsafePointer<UInt16>),
        in row: UnsafeMutableBufferPointer<UInt16>
    ) {
        let folder = PixelFolder(colours.colorimetry.matrix)
        pixels.withUnsafeBufferPointer { pixels in
            for x in 0..<size.width {
                let own = 3 &* (y &* size.width &+ x)
                let folded = folder.folded(pixels[own], pixels[own &+ 1], pixels[own &+ 2])
                guard folded.luma == now.luma[x], folded.cb == now.cb[x], folded.cr == now.cr[x] else { continue }
                for channel in 0..<3 { row[3 &* x &+ channel] = pixels[own &+ channel] }
            }
        }
    }
}

/// Converts R'G'B' from 0 to 65535 to the samples of Y'CbCr in full range, codes times 256.
private struct PixelFolder {
    /// White is 255 x 257 there, and 255 x 256 here.
    private static let unit = 256.0 / 257
    private let red: Double
    private let green: Double
    private let blue: Double
    private let ofCb: Double
    private let ofCr: Double

    init(_ matrix: Colorimetry.Matrix) {
        let weights = matrix.weights
        red = weights.red * Self.unit
        green = (1 - weights.red - weights.blue) * Self.unit
        blue = weights.blue * Self.unit
        ofCb = 0.5 / (1 - weights.blue)
        ofCr = 0.5 / (1 - weights.red)
    }

    func folded(_ r: UInt16, _ g: UInt16, _ b: UInt16) -> (luma: UInt16, cb: UInt16, cr: UInt16) {
        let luma = red * Double(r) + green * Double(g) + blue * Double(b)
        let blueness = Double(b) * Self.unit - luma
        let redness = Double(r) * Self.unit - luma
        // None is negative, so a half rounds.
        return (UInt16(luma + 0.5), UInt16(32768.5 + ofCb * blueness), UInt16(32768.5 + ofCr * redness))
    }
}
