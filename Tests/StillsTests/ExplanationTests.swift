// SPDX-License-Identifier: MIT
// The explanation of a still as a picture: areas made from more frames are lighter, and each frame has a column.

import LivecapFrames
import Testing

@testable import Fusion
@testable import LivecapStills

@Suite struct ExplanationTests {
    private let size = FrameSize(width: 64, height: 32)

    /// A flat still with the evidence of four frames in its left half and of one frame in its right half.
    private func still() throws -> FusedPicture {
        let still = try picture(FrameFormat(pixelFormat: .grey, size: size)) { _, _, _ in 128 << 8 }
        still.evidence = (0..<8).map { $0 % 4 < 2 ? 4 : 1 }
        return still
    }

    private func pixels(_ shares: [ExplanationPicture.Share]) throws -> [[UInt8]] {
        let samples = try ffmpegSamples(of: ExplanationPicture(shares: shares).encode(still()), as: "rgb24")
        #expect(samples.count == 3 * 64 * (32 + 4 + 12 + 4 + 48))
        return stride(from: 0, to: samples.count, by: 3).map { Array(samples[$0..<($0 + 3)]) }
    }

    private func light(_ pixel: [UInt8]) -> Int { pixel.reduce(0) { $0 + Int($1) } }

    @Test func moreFramesAreLighter() throws {
        let pixels = try pixels([.used(weight: 1), .used(weight: 1), .used(weight: 1), .reference])
        #expect(light(pixels[64 * 10 + 5]) > 2 * light(pixels[64 * 10 + 60]))
        // The scale becomes lighter from one end to the other, without a step back.
        let scale = (0..<64).map { pixels[64 * 40 + $0] }
        #expect(zip(scale, scale.dropFirst()).allSatisfy { light($0) <= light($1) + 8 })
        #expect(light(scale[0]) < light(scale[63]))
    }

    @Test func eachFrameHasItsColumn() throws {
        let pixels = try pixels([.used(weight: 0.5), .rejected, .reference, .used(weight: 0)])
        func column(_ x: Int) -> [[UInt8]] { (52..<100).map { pixels[64 * $0 + x] } }
        #expect(column(8).count { light($0) > 0 } == 24 && light(column(8)[47]) > 0)
        #expect(column(24).allSatisfy { $0 == [200, 30, 30] })
        #expect(column(40).allSatisfy { $0 == [255, 255, 255] })
        #expect(column(56).allSatisfy { light($0) == 0 })
        // A line separates the columns.
        #expect(column(32).allSatisfy { light($0) == 0 })
    }

    @Test func oneFrameIsAllThereIs() throws {
        let pixels = try pixels([.reference])
        // Of a single frame, all the evidence there can be is one: both halves look the same.
        #expect(pixels[64 * 10 + 5] == pixels[64 * 10 + 60])
        #expect(light(pixels[64 * 10 + 5]) > 200)
    }
}

/// The text below stills that are large enough for it.
@Suite struct ExplanationLegendTests {
    private let size = FrameSize(width: 480, height: 32)
    private let explanation = ExplanationPicture(
        shares: [.used(weight: 0.5), .rejected, .reference, .used(weight: 1)], names: ["0:7", "0:8", "0:9", "0:10"])

    private func find(_ text: String, _ x: ClosedRange<Int>, row: Int, scale: Int) throws -> Bool {
        let still = try picture(FrameFormat(pixelFormat: .grey, size: size)) { _, _, _ in 128 << 8 }
        let samples = try ffmpegSamples(of: explanation.encode(still), as: "gray")
        let dots = dots(of: text, scale)
        return x.contains { left in
            dots.enumerated().allSatisfy { y, dots in
                let start = (row + y) * size.width + left
                // The last letter may touch the edge of the picture.
                return samples[start..<(start + dots.count - scale)].map { $0 > 128 } == Array(dots.dropLast(scale))
            }
        }
    }

    @Test func theScaleHasItsNumbers() throws {
        let legend = ExplanationLegend(explanation, size), scale = legend.text.scale
        let row = try #require(legend.ticks)
        #expect(try find("1", 0...0, row: row, scale: scale))
        #expect(try find("2", 230...245, row: row, scale: scale))
        // Three frames were used.
        #expect(try find("3", 470...475, row: row, scale: scale))
    }

    @Test func eachColumnHasItsFramesNumber() throws {
        let legend = ExplanationLegend(explanation, size)
        let row = try #require(legend.names)
        for (index, name) in explanation.names.enumerated() {
            #expect(try find(name, (120 * index)...(120 * index + 100), row: row, scale: legend.text.scale))
        }
    }

    @Test func narrowPicturesHaveNoWords() {
        let legend = ExplanationLegend(explanation, FrameSize(width: 32, height: 32))
        #expect(legend.ticks == nil && legend.names == nil && legend.bottom == 32 + 4 + 12 + 4 + 48)
    }
}
