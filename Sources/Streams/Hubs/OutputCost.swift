// SPDX-License-Identifier: MIT
// What outputs cost: estimated before they are added, measured once they run.

import LivecapFrames
import LivecapPictures
import LivecapStabilization

/// What a session's outputs cost.
public struct OutputCost: Hashable, Sendable {
    /// The share of one processor that making their pictures takes. All outputs of a session share one: above 1,
    /// pictures are dropped.
    public var processor: Double
    /// Bytes of memory for their pictures, at most.
    public var memory: Int
    /// Bytes a second that the camera sends, at most.
    public var bandwidth: Int
    /// Whether `processor` was measured with these outputs. Otherwise it is estimated for a slow machine.
    public var isMeasured: Bool
    /// What the session's movies cost, besides: they have threads and memory of their own.
    public var movies = MovieCost()

    /// Adds what other outputs of the same frames cost, which have a processor of their own.
    package mutating func add(_ other: OutputCost) {
        processor += other.processor
        memory += other.memory
        isMeasured = isMeasured && other.isMeasured
        movies = movies + other.movies
    }
}

/// What a movie costs, or several together: estimated for a slow machine.
public struct MovieCost: Hashable, Sendable {
    /// The share of one processor that it takes. Encoders spread it over several: above their number, frames are left
    /// out.
    public var processor = 0.0
    /// Bytes of memory, at most: pictures that wait for their sound or to be steadied, compressed or not, and those
    /// that an encoder keeps.
    public var memory = 0
    /// Bytes a second that reach the disk, about: they depend on what is seen.
    public var bandwidth = 0

    /// Nothing.
    public init() {}

    /// Both together.
    public static func + (a: MovieCost, b: MovieCost) -> MovieCost {
        var sum = a
        sum.processor += b.processor
        sum.memory = saturatingSum(a.memory, b.memory)
        sum.bandwidth = saturatingSum(a.bandwidth, b.bandwidth)
        return sum
    }

    private static func saturatingSum(_ a: Int, _ b: Int) -> Int {
        let (sum, isTooLarge) = a.addingReportingOverflow(b)
        return isTooLarge ? .max : sum
    }
}

/// How long pictures take, estimated from their sizes.
enum OutputEstimate {
    /// Nanoseconds per pixel on one core of a slow laptop of 2015: about twice those of the machine in
    /// docs/performance.md. Decoding counts the frame's pixels, everything else the picture's.
    private static let decodingJPEG = 9.0, decoding = 1.5, drawing = 4.0, packing = 3.0, encodingJPEG = 10.0
    private static let steadying = 6.0

    /// The share of a processor for these outputs of frames of a format. Equal pictures are counted once, at the
    /// highest rate.
    static func processor(_ outputs: [FrameOutputSettings], of frames: FrameFormat, at rate: FrameRate?) -> Double {
        guard !outputs.isEmpty else { return 0 }
        let full = (rate ?? FrameRate(30)).framesPerSecond
        var rates: [Kind: Double] = [:]
        for output in outputs {
            let own = min(full, output.rate?.framesPerSecond ?? full)
            let kind = Kind(pictures: output.pictures, stabilization: output.stabilization)
            rates[kind] = max(rates[kind] ?? 0, own)
        }
        let perFrame = Double(frames.size.area) * (frames.pixelFormat.isJPEG ? decodingJPEG : decoding)
        var nanoseconds = perFrame * (rates.values.max() ?? full)
        for (kind, rate) in rates {
            guard let format = try? kind.pictures.pictures(of: frames) else { continue }
            nanoseconds += Double(format.size.area) * perPixel(kind.pictures.format) * rate
        }
        // Every frame is decoded and steadied, whatever the rate of pictures.
        let modes = Set(rates.keys.map(\.stabilization)).subtracting([.off])
        nanoseconds += Double(modes.count) * full * (perFrame + Double(frames.size.area) * steadying)
        return nanoseconds / 1e9
    }

    private struct Kind: Hashable {
        let pictures: PictureSettings
        let stabilization: StabilizationMode
    }

    private static func perPixel(_ format: PictureFormat) -> Double {
        switch format {
        case .i420, .grey: drawing
        case .nv12, .p010, .yuyv, .rgb24, .bgr24: drawing + packing
        case .jpeg: drawing + encodingJPEG
        }
    }

    /// Bytes for the pictures of an output, and for frames that wait to be steadied.
    static func memory(_ output: FrameOutputSettings, of frames: FrameFormat, at rate: FrameRate?) -> Int {
        guard let format = try? output.pictures.pictures(of: frames) else { return 0 }
        let kept = FrameSteadier.memory(frames, at: rate, output.stabilization)
        let (sum, isTooLarge) = saturatingProduct(output.buffers, format.byteCount).addingReportingOverflow(kept)
        return isTooLarge ? .max : sum
    }

    private static func saturatingProduct(_ a: Int, _ b: Int) -> Int {
        let (product, isTooLarge) = a.multipliedReportingOverflow(by: b)
        return isTooLarge ? .max : product
    }
}
