// SPDX-License-Identifier: MIT
// A modelled camera does to pictures what its parts are for, and nothing else.

import LivecapFrames
import Testing

@testable import Camera

private let size = FrameSize(width: 128, height: 80)

private func scene(_ text: String, rate: Int = 30) throws -> SyntheticScene {
    try SyntheticScene(try SyntheticSettings(text), size: size, rate: FrameRate(UInt32(rate)))
}

/// The brightness of a frame as a camera of a grey format delivers it, in codes.
private func codes(_ scene: SyntheticScene, _ frame: Int) -> [Float] {
    scene.bytes(ofFrame: frame, format: FrameFormat(pixelFormat: .grey, size: size), isNoisy: true).map { Float($0) }
}

private func mean(_ values: [Float]) -> Float { values.reduce(0, +) / Float(values.count) }

/// The noise of a scene in which nothing moves, over some frames.
private struct Noise {
    /// For each frame, each pixel's distance from its mean.
    let errors: [[Float]]
    let means: [Float]

    init(_ scene: SyntheticScene, frames: Int = 12) {
        let frames = (0..<frames).map { codes(scene, 10 + $0) }
        let means = (0..<size.area).map { place in mean(frames.map { $0[place] }) }
        (self.means, errors) = (means, frames.map { zip($0, means).map { $0 - $1 } })
    }

    /// The variance of each pixel.
    var variances: [Float] {
        (0..<size.area).map { place in errors.reduce(0) { $0 + $1[place] * $1[place] } / Float(errors.count - 1) }
    }

    /// How strongly the noise of neighbours side by side is correlated.
    var correlation: Float {
        var (both, own) = (Float(0), Float(0))
        for error in errors {
            for y in 0..<size.height {
                for x in 1..<size.width {
                    both += error[y * size.width + x] * error[y * size.width + x - 1]
                    own += error[y * size.width + x] * error[y * size.width + x]
                }
            }
        }
        return both / own
    }

    /// How strongly the noise of consecutive frames is correlated.
    var persistence: Float {
        var (both, own) = (Float(0), Float(0))
        for (a, b) in zip(errors, errors.dropFirst()) {
            for (a, b) in zip(a, b) { (both, own) = (both + a * b, own + a * a) }
        }
        return both / own
    }
}

@Suite struct WebcamModelTests {
    /// The largest difference between two true pictures.
    private func difference(_ a: SyntheticScene, _ b: SyntheticScene, frame: Int = 3) -> Float {
        zip(a.truth(ofFrame: frame), b.truth(ofFrame: frame)).reduce(0) { max($0, abs($1.0 - $1.1)) }
    }

    @Test func aPlainCameraChangesNothing() throws {
        let difference = try difference(scene("handheld:camera=plain"), scene("handheld"))
        #expect(difference < 1e-3, "\(difference)")
    }

    @Test("Colours that a sensor sees as others are made right again")
    func matrix() throws {
        let difference = try difference(scene("tripod:matrix=1,exposure=0.5"), scene("tripod:exposure=0.5"))
        #expect(difference < 0.01, "\(difference)")
    }

    @Test("Near things at rest cover the same as without parallax")
    func parallaxAtRest() throws {
        let difference = try difference(scene("tripod:parallax=0.5"), scene("tripod"))
        #expect(difference < 0.02, "\(difference)")
    }

    @Test("Near things move farther")
    func parallaxInTheHand() throws {
        #expect(try difference(scene("handheld:parallax=0.5"), scene("handheld")) > 0.1)
    }

    @Test("A row in the first quarter is read a quarter of a frame before the middle")
    func rollingShutter() throws {
        func row(_ truth: [Float]) -> ArraySlice<Float> {
            truth[3 * size.width * size.height / 4..<3 * size.width * (size.height / 4 + 1)]
        }
        // Four times the rate: its frame 15 is the moment 3.75.
        let early = try row(scene("handheld:motion=strong", rate: 120).truth(ofFrame: 15))
        let rolling = try row(scene("handheld:motion=strong,shutter=1").truth(ofFrame: 4))
        let whole = try row(scene("handheld:motion=strong").truth(ofFrame: 4))
        let apart = zip(rolling, early).reduce(0) { max($0, abs($1.0 - $1.1)) }
        #expect(apart < 1e-3, "\(apart)")
        #expect(zip(rolling, whole).contains { abs($0 - $1) > 0.02 })
    }

