// SPDX-License-Identifier: MIT
// Converts rows of R'G'B' to the samples of any uncompressed format.

import Frames

/// Writes a frame's rows, from the top, into memory laid out in its format. A chroma sample is the mean over the pixels
/// it covers.
struct SampleWriter {
    private let size: FrameSize
    private let layout: PixelFormat.Layout
    private let planes: [Plane]
    private let rows: SampleRows
    // Y' = red R' + green G' + blue B'. All factors convert directly to 8-bit samples.
    private let red, green, blue: Float
    private let lumaScale, black, cbScale, crScale: Float

    /// The padded length of a row that is processed eight pairs at a time.
    static func padded(_ width: Int) -> Int { (width + 1 + 15) / 16 * 16 }

    init(_ format: FrameFormat) {
        size = format.size
        layout = format.pixelFormat.layout
        planes = format.planes
        rows = SampleRows(count: Self.padded(format.size.width))
        let weights = format.colorimetry.matrix.weights
        (red, blue) = (Float(weights.red), Float(weights.blue))
        green = Float(1 - weights.red - weights.blue)
        let isFull = format.colorimetry.range == .full
        (lumaScale, black) = isFull ? (255, 0) : (219, 16)
        let chroma = isFull ? 255.0 : 224.0
        cbScale = Float(chroma / (2 * (1 - weights.blue)))
        crScale = Float(chroma / (2 * (1 - weights.red)))
    }

    func write(
        row y: Int, _ r: UnsafeMutablePointer<Float>, _ g: UnsafeMutablePointer<Float>,
        _ b: UnsafeMutablePointer<Float>, into memory: UnsafeMutableRawBufferPointer
    ) {
        let bytes = memory.assumingMemoryBound(to: UInt8.self).baseAddress!
        let (width, start) = (size.width, y * planes[0].stride)
        let row = bytes + start
        if case .rgb(let redPlace, let bluePlace) = layout {
            for x in 0..<width {
                row[3 * x + redPlace] = UInt8(r[x] * lumaScale + black + 0.5)
                row[3 * x + 1] = UInt8(g[x] * lumaScale + black + 0.5)
                row[3 * x + bluePlace] = UInt8(b[x] * lumaScale + black + 0.5)
            }
            return
        }
        makeLuma(r, g, b)
        switch layout {
        case .packed422(let luma, let cb, let cr):
            makeChroma(r, b, mixedWithLastRow: false)
            let (lumaRow, cbRow, crRow) = (rows.lumaBytes, rows.cbBytes, rows.crBytes)
            for pair in 0..<((width + 1) / 2) {
                let pixel = row + 4 * pair
                pixel[luma] = lumaRow[2 * pair]
                pixel[luma + 2] = lumaRow[2 * pair + 1]
                pixel[cb] = cbRow[pair]
                pixel[cr] = crRow[pair]
            }
        case .semiPlanar(_, let down, let crFirst):
            row.update(from: rows.lumaBytes, count: min((width + 1) & ~1, planes[0].stride))
            guard writesChroma(r, b, y, down) else { return }
            let target = bytes + planes[1].offset + y / down * planes[1].stride
            let (first, second) = crFirst ? (rows.crBytes, rows.cbBytes) : (rows.cbBytes, rows.crBytes)
            for pair in 0..<((width + 1) / 2) {
                target[2 * pair] = first[pair]
                target[2 * pair + 1] = second[pair]
            }
        case .planar(_, let down, _):
            row.update(from: rows.lumaBytes, count: min((width + 1) & ~1, planes[0].stride))
            guard writesChroma(r, b, y, down) else { return }
            let (cb, cr, count) = (planes[1], planes[2], (width + 1) / 2)
            (bytes + cb.offset + y / down * cb.stride).update(from: rows.cbBytes, count: count)
            (bytes + cr.offset + y / down * cr.stride).update(from: rows.crBytes, count: count)
        case .grey:
            row.update(from: rows.lumaBytes, count: width)
        case .rgb, .jpeg, .opaque:
            preconditionFailure("not a format of Y'CbCr samples")
        }
    }

