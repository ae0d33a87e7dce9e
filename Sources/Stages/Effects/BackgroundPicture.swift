// SPDX-License-Identifier: MIT
// A picture to show behind people, in planes of a frame's size.

import LivecapDetection
import LivecapFrames

/// The picture of a file, as pictures of one kind show it. The last one is kept.
final class BackgroundPicture {
    private let kind: PictureKind
    private let codes: ColourCodes
    /// There is none before a picture is wanted.
    private var kept: PicturePlanes?
    private var file: (path: String, stamp: BackgroundFile.Stamp?)?

    init(_ kind: PictureKind) {
        self.kind = kind
        codes = ColourCodes(kind.colorimetry)
    }

    /// The picture of a file. The file is read again only if another one was shown last, or it has changed since. If it
    /// cannot be read any more, its picture stays as it was; without any, it is black, because what is behind people
    /// must not become visible.
    func planes(of path: String) -> PicturePlanes {
        let stamp = BackgroundFile.Stamp(path)
        if let kept, let file, file.path == path, stamp == nil || file.stamp == stamp { return kept }
        let planes = kept ?? PicturePlanes(kind.size)
        kept = planes
        do throws(EffectError) {
            let opened = try BackgroundFile(path)
            fill(planes, with: try opened.pixels(filling: kind.size))
            file = (path, opened.stamp)
        } catch {
            if file?.path != path { blacken(planes) }
            file = (path, stamp)
        }
        return planes
    }

    private func fill(_ planes: PicturePlanes, with pixels: [UInt8]) {
        let rowBytes = 3 * kind.size.width
        pixels.withUnsafeBufferPointer { pixels in
            for y in 0..<planes.luma.height {
                let (from, to) = (pixels.baseAddress! + y * rowBytes, planes.luma.row(y))
                for x in 0..<planes.luma.width {
                    let pixel = from + 3 * x
                    let code = codes.of(red: Double(pixel[0]), green: Double(pixel[1]), blue: Double(pixel[2]))
                    to[x] = Self.code(code.luma)
                }
            }
            for y in 0..<planes.cb.height {
                let (cb, cr) = (planes.cb.row(y), planes.cr.row(y))
                for x in 0..<planes.cb.width {
                    // The mean of the four pixels.
                    let square = pixels.baseAddress! + 2 * y * rowBytes + 6 * x
                    func mean(_ lane: Int) -> Double {
                        let upper = Int(square[lane]) + Int(square[lane + 3])
                        return Double(upper + Int(square[rowBytes + lane]) + Int(square[rowBytes + lane + 3])) / 4
                    }
                    let code = codes.of(red: mean(0), green: mean(1), blue: mean(2))
                    cb[x] = Self.code(code.cb)
                    cr[x] = Self.code(code.cr)
                }
            }
        }
    }

    private func blacken(_ planes: PicturePlanes) {
        for (plane, code) in [(planes.luma, UInt8(kind.range.black)), (planes.cb, 128), (planes.cr, 128)] {
            for y in 0..<plane.height { plane.row(y).update(repeating: code, count: plane.width) }
        }
    }

    private static func code(_ value: Double) -> UInt8 { UInt8(min(max(value.rounded(), 0), 255)) }
}