    @Test("A frame has the same bytes whatever was drawn before", arguments: ["filtered", "night"])
    func anyOrder(_ camera: String) throws {
        let scene = try scene("object:camera=\(camera)"), format = FrameFormat(pixelFormat: .yuyv, size: size)
        let renderer = FrameRenderer(scene, format: format)
        var bytes = [UInt8](repeating: 0, count: format.byteCount)
        for frame in [0, 1, 2, 3, 9, 4] {
            bytes.withUnsafeMutableBytes { renderer.render(frame, isNoisy: true, into: $0) }
            #expect(bytes == scene.bytes(ofFrame: frame, format: format, isNoisy: true), "frame \(frame)")
        }
    }

    @Test("Noise of a mosaic is coarse")
    func coarse() throws {
        let white = Noise(try scene("tripod:mark=no,noise=2")).correlation
        let mosaic = Noise(try scene("tripod:mark=no,noise=2,mosaic=yes,matrix=1")).correlation
        #expect(abs(white) < 0.05 && mosaic > 0.2, "\(white), \(mosaic)")
    }

    @Test("Sharpening makes noise stronger, most of all where edges keep the filter off")
    func edges() throws {
        let noise = Noise(try scene("tripod:mark=no,noise=2,camera=sharpened,denoise=1"), frames: 24)
        var (flat, steep): ([Float], [Float]) = ([], [])
        let variances = noise.variances
        for y in 2..<(size.height - 2) {
            for x in 2..<(size.width - 2) where (100...180).contains(noise.means[y * size.width + x]) {
                let place = y * size.width + x
                let slope = max(
                    abs(noise.means[place + 1] - noise.means[place - 1]),
                    abs(noise.means[place + size.width] - noise.means[place - size.width]))
                if slope < 4 { flat.append(variances[place]) }
                if slope > 40 { steep.append(variances[place]) }
            }
        }
        #expect(flat.count > 100 && steep.count > 100)
        #expect(mean(steep) > 2 * mean(flat), "\(mean(steep)) at edges, \(mean(flat)) elsewhere")
    }

    @Test("A filter over time leaves the same noise in consecutive frames")
    func temporal() throws {
        let (free, filtered) = (
            Noise(try scene("tripod:mark=no,camera=webcam")), Noise(try scene("tripod:mark=no,camera=filtered"))
        )
        #expect(free.persistence < 0.05 && filtered.persistence > 0.4, "\(free.persistence), \(filtered.persistence)")
    }

    @Test("Hot pixels stay where they are")
    func hotPixels() throws {
        let (hot, none) = (
            try scene("tripod:mark=no,noise=0.1,hot=2000,exposure=0.2"),
            try scene("tripod:mark=no,noise=0.1,exposure=0.2")
        )
        func bright(_ frame: Int) -> Set<Int> {
            let pairs = zip(codes(hot, frame), codes(none, frame))
            return Set(pairs.enumerated().filter { $1.0 - $1.1 > 8 }.map(\.offset))
        }
        let first = bright(0)
        #expect((5...60).contains(first.count), "\(first.count)")
        #expect(first == bright(5))
    }

    @Test("Lamps on the mains brighten some rows and darken others")
    func bands() throws {
        let (banded, plain) = (
            try scene("tripod:shutter=1,bands=0.2").truth(ofFrame: 0), try scene("tripod").truth(ofFrame: 0)
        )
        let ratios = (0..<size.height).map { y -> Float in
            let row = 3 * size.width * y..<3 * size.width * (y + 1)
            return banded[row].reduce(0, +) / plain[row].reduce(0, +)
        }
        #expect(ratios.max()! > 1.05 && ratios.min()! < 0.95)
    }

    @Test("Interpolating a mosaic keeps flat colours and ramps")
    func mosaic() {
        let (plane, colors) = (
            PicturePlane(width: 16, height: 12), PicturePlanes(width: 16, height: 12)
        )
        let flat: [Float] = [0.2, 0.5, 0.7]
        for y in 0..<12 { for x in 0..<16 { plane.row(y)[x] = flat[Mosaic.color(x, y)] + Float(x) * 0.01 } }
        Mosaic.interpolate(plane, into: colors)
        // At the edges the margin is mirrored, and a ramp has a fold.
        for y in 0..<12 {
            for x in 2..<14 {
                for (color, plane) in colors.all.enumerated() {
                    #expect(abs(plane.row(y)[x] - flat[color] - Float(x) * 0.01) < 1e-5)
                }
            }
        }
    }
}
