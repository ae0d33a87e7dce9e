// SPDX-License-Identifier: MIT
// Small bursts of a synthetic scene, in any layout, with the truth about them.

import Fusion
import Glibc
import LivecapFrames
import LivecapPictureMetrics
import Testing

/// A seeded generator for noise and everything else that looks random.
struct Dice {
    private var state: UInt64
    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state &* 0x2545_F491_4F6C_DD1D
    }

    /// Approximately normal with variance 1: the sum of four uniform values.
    mutating func normal() -> Double {
        let bits = next()
        let sum = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48)
        return (Double(sum) / 65536 - 2) * 1.732
    }
}

/// The brightness of the scene at any point: waves, a diagonal edge, fine stripes.
func drawnScene(_ x: Double, _ y: Double) -> Double {
    func wave(_ turns: Double) -> Double { 4 * abs(turns - turns.rounded()) - 1 }
    let edge = x + 0.6 * y > 35 ? 30.0 : 0
    return 100 + 35 * wave(x / 23 + y / 51) + 25 * wave(y / 17 - x / 90) + edge + (x < 20 ? 8 * wave(x / 4) : 0)
}

/// Blades at every angle, as fine as three pixels, without any even area.
struct Lawn {
    private var waves: [(across: Double, down: Double, turn: Double)] = []

    init(seed: UInt64) {
        var dice = Dice(seed: seed)
        for place in 0..<32 {
            let angle = 0.7 * Double(place), period = 3 + 9 * Double(dice.next() % 1000) / 1000
            waves.append(
                (2 * .pi * cos(angle) / period, 2 * .pi * sin(angle) / period, Double(dice.next() % 628) / 100))
        }
    }

    func brightness(_ x: Double, _ y: Double) -> Double {
        waves.reduce(120) { $0 + 5 * sin($1.across * x + $1.down * y + $1.turn) }
    }
}

/// A page full of sharp black print, integrated over the area of each pixel.
enum Page {
    static func brightness(_ x: Double, _ y: Double) -> Double {
        var ink = 0.0
        for row in Int((y / 12).rounded(.down)) - 1...Int((y / 12).rounded(.down)) + 1 {
            for column in Int((x / 8).rounded(.down)) - 1...Int((x / 8).rounded(.down)) + 1 {
                var dice = Dice(seed: UInt64(bitPattern: Int64(row * 7919 + column)))
                for _ in 0..<3 {
                    let bits = dice.next() >> 20, isUpright = bits % 2 == 0
                    let left = Double(8 * column) + Double(bits >> 1 % 4),
                        top = Double(12 * row) + Double(bits >> 8 % 5)
                    ink += share(x, left, isUpright ? 1.4 : 5) * share(y, top, isUpright ? 7 : 1.3)
                }
            }
        }
        return 215 - 185 * min(ink, 1)
    }

    /// The fraction of the sample at `place` that is covered by a stroke starting at `first`.
    private static func share(_ place: Double, _ first: Double, _ length: Double) -> Double {
        max(0, min(place + 0.5, first + length) - max(place - 0.5, first))
    }
}

/// Frames, and the truth about the reference.
struct SmallBurst {
    var format: FrameFormat
    var frames: [[UInt8]]
    var reference: Int
    var truth: CodePlane

    /// Noisy frames of a scene that by default moves by a pixel or so from one frame to the next.
    init(
        _ pixelFormat: PixelFormat = .yuyv, width: Int = 56, height: Int = 44, padding: Int = 0, count: Int = 3,
        noise: Double = 6, seed: UInt64 = 1, scene: (_ frame: Int, _ x: Double, _ y: Double) -> Double = shaking
    ) {
        format = FrameFormat(pixelFormat: pixelFormat, size: FrameSize(width: width, height: height))
        format.bytesPerLine += padding
        format.byteCount = format.planes.map(\.end).max()!
        var dice = Dice(seed: seed)
        reference = count / 2
        let layout = format
        frames = (0..<count).map { frame in
            layout.filled { plane, x, y in
                if layout.pixelFormat.samples?.model == .rgb {
                    return scene(frame, Double(x), Double(y)) + Self.channels[plane] + noise * dice.normal()
                }
                guard plane == 0 else { return Self.tint[plane - 1] + 0.5 * noise * dice.normal() }
                return scene(frame, Double(x), Double(y)) + noise * dice.normal()
            }
        }
        let of = reference
        truth = CodePlane(
            width: width, height: height,
            samples: (0..<width * height).map { Float(scene(of, Double($0 % width), Double($0 / width))) })
    }

    /// The scene's Cb and Cr, the same everywhere.
    static let tint = [148.0, 113]
    /// By how much red, green and blue differ from brightness where chroma is `tint`, in full range.
    private static let channels = [1.402 * -15, -0.344136 * 20 - 0.714136 * -15, 1.772 * 20]

