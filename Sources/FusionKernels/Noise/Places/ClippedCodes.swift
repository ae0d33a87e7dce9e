// SPDX-License-Identifier: MIT
// The codes at which a plane is clipped.

/// The codes at which samples are clipped at the dark and the bright end of a plane. More than eight times as many
/// samples are at or beyond such a code as at the next one inwards, and at least a thousandth of all are.
struct ClippedCodes {
    /// Nothing is clipped at a code outside the scale.
    private var black = -1
    private var white = 256
    private static let ones: UInt64 = 0x0101_0101_0101_0101

    /// How many numbers it needs to count with: a table for each of four samples, because counting the same code twice
    /// in a row would wait for the first count to be stored.
    static let countsNeeded = 4 * NoiseModel.levels

    /// Looks at every eighth row of a plane. `counts` is memory for `countsNeeded` numbers.
    init(_ plane: SamplePlane, _ counts: Scratch<UInt32>) {
        let rowStep = 8, counts = counts.base
        counts.update(repeating: 0, count: Self.countsNeeded)
        let (second, third, fourth) = (NoiseModel.levels, 2 * NoiseModel.levels, 3 * NoiseModel.levels)
        for y in stride(from: 0, to: plane.height, by: rowStep) {
            let row = plane.row(y), whole = plane.width & ~3
            for x in stride(from: 0, to: whole, by: 4) {
                let four = UnsafeRawPointer(row + x).loadUnaligned(as: UInt32.self)
                counts[Int(four & 255)] &+= 1
                counts[second + Int(four >> 8 & 255)] &+= 1
                counts[third + Int(four >> 16 & 255)] &+= 1
                counts[fourth + Int(four >> 24)] &+= 1
            }
            for x in whole..<plane.width { counts[Int(row[x])] &+= 1 }
        }
        for code in 0..<NoiseModel.levels {
            counts[code] += counts[second + code] + counts[third + code] + counts[fourth + code]
        }
        let least = UInt32((plane.height + rowStep - 1) / rowStep * plane.width) / 1000
        var beyond: UInt32 = 0
        for code in (128..<NoiseModel.levels).reversed() {
            beyond += counts[code]
            guard beyond >= least else { continue }
            if beyond > 8 * counts[code - 1] { white = code }
            break
        }
        beyond = 0
        for code in 0..<127 {
            beyond += counts[code]
            guard beyond >= least else { continue }
            if beyond > 8 * counts[code + 1] { black = code }
            break
        }
    }

    /// Whether anything is clipped.
    var areAny: Bool { black >= 0 || white < 256 }

    /// A one in each byte of samples, eight to a number, that is clipped.
    @inline(__always)
    func marks<Eights: SIMD>(_ samples: Eights) -> Eights where Eights.Scalar == UInt64 {
        // The additions carry into the top bit of each byte that is at least `white`, or whose complement is at least
        // that of `black`. As those are 128 or more, such a byte has its own top bit set, too.
        let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F, dark = ~samples
        let bright = ((samples & low) &+ Self.ones &* UInt64(256 - white)) & samples
        return ((bright | ((dark & low) &+ Self.ones &* UInt64(black + 1)) & dark) &>> 7) & Self.ones
    }

    /// The sum of marks that were added up, which must be below 256.
    static func sum(_ marks: UInt64) -> Int { Int((marks &* ones) &>> 56) }
}