    /// Computes a row's chroma. Returns whether it is complete: if a sample covers two rows, at the second of them or
    /// at the picture's last row.
    private func writesChroma(
        _ r: UnsafeMutablePointer<Float>, _ b: UnsafeMutablePointer<Float>, _ y: Int, _ down: Int
    ) -> Bool {
        makeChroma(r, b, mixedWithLastRow: down == 2 && y % 2 == 1)
        return down == 1 || y % 2 == 1 || y == size.height - 1
    }

    private func makeLuma(
        _ r: UnsafeMutablePointer<Float>, _ g: UnsafeMutablePointer<Float>, _ b: UnsafeMutablePointer<Float>
    ) {
        for x in stride(from: 0, to: rows.count, by: 8) {
            let luma = load(r + x) * red + load(g + x) * green + load(b + x) * blue
            store8(luma, to: rows.luma + x)
            store8(bytes(luma * lumaScale + black), to: rows.lumaBytes + x)
        }
    }

    /// Computes the means of the colour differences over pairs and, if requested, over this row and the previous one.
    private func makeChroma(
        _ r: UnsafeMutablePointer<Float>, _ b: UnsafeMutablePointer<Float>, mixedWithLastRow: Bool
    ) {
        for pair in stride(from: 0, to: rows.count / 2, by: 8) {
            func mean(_ samples: UnsafeMutablePointer<Float>, _ scale: Float) -> SIMD8<Float> {
                let left = load(samples + 2 * pair) - load(rows.luma + 2 * pair)
                let right = load(samples + 2 * pair + 8) - load(rows.luma + 2 * pair + 8)
                let even = SIMD8(lowHalf: left.evenHalf, highHalf: right.evenHalf)
                let odd = SIMD8(lowHalf: left.oddHalf, highHalf: right.oddHalf)
                return (even + odd) * (scale * 0.5)
            }
            var (cb, cr) = (mean(b, cbScale), mean(r, crScale))
            if mixedWithLastRow {
                cb = (cb + load(rows.cb + pair)) * 0.5
                cr = (cr + load(rows.cr + pair)) * 0.5
            }
            store8(cb, to: rows.cb + pair)
            store8(cr, to: rows.cr + pair)
            store8(bytes(cb + 128), to: rows.cbBytes + pair)
            store8(bytes(cr + 128), to: rows.crBytes + pair)
        }
    }

    @inline(__always) private func load(_ place: UnsafeMutablePointer<Float>) -> SIMD8<Float> {
        UnsafeRawPointer(place).loadUnaligned(as: SIMD8<Float>.self)
    }

    @inline(__always) private func store8<V>(_ value: V, to place: UnsafeMutablePointer<some Any>) {
        UnsafeMutableRawPointer(place).storeBytes(of: value, as: V.self)
    }

    /// Rounds samples to bytes and clamps them to 255.
    @inline(__always) private func bytes(_ samples: SIMD8<Float>) -> SIMD8<UInt8> {
        let limit = SIMD8<Float>(repeating: 255)
        let whole = samples.replacing(with: limit, where: samples .> limit) + 0x1p23
        return SIMD8<UInt8>(truncatingIfNeeded: unsafeBitCast(whole, to: SIMD8<UInt32>.self))
    }
}

/// A writer's row memory.
private final class SampleRows {
    let count: Int
    let luma, cb, cr: UnsafeMutablePointer<Float>
    let lumaBytes, cbBytes, crBytes: UnsafeMutablePointer<UInt8>

    init(count: Int) {
        self.count = count
        func row<Sample: ExpressibleByIntegerLiteral>() -> UnsafeMutablePointer<Sample> {
            let row = UnsafeMutablePointer<Sample>.allocate(capacity: count)
            row.initialize(repeating: 0, count: count)
            return row
        }
        (luma, cb, cr) = (row(), row(), row())
        (lumaBytes, cbBytes, crBytes) = (row(), row(), row())
    }

    deinit {
        for row in [luma, cb, cr] { row.deallocate() }
        for row in [lumaBytes, cbBytes, crBytes] { row.deallocate() }
    }
}
