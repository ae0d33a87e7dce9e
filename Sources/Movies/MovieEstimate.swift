// SPDX-License-Identifier: MIT
// What a movie costs, estimated before it is made.

import FrameRing
import LiveCapture
import LivecapFrames
import LivecapStabilization

/// How long a movie's pictures take, and how large they become, estimated from their sizes.
enum MovieEstimate {
    /// Nanoseconds per pixel on one core of a slow laptop of 2015: about twice those of the machine in
    /// docs/performance.md. Decoding and steadying count the frame's pixels, the others the picture's.
    private static let decodingJPEG = 9.0, decoding = 1.5, steadying = 6.0, drawing = 4.0
    /// What copying compressed bytes to the file, and from there to the disk, takes per byte.
    private static let writing = 3.0

    /// What a movie of a source costs. `mount` is how the source is mounted.
    static func cost(
        _ settings: MovieSettings, _ format: MovieFormat, of source: SourceDescription, _ mount: CameraMount,
        hasSound: Bool
    ) -> MovieCost {
        let frames = source.format, shape = settings.shape(for: source, mount)
        let full = (source.rate ?? FrameRate(30)).framesPerSecond
        let rate = settings.timelapse.map { min(full, 1 / $0.seconds) } ?? full
        let isUnchanged =
            format.codec == MovieCodec(of: frames.pixelFormat) && settings.stabilization == .off
            && shape?.isFirstSources != false
        let area = Double((isUnchanged ? frames.size : shape?.size ?? frames.size).area)
        let bytes =
            isUnchanged ? Double(RingCapacity.usualBytes(frames)) : area * format.codec.bytesPerPixel
        var cost = MovieCost()
        cost.bandwidth = Int(clamping: bytes * rate) + (hasSound ? soundBytes : 0)
        // A piece of the file, and pictures that wait for their sound.
        let waiting = MovieFile.pieceLength.seconds + (hasSound ? MovieSound.lag.seconds : 0)
        cost.memory = Int(clamping: bytes * (2 + rate * waiting))
        var nanoseconds = writing * bytes * rate
        if !isUnchanged {
            let perFrame = Double(frames.size.area) * (frames.pixelFormat.isJPEG ? decodingJPEG : decoding)
            nanoseconds += (perFrame + area * (drawing + format.codec.encoding)) * rate
            if settings.stabilization != .off { nanoseconds += Double(frames.size.area) * steadying * rate }
            cost.memory += Int(clamping: 1.5 * area * format.codec.keptPictures)
            cost.memory += FrameSteadier.memory(frames, at: source.rate, settings.stabilization)
        }
        cost.processor = nanoseconds / 1e9
        return cost
    }

    /// Bytes a second of encoded sound, as large as encoders of this module make it.
    private static let soundBytes = 20_000
}

extension MovieCodec {
    /// Nanoseconds per pixel on the same machine.
    fileprivate var encoding: Double {
        switch self {
        case .mjpeg: 10
        case .h264: 12
        case .vp9: 25
        case .av1: 40
        }
    }

    /// Bytes per pixel of a scene with motion, at the quality that this module encodes with.
    fileprivate var bytesPerPixel: Double {
        switch self {
        case .mjpeg: 0.35
        case .h264: 0.06
        case .vp9: 0.04
        case .av1: 0.03
        }
    }

    /// How many pictures of 4:2:0 the memory of an encoder amounts to.
    fileprivate var keptPictures: Double {
        switch self {
        case .mjpeg: 4
        case .h264: 24
        case .vp9: 32
        case .av1: 64
        }
    }
}

extension Int {
    /// The nearest number that there is.
    fileprivate init(clamping value: Double) { self = Int(exactly: value.rounded()) ?? (value > 0 ? .max : .min) }
}
