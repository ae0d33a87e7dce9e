// SPDX-License-Identifier: MIT
// Packs planes as pictures that have no planes of their own: pairs of chroma, pixels, JPEG.

import LivecapFrames
import LivecapJPEG

/// Packs planes as the pictures of one format. Used by one thread.
final class PicturePacker {
    /// The planes to pack.
    let planes: [Plane]
    /// The number of pixels that share a chroma sample, across and down.
    let shared: (across: Int, down: Int)
    /// Which levels of the planes stand for black and white.
    let range: Colorimetry.Range

    private let format: FrameFormat
    private let way: Way

    private enum Way {
        case chromaPairs(Plane)
        case finePairs(Plane, luma: [UInt16], chroma: [UInt16])
        case lumaAndChroma
        case pixels(PixelTable)
        case jpeg(StillPacker)
    }

    /// Nil for formats whose pictures are planes. `source` is the colorimetry of the planes.
    init?(_ format: FrameFormat, _ wanted: PictureFormat, from source: Colorimetry) {
        let size = format.size
        func planes(_ sampling: PlanarSampling) -> [Plane] { sampling.planes(size) }
        self.format = format
        switch wanted {
        case .i420, .grey: return nil
        case .nv12:
            shared = (2, 2)
            range = format.colorimetry.range
            way = .chromaPairs(format.planes[1])
            self.planes = planes(.s420)
        case .p010:
            shared = (2, 2)
            range = format.colorimetry.range
            way = .finePairs(
                format.planes[1], luma: FineLevels.table(format.colorimetry.range, isChroma: false),
                chroma: FineLevels.table(format.colorimetry.range, isChroma: true))
            self.planes = planes(.s420)
        case .yuyv:
            shared = (2, 1)
            range = format.colorimetry.range
            way = .lumaAndChroma
            self.planes = planes(.s422)
        case .rgb24, .bgr24:
            shared = (1, 1)
            range = source.range
            way = .pixels(PixelTable(source, isBlueFirst: wanted == .bgr24))
            self.planes = planes(.s444)
        case .jpeg(let quality):
            guard let packer = StillPacker(size, quality: quality, from: source.matrix) else { return nil }
            shared = (2, 2)
            range = .full
            way = .jpeg(packer)
            self.planes = packer.layout.planes
        }
    }

    /// Packs the planes into `memory`. Returns the number of bytes, nil if JPEG cannot be encoded.
    func pack(_ samples: UnsafeMutablePointer<UInt8>, into memory: UnsafeMutableRawBufferPointer) -> Int? {
        let target = memory.assumingMemoryBound(to: UInt8.self).baseAddress!
        switch way {
        case .chromaPairs(let pairs): packPairs(samples, target, pairs)
        case .finePairs(let pairs, let luma, let chroma): packFine(samples, memory, pairs, by: (luma, chroma))
        case .lumaAndChroma: packPacked(samples, target)
        case .pixels(let table):
            let (luma, cb, cr) = (planes[0], planes[1], planes[2])
            for y in 0..<format.size.height {
                table.convert(
                    samples + luma.offset + y * luma.stride, cb: samples + cb.offset + y * cb.stride,
                    cr: samples + cr.offset + y * cr.stride, to: target + y * format.bytesPerLine,
                    count: format.size.width)
            }
        case .jpeg(let packer): return packer.pack(samples, into: memory)
        }
        return format.byteCount
    }

    private func packPairs(
        _ samples: UnsafeMutablePointer<UInt8>, _ target: UnsafeMutablePointer<UInt8>, _ pairs: Plane
    ) {
        for y in 0..<planes[0].rows {
            (target + y * format.bytesPerLine).update(
                from: samples + planes[0].offset + y * planes[0].stride, count: planes[0].rowBytes)
        }
        for y in 0..<planes[1].rows {
            let to = target + pairs.offset + y * pairs.stride
            let cb = samples + planes[1].offset + y * planes[1].stride
            let cr = samples + planes[2].offset + y * planes[2].stride
            for x in 0..<planes[1].rowBytes { (to[2 * x], to[2 * x + 1]) = (cb[x], cr[x]) }
        }
    }

