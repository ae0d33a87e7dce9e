// SPDX-License-Identifier: MIT
// Planes of any sampling become planes of 4:2:0.

import LivecapFrames
import LivecapSeededRandom
import Testing

@testable import LivecapPictures

@Suite struct PlaneFoldingTests {
    /// Of odd sides: a last column and row are left out.
    private static let size = FrameSize(width: 9, height: 7)
    private static let even = FrameSize(width: 8, height: 6)

    /// The three planes of the result, one after the other.
    private func folded(_ fold: (_ targets: [UnsafeMutableRawPointer], _ strides: [Int]) -> Void) -> [UInt8] {
        var result = [UInt8](repeating: 1, count: Self.even.area * 3 / 2)
        result.withUnsafeMutableBytes { bytes in
            let start = bytes.baseAddress!
            fold([start, start + 48, start + 60], [8, 4, 4])
        }
        return result
    }

    @Test(arguments: [PlanarSampling.s420, .s422, .s444, .grey])
    func placesThatShareASampleHaveItsMean(_ sampling: PlanarSampling) throws {
        var random = SeededRandom(seed: 7)
        let planes = sampling.planes(Self.size), last = try #require(planes.last)
        let samples = (0..<last.end).map { _ in UInt8.random(in: 0...255, using: &random) }
        let folding = PlaneFolding(sampling, Self.size, to: Self.even)
        let found = samples.withUnsafeBytes { samples in folded { folding.fold(samples, to: $0, $1) } }
        func sample(_ plane: Int, _ x: Int, _ y: Int) -> Int {
            Int(samples[planes[plane].offset + y * planes[plane].stride + x])
        }
        for y in 0..<6 { for x in 0..<8 { #expect(Int(found[y * 8 + x]) == sample(0, x, y)) } }
        for plane in 1...2 {
            for (x, y) in (0..<12).map({ ($0 % 4, $0 / 4) }) {
                let own = Int(found[48 + 12 * (plane - 1) + y * 4 + x])
                guard let (across, down) = sampling.shared else {
                    #expect(own == 128)
                    continue
                }
                // The samples of two by two pixels, some of which may be the same.
                let four = [(0, 0), (1, 0), (0, 1), (1, 1)].map { right, below in
                    sample(plane, (2 * x + right) / across, (2 * y + below) / down)
                }
                #expect(own == (four.reduce(0, +) + 2) / 4)
            }
        }
    }

    /// Each in memory of its own, with padding behind its rows.
    @Test(arguments: [PlanarSampling.s420, .s422, .s444, .grey])
    func planesMayLieAnywhere(_ sampling: PlanarSampling) throws {
        var random = SeededRandom(seed: 8)
        let planes = sampling.planes(Self.size), last = try #require(planes.last), stride = 16
        let samples = (0..<last.end).map { _ in UInt8.random(in: 0...255, using: &random) }
        let apart = planes.map { plane in
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: stride * plane.rows, alignment: 1)
            for y in 0..<plane.rows {
                let row = plane.offset + y * plane.stride
                for x in 0..<plane.rowBytes { copy[y * stride + x] = samples[row + x] }
            }
            return copy
        }
        defer { apart.forEach { $0.deallocate() } }
        let folding = PlaneFolding(sampling, Self.size, to: Self.even)
        let together = samples.withUnsafeBytes { samples in folded { folding.fold(samples, to: $0, $1) } }
        let found = folded { folding.fold(to: $0, $1) { (UnsafeRawPointer(apart[$0].baseAddress!), stride) } }
        #expect(found == together)
    }
}
