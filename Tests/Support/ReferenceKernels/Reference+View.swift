// SPDX-License-Identifier: MIT
// A picture seen through a frame that is shifted, turned and enlarged.

extension Reference {
    /// What four neighbours count between the second and the third, of 16384: Catmull-Rom, rounded.
    static func viewTaps(_ sixtyFourths: Int) -> [Int] {
        let t = Double(sixtyFourths) / 64
        return [
            (2 - t) * t * t - t, (3 * t - 5) * t * t + 2, (4 - 3 * t) * t * t + t, (t - 1) * t * t,
        ].map { Int(($0 * 8192).rounded(.toNearestOrEven)) }
    }

    /// A place rounded to 64ths: the row or column, and the fraction.
    private static func split(_ place: Int) -> (whole: Int, fraction: Int) {
        let fine = (place + 512) >> 10
        return (fine >> 6, fine & 63)
    }

    /// A column of a block of 16 that a line from `first` to `last` crosses, in Q6. `sample` gives that of a row.
    package static func viewDown(first: Int, last: Int, column: Int, _ sample: (Int) -> UInt8) -> Int16 {
        let (a, b) = (split(first), split(last)), base = min(a.whole, b.whole)
        func taps(_ place: (whole: Int, fraction: Int)) -> [Int] {
            let taps = viewTaps(place.fraction)
            return place.whole == base ? taps + [0] : [0] + taps
        }
        let sum = zip(taps(a), taps(b)).enumerated().reduce(0) { sum, row in
            let (own, next) = row.element
            let count = own + Int(product(Int16(next - own), Int16(2048 * column)))
            // A row that does not count is not read.
            guard own != 0 || next != 0 else { return sum }
            return sum + Int(product(Int16(sample(base - 1 + row.offset)) << 7, Int16(count)))
        }
        return Int16(sum)
    }

    /// What is at a place of a row in Q6, as a byte.
    package static func viewAcross(_ place: Int, _ sample: (Int) -> Int16) -> UInt8 {
        let (whole, fraction) = split(place)
        let sum = viewTaps(fraction).enumerated().reduce(0) { $0 + $1.element * Int(sample(whole - 1 + $1.offset)) }
        return UInt8(clamping: (sum + 1 << 19) >> 20)
    }
}
