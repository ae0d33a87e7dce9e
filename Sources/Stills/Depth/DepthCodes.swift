// SPDX-License-Identifier: MIT
// Depth in as few bits as HEIC has: distances as codes, and the message that says what they mean.

import LivecapFrames

/// How distances become codes, evenly: code 0 is unknown, 1 the farthest distance of the map, the largest the nearest.
///
/// Even steps of distance, rather than of its inverse, keep the error the same everywhere: half a step, which is
/// 0.049 % of the map's range in 10 bits. A range of fewer counts than there are codes loses nothing.
struct DepthCodes {
    /// Bits per code.
    let bits: Int
    /// The largest code.
    var largest: Int { 1 << bits - 1 }
    /// The nearest distance, in counts.
    private let nearest: Double
    /// Counts from a code to the next.
    private let step: Double

    init(_ depth: DepthMap, bits: Int) {
        self.bits = bits
        let range = depth.range ?? 1...1
        let span = Int(range.upperBound) - Int(range.lowerBound)
        let most = 1 << bits - 2
        nearest = Double(range.lowerBound)
        step = span <= most ? 1 : Double(span) / Double(most)
    }

    /// The distances of the largest code and of code 0, in metres.
    func coding(_ metresPerCount: Double) -> ClosedRange<Double> {
        nearest * metresPerCount...(nearest + Double(largest) * step) * metresPerCount
    }

    /// The code of a sample.
    func code(_ sample: UInt16) -> UInt16 {
        guard sample != DepthMap.unknown else { return 0 }
        let steps = (Double(sample) - nearest) / step
        return UInt16(largest - min(max(Int(steps.rounded()), 0), largest - 1))
    }
}

/// The depth representation information of HEVC's annex G: what the samples of a depth picture mean.
struct DepthRepresentation: Hashable, Sendable {
    /// Steps of what are even.
    enum Kind: UInt32, Hashable, Sendable {
        /// The inverse of the distance.
        case inverse = 0
        /// The disparity, whose unit is not known.
        case disparity = 1
        /// The distance.
        case linear = 2
        /// A disparity by a table.
        case table = 3
    }
    /// How codes and distances belong together.
    var kind: Kind
    /// The distance of the largest code; nil if it is not known.
    var near: Double?
    /// The distance of code 0; nil if it is not known.
    var far: Double?

    /// The message's type.
    private static let type: UInt8 = 177
    /// The header of a unit of messages before the picture.
    private static let unit: [UInt8] = [0x4E, 0x01]

    /// What follows the URN in the property `auxC`: the length of all units, and each unit after its length.
    var bytes: [UInt8] {
        // Two zeros with a small byte after them would need a byte between that not every reader takes out again. A
        // shorter mantissa is as good: they can only be in one that is nearly 0.
        let payload =
            (1...24).lazy.reversed().map(payload).first { payload in
                !payload.indices.dropLast(2).contains { place in
                    payload[place] == 0 && payload[place + 1] == 0 && payload[place + 2] <= 3
                }
            } ?? payload(24)
        let message = Self.unit + [Self.type, UInt8(payload.count)] + payload + [0x80]
        func word(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
        return word(message.count + 4) + word(message.count) + message
    }

    private func payload(_ precision: Int) -> [UInt8] {
        var bits = BitWriter()
        bits.add(near == nil ? 0 : 1, 1)
        bits.add(far == nil ? 0 : 1, 1)
        bits.add(0, 2)
        bits.addExponential(kind.rawValue)
        for distance in [near, far].compactMap({ $0 }) { bits.add(distance: distance, precision) }
        return bits.ended
    }

    init(kind: Kind, near: Double?, far: Double?) {
        self.kind = kind
        self.near = near
        self.far = far
    }

    /// Reads what follows the URN; nil if it has no such message. Accepts any bytes.
    init?(_ bytes: ArraySlice<UInt8>) {
        let begin = Self.unit + [Self.type]
        guard let found = bytes.prefix(1024).firstRange(of: begin), let count = bytes[found.upperBound...].first,
            count < 255
        else { return nil }
        var bits = BitReader(bytes[(found.upperBound + 1)...].prefix(Int(count)))
        guard let hasNear = bits.next(1), let hasFar = bits.next(1), let hasLeast = bits.next(1),
            let hasMost = bits.next(1), let kind = bits.exponential().flatMap({ Kind(rawValue: $0) })
        else { return nil }
        if hasLeast == 1 || hasMost == 1 { guard bits.exponential() != nil else { return nil } }
        self.kind = kind
        near = hasNear == 1 ? bits.number() : nil
        far = hasFar == 1 ? bits.number() : nil
    }

    /// The distance of a code in metres; nil if the file does not say.
    func distance(_ code: Int, largest: Int) -> Double? {
        guard let near, let far, near > 0, far > near, far.isFinite else { return nil }
        let share = Double(code) / Double(largest)
        return switch kind {
        case .linear: far + (near - far) * share
        case .inverse: 1 / (1 / far + (1 / near - 1 / far) * share)
        case .disparity, .table: nil
        }
    }
}

// MARK: Bits

private struct BitWriter {
    private var bits: [UInt8] = []

