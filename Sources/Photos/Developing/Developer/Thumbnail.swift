// SPDX-License-Identifier: MIT
// Makes a small picture of a photo, for lists.

import Fusion
import LivecapFrames
import LivecapJPEG
import LivecapStills

/// Makes small JPEG pictures by averaging squares of pixels. Only one thread may use it.
package struct ThumbnailEncoder: ~Copyable {
    /// The longer side of a thumbnail, in pixels, at most.
    package static let longest = 320
    private static let quality = 80
    private var jpeg: JPEGEncoder

    package init() throws(PhotoError) {
        do throws(JPEGError) { jpeg = try JPEGEncoder() } catch {
            throw .unprocessed("there is no memory to make pictures")
        }
    }

    /// A thumbnail, turned as the orientation says.
    package mutating func encode(_ picture: FusedPicture, _ orientation: PhotoOrientation) throws(PhotoError) -> [UInt8]
    {
        let step = max(1, (max(picture.size.width, picture.size.height) + Self.longest - 1) / Self.longest)
        let size = FrameSize(width: max(1, picture.size.width / step), height: max(1, picture.size.height / step))
        let decoder = ColorDecoder(picture.colorimetry)
        let across = picture.chroma.across, down = picture.chroma.down
        var pixels: [UInt8] = []
        pixels.reserveCapacity(3 * size.area)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let luma = picture.planes[0].mean(x: x * step, y: y * step, width: step, height: step)
                let color =
                    if picture.chroma == .none { decoder.grey(luma) } else {
                        decoder.color(
                            luma: luma,
                            cb: picture.planes[1].mean(
                                x: x * step / across, y: y * step / down, width: step, height: step, across: across,
                                down: down),
                            cr: picture.planes[2].mean(
                                x: x * step / across, y: y * step / down, width: step, height: step, across: across,
                                down: down))
                    }
                for part in [color.red, color.green, color.blue] {
                    pixels.append(UInt8(min(max(part * 255, 0), 255).rounded()))
                }
            }
        }
        var metadata = PhotoMetadata()
        metadata.orientation = orientation
        do throws(JPEGError) {
            return try jpeg.encodeRGB(pixels.span.bytes, size: size, quality: Self.quality) { picture in
                orientation == .up
                    ? picture.withUnsafeBytes { Array($0) } : metadata.inserted(intoJPEG: picture)
            }
        } catch { throw .unprocessed(error.reason) }
    }
}

extension FusedPicture.Plane {
    /// The mean of the samples that cover `width` by `height` pixels, in 8-bit codes.
    fileprivate func mean(
        x: Int, y: Int, width: Int, height: Int, across: Int = 1, down: Int = 1
    ) -> Double {
        let columns = x..<min(x + max(1, width / across), self.width)
        let rows = y..<min(y + max(1, height / down), self.height)
        var sum: UInt64 = 0
        for row in rows {
            let samples = samples.baseAddress! + row * self.width
            for column in columns { sum &+= UInt64(samples[column]) }
        }
        return Double(sum) / Double(max(1, columns.count * rows.count)) / 256
    }
}
