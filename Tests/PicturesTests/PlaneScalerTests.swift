// SPDX-License-Identifier: MIT
// Planes made smaller and larger, compared with plain arithmetic.

import LivecapFrames
import LivecapSeededRandom
import Testing

@testable import LivecapPictures

@Suite struct PlaneScalerTests {
    private func scaled(
        _ samples: [UInt8], _ columns: Int, _ rows: Int, to size: FrameSize, part: PixelRect? = nil
    ) -> [UInt8] {
        let whole = PixelRect(x: 0, y: 0, width: Double(columns), height: Double(rows))
        let scaler = PlaneScaler(part ?? whole, of: columns, rows, to: size)
        var result = [UInt8](repeating: 0, count: size.area)
        samples.withUnsafeBufferPointer { samples in
            result.withUnsafeMutableBufferPointer { result in
                scaler.draw(
                    PlaneSource(start: samples.baseAddress!, stride: columns),
                    to: PlaneTarget(start: result.baseAddress!, along: 1, down: size.width), levels: nil)
            }
        }
        return result
    }

    @Test func halfTheSizeIsTheMeanOfFour() {
        let samples: [UInt8] = [0, 4, 100, 102, 8, 12, 104, 106, 255, 255, 0, 0, 255, 255, 0, 0]
        #expect(scaled(samples, 4, 4, to: FrameSize(width: 2, height: 2)) == [6, 103, 255, 0])
    }

    @Test func twiceTheSizeLiesBetween() {
        let samples: [UInt8] = [0, 100]
        #expect(scaled(samples, 2, 1, to: FrameSize(width: 4, height: 1)) == [0, 25, 75, 100])
    }

    @Test func aPartIsCutOut() {
        let samples = (0..<16).map { UInt8(10 * $0) }
        let part = PixelRect(x: 1, y: 2, width: 2, height: 2)
        #expect(scaled(samples, 4, 4, to: FrameSize(width: 2, height: 2), part: part) == [90, 100, 130, 140])
    }

    /// The mean of the samples that each covers, in floating point.
    private func mean(_ samples: [UInt8], _ columns: Int, _ rows: Int, to size: FrameSize) -> [Double] {
        func line(_ count: Int, _ total: Int) -> [[(Int, Double)]] {
            (0..<count).map { place in
                let (begin, end) = (
                    Double(place) * Double(total) / Double(count), Double(place + 1) * Double(total) / Double(count)
                )
                return (0..<total).compactMap { index in
                    let covered = min(end, Double(index + 1)) - max(begin, Double(index))
                    return covered > 0 ? (index, covered / (end - begin)) : nil
                }
            }
        }
        let (across, down) = (line(size.width, columns), line(size.height, rows))
        return down.flatMap { rows in
            across.map { places in
                rows.reduce(0) { sum, row in
                    sum + row.1
                        * places.reduce(0) { $0 + $1.1 * Double(samples[row.0 * columns + $1.0]) }
                }
            }
        }
    }

    @Test(
        "Smaller planes are means",
        arguments: [(64, 36, 17, 9), (33, 21, 32, 20), (101, 7, 1, 1), (40, 40, 13, 39), (9, 60, 9, 2)])
    func means(columns: Int, rows: Int, width: Int, height: Int) {
        var random = SeededRandom(seed: 21)
        let samples = (0..<columns * rows).map { _ in UInt8.random(in: 0...255, using: &random) }
        let size = FrameSize(width: width, height: height)
        let (found, expected) = (scaled(samples, columns, rows, to: size), mean(samples, columns, rows, to: size))
        let worst = zip(found, expected).map { abs(Double($0) - $1) }.max() ?? .infinity
        // Weights of 1/256 along both lines, and the rounding.
        #expect(worst < 3)
    }

    @Test func whatIsEvenStaysEven() {
        for level in [UInt8(0), 1, 127, 254, 255] {
            let samples = [UInt8](repeating: level, count: 50 * 31)
            for (width, height) in [(50, 31), (49, 30), (7, 5), (1, 1), (64, 64), (120, 3)] {
                let size = FrameSize(width: width, height: height)
                #expect(scaled(samples, 50, 31, to: size).allSatisfy { $0 == level })
            }
        }
    }

    @Test func theSameSizeIsACopy() {
        var random = SeededRandom(seed: 3)
        let samples = (0..<35).map { _ in UInt8.random(in: 0...255, using: &random) }
        #expect(scaled(samples, 7, 5, to: FrameSize(width: 7, height: 5)) == samples)
    }
}