    private func packFine(
        _ samples: UnsafeMutablePointer<UInt8>, _ memory: UnsafeMutableRawBufferPointer, _ pairs: Plane,
        by levels: (luma: [UInt16], chroma: [UInt16])
    ) {
        func row(_ offset: Int) -> UnsafeMutablePointer<UInt16> {
            (memory.baseAddress! + offset).assumingMemoryBound(to: UInt16.self)
        }
        for y in 0..<planes[0].rows {
            let (to, from) = (row(y * format.bytesPerLine), samples + planes[0].offset + y * planes[0].stride)
            for x in 0..<planes[0].rowBytes { to[x] = levels.luma[Int(from[x])] }
        }
        for y in 0..<planes[1].rows {
            let to = row(pairs.offset + y * pairs.stride)
            let cb = samples + planes[1].offset + y * planes[1].stride
            let cr = samples + planes[2].offset + y * planes[2].stride
            for x in 0..<planes[1].rowBytes {
                (to[2 * x], to[2 * x + 1]) = (levels.chroma[Int(cb[x])], levels.chroma[Int(cr[x])])
            }
        }
    }

    private func packPacked(_ samples: UnsafeMutablePointer<UInt8>, _ target: UnsafeMutablePointer<UInt8>) {
        let width = format.size.width
        for y in 0..<format.size.height {
            let to = target + y * format.bytesPerLine
            let luma = samples + planes[0].offset + y * planes[0].stride
            let cb = samples + planes[1].offset + y * planes[1].stride
            let cr = samples + planes[2].offset + y * planes[2].stride
            for pair in 0..<width / 2 {
                (to[4 * pair], to[4 * pair + 1]) = (luma[2 * pair], cb[pair])
                (to[4 * pair + 2], to[4 * pair + 3]) = (luma[2 * pair + 1], cr[pair])
            }
            // An odd width has a last pair of its own.
            guard width % 2 == 1 else { continue }
            let pair = width / 2
            (to[4 * pair], to[4 * pair + 1]) = (luma[width - 1], cb[pair])
            (to[4 * pair + 2], to[4 * pair + 3]) = (luma[width - 1], cr[pair])
        }
    }
}

/// Y'CbCr to R'G'B' in 16.16 fixed point, by the equations of `ColorDecoder`.
struct PixelTable {
    private let luma, redOfCr, blueOfCb, greenOfCb, greenOfCr: [Int32]
    private let isBlueFirst: Bool

    init(_ source: Colorimetry, isBlueFirst: Bool) {
        let (kr, kb) = source.matrix.weights
        let isFull = source.range == .full
        let one = 255.0 * 65536
        let chromaSteps = isFull ? 255.0 : 224, lumaSteps = isFull ? 255.0 : 219, black = isFull ? 0.0 : 16
        func chroma(_ factor: Double) -> [Int32] {
            (0...255).map { level in Int32(((Double(level) - 128) / chromaSteps * factor * one).rounded()) }
        }
        luma = (0...255).map { level in
            let value = (Double(level) - black) / lumaSteps * one
            // The half is for rounding.
            return Int32(value.rounded()) + 32768
        }
        redOfCr = chroma(2 * (1 - kr))
        blueOfCb = chroma(2 * (1 - kb))
        greenOfCb = chroma(-2 * (1 - kb) * kb / (1 - kr - kb))
        greenOfCr = chroma(-2 * (1 - kr) * kr / (1 - kr - kb))
        self.isBlueFirst = isBlueFirst
    }

    func convert(
        _ luma: UnsafePointer<UInt8>, cb: UnsafePointer<UInt8>, cr: UnsafePointer<UInt8>,
        to pixels: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        let (first, last) = isBlueFirst ? (2, 0) : (0, 2)
        self.luma.withUnsafeBufferPointer { lumas in
            redOfCr.withUnsafeBufferPointer { reds in
                blueOfCb.withUnsafeBufferPointer { blues in
                    greenOfCb.withUnsafeBufferPointer { greensOfCb in
                        greenOfCr.withUnsafeBufferPointer { greensOfCr in
                            for x in 0..<count {
                                let (base, blue, red) = (lumas[Int(luma[x])], Int(cb[x]), Int(cr[x]))
                                pixels[3 * x + first] = Self.level(base &+ reds[red])
                                pixels[3 * x + 1] = Self.level(base &+ greensOfCb[blue] &+ greensOfCr[red])
                                pixels[3 * x + last] = Self.level(base &+ blues[blue])
                            }
                        }
                    }
                }
            }
        }
    }

    @inline(__always)
    private static func level(_ value: Int32) -> UInt8 { UInt8(truncatingIfNeeded: min(max(value >> 16, 0), 255)) }
}
