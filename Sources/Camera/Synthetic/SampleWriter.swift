// SPDX-License-Identifier: MIT
// Converts rows of R'G'B' to the samples of any uncompressed format.

import LivecapFrames

/// Writes a frame's rows, from the top, into memory laid out in its format. A chroma sample is the mean over the pixels
/// it covers.
struct SampleWriter {
    private let size: FrameSize
    private let model: SampleLayout.Model
    private let grids: [SampleGrid]
    /// The factor and the summand that convert each component's codes to samples of more than 8 bits.
    private let steps: [(scale: Float, offset: Float)]
    private let rows: SampleRows
    // Y' = red R' + green G' + blue B'. All factors convert directly to 8-bit samples.
    private let red, green, blue: Float
    private let lumaScale, black, cbScale, crScale: Float

    /// The padded length of a row that is processed eight pairs at a time.
    static func padded(_ width: Int) -> Int { (width + 1 + 15) / 16 * 16 }

    init(_ format: FrameFormat) {
        size = format.size
        guard let samples = format.pixelFormat.samples else {
            preconditionFailure("a scene is drawn as samples, and then compressed")
        }
        model = samples.model
        grids = SampleGrid.all(of: format)
        steps = grids.indices.map {
            let (scale, offset) = samples.codes(ofComponent: $0, format.colorimetry.range)
            return (Float(1 / scale), Float(-offset / scale))
        }
        rows = SampleRows(count: Self.padded(format.size.width))
        let weights = format.colorimetry.matrix.weights
        red = Float(weights.red)
        blue = Float(weights.blue)
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
        let width = size.width
        if model == .rgb {
            for (place, row) in [r, g, b].enumerated() {
                for x in 0..<width {
                    grids[place].store(Int(row[x] * lumaScale + black + 0.5), x, y, into: memory.baseAddress!)
                }
            }
            return
        }
        makeLuma(r, g, b)
        let count = model == .grey ? width : min((width + 1) & ~1, grids[0].stride / grids[0].step)
        store(
            0, y: y, count: count, bytes: rows.lumaBytes, samples: rows.luma, scale: lumaScale, zero: black,
            into: memory)
        guard model == .yCbCr, writesChroma(r: r, b: b, y: y, down: grids[1].down) else { return }
        let (row, pairs) = (y / grids[1].down, (width + 1) / 2)
        store(1, y: row, count: pairs, bytes: rows.cbBytes, samples: rows.cb, scale: 1, zero: 128, into: memory)
        store(2, y: row, count: pairs, bytes: rows.crBytes, samples: rows.cr, scale: 1, zero: 128, into: memory)
    }

    /// Stores a row of a component: bytes as they are, words from the samples before they were rounded. `scale` and
    /// `zero` convert those to codes.
    private func store(
        _ component: Int, y: Int, count: Int, bytes: UnsafeMutablePointer<UInt8>,
        samples: UnsafeMutablePointer<Float>, scale: Float, zero: Float,
        into memory: UnsafeMutableRawBufferPointer
    ) {
        let grid = grids[component], start = memory.baseAddress! + grid.offset(0, y)
        if grid.sampleBytes == 2 {
            let (step, offset) = steps[component], most = Float(1 << grid.bits - 1)
            for x in 0..<count {
                let sample = (samples[x] * scale + zero) * step + offset + 0.5
                grid.store(Int(min(max(sample, 0), most)), x, y, into: memory.baseAddress!)
            }
        } else if grid.step == 1 {
            start.copyMemory(from: bytes, byteCount: count)
        } else {
            let target = start.assumingMemoryBound(to: UInt8.self)
            for x in 0..<count { target[x * grid.step] = bytes[x] }
        }
    }

    /// Computes a row's chroma. Returns whether it is complete: if a sample covers two rows, at the second of them or
    /// at the picture's last row.
    private func writesChroma(
        r: UnsafeMutablePointer<Float>, b: UnsafeMutablePointer<Float>, y: Int, down: Int
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
        luma = row()
        cb = row()
        cr = row()
        lumaBytes = row()
        cbBytes = row()
        crBytes = row()
    }

    deinit {
        for row in [luma, cb, cr] { row.deallocate() }
        for row in [lumaBytes, cbBytes, crBytes] { row.deallocate() }
    }
}
