// SPDX-License-Identifier: MIT
// A room whose distances are known, and how far depth is from them.

import Camera
import Fusion
import LivecapFrames

/// A synthetic room, with what a depth camera measures of it.
struct DepthRoom {
    let scene: DepthScene
    let size: FrameSize
    let sensor: DepthSensor

    init(
        seed: UInt64, size: FrameSize = FrameSize(width: 192, height: 144), baseline: Double = 0, strength: Double = 1
    ) {
        scene = DepthScene(seed: seed, size: size, baseline: baseline)
        self.size = size
        sensor = DepthSensor(strength: strength)
    }

    /// What is measured in `count` frames, `interval` seconds apart.
    func frames(_ count: Int, interval: Double = 1 / 30) -> [[UInt16]] {
        let meter = DepthMeter(scene, sensor)
        return (0..<count).map { meter.frame($0, at: Double($0) * interval) }
    }

    /// Which pixels are at most three from a step of more than 15 cm.
    static func edges(of truth: [Float], _ size: FrameSize) -> [Bool] {
        var edges = [Bool](repeating: false, count: size.area)
        for y in 3..<size.height - 3 {
            for x in 3..<size.width - 3 {
                var low = Float.infinity, high: Float = 0
                for dy in -3...3 {
                    for dx in -3...3 {
                        let depth = truth[(y + dy) * size.width + x + dx]
                        low = min(low, depth)
                        high = max(high, depth)
                    }
                }
                edges[y * size.width + x] = high - low > 0.15
            }
        }
        return edges
    }

    /// The mean error in metres of pixels that are among `chosen` and have a depth.
    static func error(_ depth: [UInt16], _ truth: [Float], _ chosen: (Int) -> Bool) -> Double {
        var sum = 0.0, count = 0
        for index in depth.indices where depth[index] > 0 && chosen(index) {
            sum += abs(Double(depth[index]) / 1000 - Double(truth[index]))
            count += 1
        }
        return sum / Double(max(count, 1))
    }
}

extension DepthFilterState {
    /// Filters a frame of words.
    func filtered(_ frame: [UInt16], luma: [UInt8]? = nil) -> [UInt16] {
        var out = [UInt16](repeating: 77, count: size.area)
        frame.withUnsafeBytes { frame in
            out.withUnsafeMutableBufferPointer { out in
                guard let luma else {
                    apply(
                        frame.baseAddress!, bytesPerLine: 2 * size.width, into: out.baseAddress!, outStride: size.width)
                    return
                }
                luma.withUnsafeBufferPointer { luma in
                    apply(
                        frame.baseAddress!, bytesPerLine: 2 * size.width, guide: (luma.baseAddress!, size.width),
                        into: out.baseAddress!, outStride: size.width)
                }
            }
        }
        return out
    }
}

/// The holes of a frame, as lists of pixels.
func holes(of depth: [UInt16], _ size: FrameSize) -> [[Int]] {
    var isVisited = depth.map { $0 != 0 }, holes: [[Int]] = []
    for start in depth.indices where !isVisited[start] {
        var hole = [start], next = 0
        isVisited[start] = true
        while next < hole.count {
            let x = hole[next] % size.width, y = hole[next] / size.width
            next += 1
            for (nx, ny) in [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)] {
                guard (0..<size.width).contains(nx), (0..<size.height).contains(ny) else { continue }
                let place = ny * size.width + nx
                guard !isVisited[place] else { continue }
                isVisited[place] = true
                hole.append(place)
            }
        }
        holes.append(hole)
    }
    return holes
}
