// SPDX-License-Identifier: MIT
// The ground truth reported by a synthetic scene is true of its frames.

import LivecapFrames
import Testing

@testable import Camera

private let size = FrameSize(width: 128, height: 80)

private func scene(_ text: String, _ size: FrameSize = size) throws -> SyntheticScene {
    try SyntheticScene(try SyntheticSettings(text), size: size, rate: FrameRate(30))
}

private func format(_ pixelFormat: PixelFormat, _ size: FrameSize = size) -> FrameFormat {
    FrameFormat(pixelFormat: pixelFormat, size: size)
}

/// The green channel of a truth picture, with bilinear interpolation between its pixels.
private struct Picture {
    let pixels: [Double]
    init(_ truth: [Float]) { pixels = stride(from: 1, to: truth.count, by: 3).map { Double(truth[$0]) } }

    func at(_ x: Double, _ y: Double) -> Double {
        let (left, top) = (Int(x.rounded(.down)), Int(y.rounded(.down)))
        let (tx, ty) = (x - Double(left), y - Double(top))
        func pixel(_ dx: Int, _ dy: Int) -> Double { pixels[(top + dy) * size.width + left + dx] }
        return (pixel(0, 0) * (1 - tx) + pixel(1, 0) * tx) * (1 - ty) + (pixel(0, 1) * (1 - tx) + pixel(1, 1) * tx) * ty
    }
}

/// The squared difference between frame `b` and frame `a`, with `a` sampled at the position that `move` gives for each
/// pixel.
private func difference(_ a: Picture, _ b: Picture, _ move: (Double, Double) -> (Double, Double)) -> Double {
    var sum = 0.0
    for y in 12..<(size.height - 12) {
        for x in 12..<(size.width - 12) {
            let (px, py) = move(Double(x), Double(y))
            let error = b.pixels[y * size.width + x] - a.at(px, py)
            sum += error * error
        }
    }
    return sum
}