    mutating func add(_ value: UInt32, _ count: Int) {
        for place in (0..<count).reversed() { bits.append(UInt8(value >> UInt32(place) & 1)) }
    }

    /// Exponential Golomb code.
    mutating func addExponential(_ value: UInt32) {
        let length = 32 - (value + 1).leadingZeroBitCount
        add(0, length - 1)
        add(value + 1, length)
    }

    /// A positive number as sign, exponent, and the bits of the mantissa: as few as it needs, at most `precision`.
    mutating func add(distance: Double, _ precision: Int) {
        let positive = min(max(distance, 0x1p-30), 0x1p90)
        let scale = Double(UInt64(1) << UInt64(precision))
        let mantissa = UInt32(min(((positive.significand - 1) * scale).rounded(), scale - 1))
        let unused = min(mantissa.trailingZeroBitCount, precision - 1)
        add(0, 1)
        add(UInt32(Int(positive.exponent) + 31), 7)
        add(UInt32(precision - unused - 1), 5)
        add(mantissa >> UInt32(unused), precision - unused)
    }

    /// The bytes, with a one and zeros at the end.
    var ended: [UInt8] {
        var all = bits + [1]
        while all.count % 8 != 0 { all.append(0) }
        return stride(from: 0, to: all.count, by: 8).map { begin in
            all[begin..<begin + 8].reduce(0) { $0 << 1 | $1 }
        }
    }
}

private struct BitReader {
    private let bytes: ArraySlice<UInt8>
    private var place = 0

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    mutating func next(_ count: Int) -> UInt32? {
        guard place + count <= 8 * bytes.count else { return nil }
        var value: UInt32 = 0
        for _ in 0..<count {
            let byte = bytes[bytes.startIndex + place / 8]
            value = value << 1 | UInt32(byte >> UInt8(7 - place % 8) & 1)
            place += 1
        }
        return value
    }

    mutating func exponential() -> UInt32? {
        var zeros = 0
        while true {
            guard let bit = next(1), zeros < 31 else { return nil }
            if bit == 1 { break }
            zeros += 1
        }
        return next(zeros).map { (1 << UInt32(zeros) | $0) - 1 }
    }

    mutating func number() -> Double? {
        guard let sign = next(1), let exponent = next(7), let length = next(5), exponent < 127,
            let mantissa = next(Int(length) + 1)
        else { return nil }
        let fraction = Double(mantissa) / Double(UInt64(1) << UInt64(length + 1))
        let power = Double(sign: .plus, exponent: exponent == 0 ? -30 : Int(exponent) - 31, significand: 1)
        let size = (exponent == 0 ? fraction : 1 + fraction) * power
        return sign == 1 ? -size : size
    }
}
