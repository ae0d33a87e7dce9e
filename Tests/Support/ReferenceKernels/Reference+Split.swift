// SPDX-License-Identifier: MIT
// Separates packed samples into planes.

extension Reference {
    package static func splitPacked422(
        _ packed: [UInt8], firstLuma: Int, pairs: Int
    ) -> (luma: [UInt8], a: [UInt8], b: [UInt8]) {
        let luma = (0..<2 * pairs).map { packed[2 * $0 + firstLuma] }
        let chroma = (0..<2 * pairs).map { packed[2 * $0 + 1 - firstLuma] }
        let parted = splitPairs(chroma, count: pairs)
        return (luma, parted.a, parted.b)
    }

    package static func splitPairs(_ packed: [UInt8], count: Int) -> (a: [UInt8], b: [UInt8]) {
        ((0..<count).map { packed[2 * $0] }, (0..<count).map { packed[2 * $0 + 1] })
    }
}
