// SPDX-License-Identifier: MIT
// A picture file in the precision that it has, for drawing into it. Accepts arbitrary bytes.

import Fusion
import LivecapFrames

/// A PNG or HEIC file without loss, whatever its depth and chroma. PNG files are upright and opaque: what is
/// transparent is drawn on black, as `DecodedPicture` does. HEIC files are turned as they say.
package struct FinePicture: Sendable {
    /// The file's format.
    package let format: StillFormat
    /// The picture's size, as it is shown.
    package let size: FrameSize
    /// Bits per sample of the file: 8 or 16 for PNG, 8 to 16 for HEIC.
    package let bits: Int
    /// What the file says of its colours.
    package let colours: FileColours
    let samples: Samples

    /// A picture's samples.
    enum Samples: Sendable {
        /// Full-range red, green and blue from 0 to 65535, interleaved, in rows without padding.
        case pixels([UInt16])
        /// Y', Cb and Cr as in the file, in planes without padding.
        case planes([[UInt16]], ChromaGrid)
    }

    /// Decodes a file with the libheif of that file name, if it needs one. Nil for JPEG, for HEIC files whose planes
    /// have a matrix that only libheif knows, and for what is no picture, of which `DecodedPicture` says why.
    /// - Throws: `undecodable`; `unavailable` for a HEIC file without a decoder.
    package init?(_ file: [UInt8], heif name: String = HEIFLibrary.usualName) throws(StillError) {
        guard let picture = PhotoInspection(file, heif: name), picture.lack == nil else { return nil }
        format = picture.format
        switch format {
        case .jpeg: return nil
        case .png:
            let chunks = PNGChunks(file)
            size = try picture.decodableSize()
            bits = chunks.depth == 16 ? 16 : 8
            colours = FileColours(chunks)
            samples = .pixels(try PNGReading.samples(file, chunks, size))
        case .heic:
            size = try picture.decodableSize()
            guard let planes = try HEIFPlanes(HEIFLibrary(name), file, size) else { return nil }
            bits = planes.bits
            colours = planes.colours
            samples = planes.samples
        }
    }

    /// The picture to draw into, for a file of a format: without loss for files of its own format.
    /// - Throws: `unsupportedLevel` if the processor has no such level of kernels.
    package func picture(for target: StillFormat, level: KernelLevel? = nil) throws(FusionError) -> FusedPicture {
        switch samples {
        case .pixels(let pixels):
            // In the matrix and range of JPEG files, as frames of R'G'B' are fused.
            var colorimetry = colours.colorimetry
            colorimetry.matrix = .bt601
            colorimetry.range = .full
            let picture = try FusedPicture(size, .singles, colorimetry, level: level)
            fold(pixels, into: picture)
            return picture
        case .planes(let planes, let grid):
            let picture = try FusedPicture(size, grid == .none ? .quads : grid, colours.colorimetry, level: level)
            let isFull = colours.colorimetry.range == .full
            // A shift is what a HEIC file is written with. Elsewhere, white is 255 codes.
            let scale = FileCodes(bits, isStretched: isFull && target != .heic)
            for (index, plane) in picture.planes.enumerated() {
                guard index < planes.count else {
                    // Without chroma, it is neutral, so that what is drawn can have colours.
                    plane.samples.update(repeating: FileCodes.neutral)
                    continue
                }
                for place in plane.samples.indices {
                    plane.samples[place] = scale.sample(planes[index][place], isChroma: index > 0)
                }
            }
            return picture
        }
    }

    private func fold(_ pixels: [UInt16], into picture: FusedPicture) {
        let folder = PixelFolder()
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
    }

    /// Writes the file's own samples into a row of a picture that was made of it, at pixels whose Y', Cb and Cr are
    /// what they were when it was made: the way there and back is not exact.
    func restore(
        _ y: Int, where now: (luma: UnsafePointer<UInt16>, cb: UnsafePointer<UInt16>, cr: UnsafePointer<UInt16>),
        in row: UnsafeMutableBufferPointer<UInt16>
    ) {
        guard case .pixels(let pixels) = samples else { return }
        let folder = PixelFolder()
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

/// Converts R'G'B' from 0 to 65535 to the samples of Y'CbCr by BT.601 in full range, codes times 256.
private struct PixelFolder {
    /// White is 255 x 257 there, and 255 x 256 here.
    private static let unit = 256.0 / 257
    private let red: Double
    private let green: Double
    private let blue: Double
    private let ofCb: Double
    private let ofCr: Double

    init() {
        let weights = Colorimetry.Matrix.bt601.weights
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

/// Converts a HEIC file's codes to samples.
private struct FileCodes {
    static let neutral: UInt16 = 128 << 8
    private let shift: Int
    private let middle: Double
    private let factor: Double?

    /// For codes of `bits` bits. `isStretched`: whether the largest becomes 255 codes of 8 bits, rather than a little
    /// more.
    init(_ bits: Int, isStretched: Bool) {
        shift = 16 - bits
        middle = Double(1 << (bits - 1))
        factor = isStretched ? 255 * 256 / Double(1 << bits - 1) : nil
    }

    func sample(_ code: UInt16, isChroma: Bool) -> UInt16 {
        guard let factor else { return code << UInt16(shift) }
        return UInt16(
            isChroma ? Double(Self.neutral) + 0.5 + (Double(code) - middle) * factor : 0.5 + Double(code) * factor)
    }
}
