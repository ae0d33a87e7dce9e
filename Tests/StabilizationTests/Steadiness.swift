// SPDX-License-Identifier: MIT
// A synthetic scene steadied, and how much it still moves by its own account.

import Camera
import Fusion
import Glibc
import LivecapFrames
import LivecapPictures
import LivecapStabilization

/// A scene's frames steadied, with the truth of where its camera was.
struct Steadiness {
    /// What each picture shows of its frame.
    private(set) var views: [AffineMotion] = []
    private let scene: SyntheticScene
    private let rows: Double

    /// Steadies `count` frames of a scene.
    init(
        _ settings: String, _ mode: StabilizationMode, frames count: Int = 90,
        size: FrameSize = FrameSize(width: 640, height: 360), level: KernelLevel? = nil
    ) throws {
        let settings = try SyntheticSettings(settings), rate = FrameRate(30)
        scene = try SyntheticScene(settings, size: size, rate: rate)
        rows = settings.camera?.shutter ?? 0
        let stabilizer = try Stabilizer(size, .grey, at: rate, mode, level: level)
        let format = FrameFormat(pixelFormat: .grey, size: size)
        var picture = [UInt8](repeating: 0, count: stabilizer.byteCount)
        for frame in 0..<count {
            let bytes = scene.bytes(ofFrame: frame, format: format, isNoisy: true)
            stabilizer.add(bytes.span.bytes)
            if let view = picture.withUnsafeMutableBytes({ stabilizer.draw(into: $0) }) { views.append(view) }
        }
        while let view = picture.withUnsafeMutableBytes({ stabilizer.draw(into: $0, isOver: true) }) {
            views.append(view)
        }
    }

    /// Where in the scene a frame's pixel is.
    private func place(_ x: Double, _ y: Double, in frame: Int) -> SIMD2<Double> {
        let (width, height) = (Double(scene.size.width), Double(scene.size.height))
        let pose = scene.pose(at: Double(frame) + rows * (y / height - 0.5))
        let turn = pose.rotation * .pi / 180, (x, y) = (x - (width - 1) / 2, y - (height - 1) / 2)
        return [
            x * cos(turn) - y * sin(turn) + pose.dx, x * sin(turn) + y * cos(turn) + pose.dy,
        ]
    }

    /// The root of the mean square of how far what is in the picture's corners and its middle moves from one picture to
    /// the next, in pixels; of frames as they are, and of pictures.
    func motion(from first: Int = 1) -> (before: Double, after: Double) {
        let (right, bottom) = (Double(scene.size.width - 1), Double(scene.size.height - 1))
        let points = [(0, 0), (right, 0), (0, bottom), (right, bottom), (right / 2, bottom / 2)]
        var (before, after, count) = (0.0, 0.0, 0.0)
        for frame in max(1, first)..<views.count {
            for (x, y) in points {
                let own = place(x, y, in: frame) - place(x, y, in: frame - 1)
                func seen(_ frame: Int) -> SIMD2<Double> {
                    let (dx, dy) = views[frame].at(Float(x), Float(y))
                    return place(x + Double(dx), y + Double(dy), in: frame)
                }
                // The picture is enlarged.
                let left = (seen(frame) - seen(frame - 1)) / (1 - StabilizationMode.crop)
                before += (own * own).sum()
                after += (left * left).sum()
                count += 1
            }
        }
        return ((before / count).squareRoot(), (after / count).squareRoot())
    }
}
