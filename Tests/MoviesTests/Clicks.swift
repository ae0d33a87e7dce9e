// SPDX-License-Identifier: MIT
// Sound with a click at each whole second, and frames with a flash there.

import Foundation
import LivecapFrames
import LivecapSound
import Testing

enum Clicks {
    /// The rate at which the microphone delivers by its own clock.
    static let rate = 48_012.0

    /// Captures a history from `begin` to `end`, in seconds since `origin`: a click of 2 ms, which begins at each whole
    /// second.
    static func capture(
        _ history: SoundHistory, from begin: Double, to end: Double, since origin: Timestamp, rate: Double = rate,
        channels: Int = 1
    ) {
        history.begin()
        var block = [Float](repeating: 0, count: 480 * channels)
        for period in 0..<Int((end - begin) * rate / 480) {
            for index in 0..<480 {
                let time = begin + Double(period * 480 + index) / rate
                let rest = time - time.rounded(.down)
                let value: Float = rest < 0.002 ? 0.8 * Float(sin(2 * .pi * 1500 * rest)) : 0
                for channel in 0..<channels { block[index * channels + channel] = value }
            }
            let count = Int64(period + 1) * 480
            let stamp = origin + .nanoseconds(Int64((begin + Double(count) / rate) * 1e9))
            let isWhole = block.withUnsafeBufferPointer {
                history.append($0, count: 480, channels: channels, SoundStamp(count: count, time: stamp))
            }
            #expect(isWhole)
        }
    }

    /// Publishes grey frames of these numbers, 30 per second, which are bright from each whole second on for a tenth of
    /// a second.
    static func publishFlashes(_ stage: MovieStage, _ numbers: Range<Int>) throws {
        for number in numbers {
            let isBright = number % 30 < 3
            try stage.publish(
                [UInt8](repeating: isBright ? 220 : 30, count: stage.source.format.byteCount),
                at: .nanoseconds(Int64((Double(number) * 1e9 / 30).rounded())))
        }
    }

    /// When the pictures of a movie become bright, in seconds.
    static func flashes(_ path: String) throws -> [Double] {
        let (times, brightness) = (try MovieProbe(path).times, try MovieProbe.brightness(path))
        try #require(times.count == brightness.count)
        return times.indices.filter { brightness[$0] > 128 && ($0 == 0 || brightness[$0 - 1] <= 128) }.map {
            Double(times[$0]) * 1e-6
        }
    }
}
