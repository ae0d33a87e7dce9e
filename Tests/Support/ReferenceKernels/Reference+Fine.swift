// SPDX-License-Identifier: MIT
// Samples of more than 8 bits and R'G'B' as rows in Q6, and their differences after motion.

import LivecapCFusionKernels

extension Reference {
    private static func heldFine(_ value: Int) -> Int16 { Int16(min(max(value, 0), 16383)) }

    /// `packed` has two bytes per word, the lower one first.
    package static func unpackWords(_ packed: [UInt8], step: Int, count: Int, _ how: fusion_words) -> [Int16] {
        (0..<count).map { place in
            let word = Int(packed[2 * step * place]) + 256 * Int(packed[2 * step * place + 1])
            let sample = (word >> Int(how.shift)) & Int(how.mask)
            return heldFine((sample * Int(how.factor) + Int(how.offset)) >> 16)
        }
    }

    package static func unpackPixels(
        _ pixels: [UInt8], width: Int, _ how: fusion_pixels
    ) -> (luma: [Int16], cb: [Int16], cr: [Int16]) {
        func pixel(_ x: Int) -> [Int] { (0..<3).map { Int(pixels[3 * min(x, width - 1) + $0]) } }
        func mix(_ parts: [Int], _ row: (Int32, Int32, Int32, Int32)) -> Int16 {
            heldFine((parts[0] * Int(row.0) + parts[1] * Int(row.1) + parts[2] * Int(row.2) + Int(row.3)) >> 16)
        }
        let sums = (0..<(width + 1) / 2).map { pair in zip(pixel(2 * pair), pixel(2 * pair + 1)).map { $0 + $1 } }
        return (
            (0..<width).map { mix(pixel($0), how.luma) }, sums.map { mix($0, how.cb) }, sums.map { mix($0, how.cr) }
        )
    }

    package static func roundCodes(_ fine: [Int16]) -> [UInt8] {
        fine.map { UInt8(min(255, (Double($0) / 64 + 0.5).rounded(.down))) }
    }

    /// The moved samples minus the reference's, in Q5: `rows` rows of `8 * cells`.
    package static func warpFineDifferences(
        _ reference: Grid<Int16>, _ src: Grid<Int16>, cells: Int, rows: Int, motion: [Int16]
    ) -> [[Int16]] {
        (0..<rows).map { y in
            (0..<8 * cells).map { x in
                let move = motion[x / 8 * 2..<x / 8 * 2 + 2].map { Int($0) }
                let (across, down) = (move[0] & 7, move[1] & 7)
                let (left, top) = (x + (move[0] - across) / 8, y + (move[1] - down) / 8)
                // All of these numbers are exact in double precision.
                var moved = 0.0
                for (v, tapDown) in taps(down).enumerated() {
                    for (u, tapAcross) in taps(across).enumerated() {
                        moved += Double(tapDown * tapAcross * Int(src[left - 1 + u, top - 1 + v])) / 4096
                    }
                }
                return Int16(((moved - Double(reference[x, y])) / 2 + 0.5).rounded(.down))
            }
        }
    }
}