    /// The scene as moved by the hand that holds the camera.
    static func shaking(_ frame: Int, _ x: Double, _ y: Double) -> Double {
        drawnScene(x + 1.3 * Double(frame), y - 0.6 * Double(frame))
    }

    /// Clips grey frames and the truth at this code.
    mutating func clip(to white: UInt8) {
        for frame in frames.indices {
            for place in frames[frame].indices { frames[frame][place] = min(frames[frame][place], white) }
        }
        truth = CodePlane(
            width: truth.width, height: truth.height, samples: truth.samples.map { min($0, Float(white)) })
    }

    /// Luma, Cb or Cr of the reference frame alone.
    func single(_ plane: Int = 0, width: Int, height: Int) -> CodePlane {
        var samples: [Float] = []
        for y in 0..<height {
            for x in 0..<width { samples.append(format.code(plane, x, y, frames[reference])) }
        }
        return CodePlane(width: width, height: height, samples: samples)
    }

    /// The frames, prepared by a fuser.
    func prepared(by fuser: Fuser) throws -> [FusionFrame] {
        try frames.map { bytes in
            let frame = fuser.makeFrame()
            try fuser.prepare(bytes.span.bytes, into: frame)
            return frame
        }
    }

    /// The still that a fuser makes from newly prepared frames.
    func still(_ fuser: Fuser) throws -> (picture: FusedPicture, report: FusionReport) {
        let picture = fuser.makePicture()
        let report = try fuser.fuse(prepared(by: fuser), reference: reference, into: picture)
        return (picture, report)
    }

    /// Expects the stills of `methods` to be at least as good as the reference alone, in all planes and
    /// everywhere.
    func expectNoHarm(
        _ what: Comment = "", by methods: [FusionMethod] = carefulMethods,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for method in methods {
            let (picture, report) = try still(Fuser(format, FusionSettings(method)))
            for (place, plane) in picture.planes.enumerated() {
                let (width, height) = (plane.width, plane.height)
                let single = single(place, width: width, height: height)
                let found = CodePlane(width: width, height: height, codesTimes256: plane.samples)
                let truth =
                    place == 0
                    ? truth
                    : CodePlane(
                        width: width, height: height,
                        samples: Array(repeating: Float(Self.tint[place - 1]), count: width * height))
                let (error, before) = (found.squaredError(against: truth), single.squaredError(against: truth))
                #expect(
                    error <= 1.02 * before + 0.1, "\(method), plane \(place): \(what)", sourceLocation: sourceLocation)
                let damage = found.localDamage(insteadOf: single, against: truth)
                #expect(damage.worst <= 1, "\(method), plane \(place): \(what)", sourceLocation: sourceLocation)
            }
            try #require(report.shares.count == frames.count, sourceLocation: sourceLocation)
            #expect(report.shares[reference].weight > 0, sourceLocation: sourceLocation)
        }
    }
}

/// All methods that promise never to be worse than the reference. The plain mean does not.
let carefulMethods: [FusionMethod] = [.speed, .merge, .balanced, .quality]

extension FusedPicture {
    var luma: CodePlane {
        CodePlane(width: planes[0].width, height: planes[0].height, codesTimes256: planes[0].samples)
    }

    /// The entire output, for comparison bit by bit.
    var bits: [[UInt16]] { planes.map { Array($0.samples) } + [evidence.map { UInt16($0 * 256) }] }
}

extension FrameFormat {
    /// The offset of a sample of plane 0 (Y'), 1 (Cb) or 2 (Cr); x and y count that plane's own samples.
    func place(_ plane: Int, _ x: Int, _ y: Int) -> Int {
        SampleGrid.all(of: self)[plane].offset(x, y)
    }

    /// A sample in codes.
    func code(_ plane: Int, _ x: Int, _ y: Int, _ frame: [UInt8]) -> Float {
        let (scale, offset) = pixelFormat.samples!.codes(ofComponent: plane, colorimetry.range)
        let sample = SampleGrid.all(of: self)[plane].sample(x, y, in: frame.span.bytes)
        return Float(Double(sample) * scale + offset)
    }

    /// A frame of samples. Padding gets 0xEE, a value that no test expects in a sample.
    func filled(_ sample: (_ plane: Int, _ x: Int, _ y: Int) -> Double) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xEE, count: byteCount)
        for (plane, grid) in SampleGrid.all(of: self).enumerated() {
            let (scale, offset) = pixelFormat.samples!.codes(ofComponent: plane, colorimetry.range)
            let most = Double(1 << grid.bits - 1)
            bytes.withUnsafeMutableBytes { bytes in
                for y in 0..<grid.rows {
                    for x in 0..<grid.columns {
                        let code = ((sample(plane, x, y) - offset) / scale).rounded()
                        grid.store(Int(min(most, max(0, code))), x, y, into: bytes.baseAddress!)
                    }
                }
            }
        }
        return bytes
    }
}