@Suite struct SyntheticSceneTests {
    @Test("A frame is the same whenever and on whichever thread it is rendered")
    func deterministic() throws {
        let small = FrameSize(width: 64, height: 48)
        let (one, other) = (try scene("object:seed=7", small), try scene("object:seed=7", small))
        let first = one.bytes(ofFrame: 5, format: format(.nv12, small), isNoisy: true)
        _ = other.bytes(ofFrame: 9, format: format(.yuyv, small), isNoisy: true)
        #expect(other.bytes(ofFrame: 5, format: format(.nv12, small), isNoisy: true) == first)
        #expect(one.bytes(ofFrame: 6, format: format(.nv12, small), isNoisy: true) != first)
        #expect(
            try scene("object:seed=8", small).bytes(ofFrame: 5, format: format(.nv12, small), isNoisy: true) != first)
        // FNV-1a of the bytes. It must be the same on every machine.
        let hash = first.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        #expect(hash == 4_067_971_355_853_109_402)
    }

    @Test("The picture moves with the camera")
    func motion() throws {
        let scene = try scene("handheld:motion=40,noise=none,mark=off,seed=3")
        let (a, b) = (Picture(scene.truth(ofFrame: 0)), Picture(scene.truth(ofFrame: 4)))
        let (from, to) = (scene.pose(ofFrame: 0), scene.pose(ofFrame: 4))
        let (dx, dy) = (to.dx - from.dx, to.dy - from.dy)
        #expect(abs(dx) + abs(dy) > 0.5 && abs(dx) < 10 && abs(dy) < 10)
        func error(_ ex: Double, _ ey: Double) -> Double { difference(a, b) { ($0 + dx + ex, $1 + dy + ey) } }
        let exact = error(0, 0)
        for (ex, ey) in [(0.3, 0), (-0.3, 0), (0, 0.3), (0, -0.3)] as [(Double, Double)] {
            #expect(exact < 0.9 * error(ex, ey), "moved by \(dx), \(dy); off by \(ex), \(ey)")
        }
    }

    @Test("The picture rotates with the camera")
    func rotation() throws {
        let scene = try scene("tripod:rotation=3,noise=none,mark=off,seed=5")
        let (a, b) = (Picture(scene.truth(ofFrame: 0)), Picture(scene.truth(ofFrame: 20)))
        let angle = scene.pose(ofFrame: 20).rotation - scene.pose(ofFrame: 0).rotation
        #expect(abs(angle) > 0.5)
        func error(_ degrees: Double) -> Double {
            let (cosine, sine) = (SceneMath.cosine(turns: degrees / 360), SceneMath.sine(turns: degrees / 360))
            return difference(a, b) { x, y in
                let (cx, cy) = (Double(size.width - 1) / 2, Double(size.height - 1) / 2)
                return (cx + cosine * (x - cx) - sine * (y - cy), cy + sine * (x - cx) + cosine * (y - cy))
            }
        }
        #expect(error(angle) < 0.9 * error(angle + 0.4))
        #expect(error(angle) < 0.9 * error(angle - 0.4))
    }

    @Test("Noise has the stated variance and no memory", arguments: ["mild", "strong"])
    func noise(_ strength: String) throws {
        let small = FrameSize(width: 64, height: 48)
        let scene = try scene("tripod:mark=off,noise=\(strength)", small)
        let renderer = FrameRenderer(scene, format: format(.grey, small))
        func light(_ frame: Int, isNoisy: Bool) -> [Double] {
            var light: [Double] = []
            renderer.renderRows(of: frame, isNoisy: isNoisy) { _ in
                for x in 0..<small.width {
                    light += [renderer.red[x], renderer.green[x], renderer.blue[x]].map {
                        SceneMath.light(encoded: Double($0))
                    }
                }
            }
            return light
        }
        let truth = light(0, isNoisy: false)
        // Noise divided by its stated standard deviation, only where black and white do not clip it.
        let usable = truth.indices.filter { (0.1...0.6).contains(truth[$0]) }
        let draws = (0..<6).map { frame -> [Double] in
            let noisy = light(frame, isNoisy: true)
            return usable.map {
                (noisy[$0] - truth[$0]) / (scene.noise.shot * truth[$0] + scene.noise.read).squareRoot()
            }
        }
        let all = draws.flatMap { $0 }
        let count = Double(all.count)
        let variance = all.reduce(0) { $0 + $1 * $1 } / count
        let kurtosis = all.reduce(0) { $0 + $1 * $1 * $1 * $1 } / count / (variance * variance)
        #expect(all.count > 10_000)
        #expect(abs(variance - 1) < 0.05, "variance \(variance) of \(all.count)")
        #expect(abs(kurtosis - 3) < 0.25, "kurtosis \(kurtosis)")
        let between = zip(draws[0], draws[1]).reduce(0) { $0 + $1.0 * $1.1 } / Double(usable.count)
        let along = zip(all, all.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 } / count
        #expect(abs(between) < 0.06 && abs(along) < 0.04, "correlations \(between), \(along)")
    }

    @Test("The mean of many frames converges to the truth")
    func mean() throws {
        let small = FrameSize(width: 64, height: 48)
        let scene = try scene("tripod:mark=off", small)
        let truth = scene.bytes(ofFrame: 0, format: format(.yuyv, small))
        var sums = [Int](repeating: 0, count: truth.count)
        for frame in 0..<24 {
            for (index, byte) in scene.bytes(ofFrame: frame, format: format(.yuyv, small), isNoisy: true).enumerated() {
                sums[index] += Int(byte)
            }
        }
        let errors = zip(sums, truth).map { abs(Double($0) / 24 - Double($1)) }
        let single =
            zip(scene.bytes(ofFrame: 3, format: format(.yuyv, small), isNoisy: true), truth)
            .reduce(0.0) { $0 + abs(Double($1.0) - Double($1.1)) } / Double(truth.count)
        #expect(errors.reduce(0, +) / Double(errors.count) < 0.45 * single)
        #expect(errors.max()! < 5)
    }

    @Test("Frames of every format show the same picture", arguments: SyntheticCamera.pixelFormats)
    func formats(_ pixelFormat: PixelFormat) throws {
        guard let samples = pixelFormat.samples, samples.model != .grey else { return }
        let odd = FrameSize(width: 67, height: 49)
        let scene = try scene("tripod:mark=off,noise=none", odd)
        let bytes = scene.bytes(ofFrame: 2, format: format(pixelFormat, odd))
        let rgb = PlainConverter(format(pixelFormat, odd))!.rgb24(bytes.span.bytes)!
        let errors = zip(rgb, scene.truth(ofFrame: 2)).map { abs(Double($0) - 255 * Double($1)) }
        // The remaining difference is chroma shared between pixels.
        #expect(errors.reduce(0, +) / Double(errors.count) < (samples.model == .rgb ? 0.5 : 6))
    }

    @Test("Brightness oscillates as specified")
    func gain() throws {
        let scene = try scene("flicker:noise=none,mark=off,exposure=0.5")
        let (a, b) = (scene.truth(ofFrame: 0), scene.truth(ofFrame: 6))
        let (ga, gb) = (scene.gain(ofFrame: 0), scene.gain(ofFrame: 6))
        #expect(abs(ga.green - gb.green) > 0.01)
        for (channel, ratio) in [(0, gb.red / ga.red), (1, gb.green / ga.green), (2, gb.blue / ga.blue)] {
            func light(_ picture: [Float]) -> Double {
                stride(from: channel, to: picture.count, by: 3).reduce(0) {
                    $0 + SceneMath.light(encoded: Double(picture[$1]))
                }
            }
            #expect(abs(light(b) / light(a) - ratio) < 0.002)
        }
    }

    @Test("The mask marks the moving object")
    func object() throws {
        let with = try scene("object:noise=none,mark=off,seed=2")
        let without = try scene("handheld:noise=none,mark=off,seed=2")
        for frame in [0, 20] {
            let (a, b, mask) = (
                with.truth(ofFrame: frame), without.truth(ofFrame: frame), with.objectMask(ofFrame: frame)
            )
            #expect(mask.filter { $0 == 1 }.count > 100)
            #expect(mask.indices.allSatisfy { mask[$0] > 0 || a[3 * $0] == b[3 * $0] })
            #expect(mask.indices.filter { mask[$0] == 1 && a[3 * $0] != b[3 * $0] }.count > 100)
        }
        let (from, to) = (with.objectMiddle(ofFrame: 0)!, with.objectMiddle(ofFrame: 20)!)
        #expect(abs(from.x - to.x) + abs(from.y - to.y) > 5)
        #expect(without.objectMiddle(ofFrame: 0) == nil && without.objectMask(ofFrame: 0).isEmpty)
    }
}
