// SPDX-License-Identifier: MIT
// Scenes as coarse maps of brightness, with noise that a seed decides.

import Glibc
import LivecapFrames
import LivecapSeededRandom

@testable import LivecapTriggers

/// Noise of a normal distribution, from a table: millions of numbers are needed.
struct Noise {
    private var random: SeededRandom
    private let table: [Float]

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        table = (0..<4096).map { _ in
            let (a, b) = (Double.random(in: 1e-9..<1, using: &random), Double.random(in: 0..<1, using: &random))
            return Float((-2 * log(a)).squareRoot() * cos(2 * .pi * b))
        }
        self.random = random
    }

    /// Adds noise of a deviation to every cell.
    mutating func add(_ deviation: Float, to map: inout [Float]) {
        var bits: UInt64 = 0
        for cell in map.indices {
            if cell % 5 == 0 { bits = random.next() }
            map[cell] += deviation * table[Int(truncatingIfNeeded: bits & 4095)]
            bits >>= 12
        }
    }
}

/// What a camera sees.
struct Scene {
    static let shape = GridShape(FrameSize(width: 320, height: 240))!
    var rate = 30.0
    var noise: Float = 1
    var seed: UInt64 = 1
    var trigger = MotionTrigger()
    /// Changes the map of a time, in seconds.
    var change: (inout [Float], Double) -> Void = { _, _ in }

    /// A room: soft light, and things with edges.
    static let room: [Float] = (0..<shape.count).map { cell in
        let (x, y) = (cell % shape.columns, cell / shape.columns)
        let things: Float = (x / 6 + y / 5) % 2 == 0 ? 30 : 0
        return 110 + 50 * sin(Float(x) / 9) * cos(Float(y) / 7) + things
    }

    /// An event, with its time in frames.
    struct Noticed: CustomStringConvertible {
        let frame: Int
        let event: TriggerEvent
        var description: String { "\(frame): \(event)" }
    }

    static func time(_ frame: Int, _ rate: Double) -> Timestamp {
        Timestamp(nanoseconds: Int64((Double(frame) / rate * 1e9).rounded()))
    }

    /// What a detector notices in so many seconds.
    func watch(_ seconds: Double) -> [Noticed] {
        var detector = MotionDetector(trigger, Self.shape)
        var noise = Noise(seed: seed)
        var events: [Noticed] = []
        for frame in 0..<Int(seconds * rate) {
            var map = Self.room
            change(&map, Double(frame) / rate)
            if self.noise > 0 { noise.add(self.noise, to: &map) }
            for cell in map.indices { map[cell] = min(max(map[cell], 0), 255) }
            if let event = detector.take(map, at: Self.time(frame, rate)) {
                events.append(Noticed(frame: frame, event: event))
            }
        }
        return events
    }

    /// Puts a bright disc into a map.
    static func ball(_ map: inout [Float], x: Float, y: Float, radius: Float, brightness: Float = 230) {
        for cell in map.indices {
            let dx = Float(cell % shape.columns) - x, dy = Float(cell / shape.columns) - y
            let cover = min(max(radius + 0.5 - (dx * dx + dy * dy).squareRoot(), 0), 1)
            if cover > 0 { map[cell] += cover * (brightness - map[cell]) }
        }
    }

    /// A ball that crosses the picture in 0.3 s, from 4 s on.
    static func crossing(_ map: inout [Float], _ time: Double, radius: Float = 2) {
        let way = Float((time - 4) / 0.3)
        guard (0...1).contains(way) else { return }
        ball(&map, x: way * Float(shape.columns), y: 14, radius: radius)
    }
}
