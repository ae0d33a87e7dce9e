// SPDX-License-Identifier: MIT
// The units of a byte stream of H.264 or HEVC (Annex B), and their bits.

/// One unit, from its first byte up to the next start code. It has one byte at least.
struct VideoUnit {
    /// Its bytes as they are in the stream.
    let bytes: UnsafeRawBufferPointer
}

/// Goes through the units of a byte stream. Accepts any bytes, and looks at no more of them than it needs.
struct VideoUnits {
    private let stream: UnsafeRawBufferPointer
    private var place = 0

    /// Units of a stream, whose bytes must stay valid.
    init(_ stream: UnsafeRawBufferPointer) { self.stream = stream }

    /// The next unit. Its end is not looked for: its bytes may have other units after it.
    mutating func next() -> VideoUnit? {
        var zeros = 0
        while place < stream.count {
            let byte = stream[place]
            place += 1
            guard byte == 1, zeros >= 2 else {
                zeros = byte == 0 ? zeros + 1 : 0
                continue
            }
            guard place < stream.count else { return nil }
            return VideoUnit(bytes: UnsafeRawBufferPointer(rebasing: stream[place...]))
        }
        return nil
    }
}

/// Reads the bits of a unit, highest first, up to its end. The byte 3 that keeps two zeros from looking like a start
/// code is no part of them.
struct UnitBits {
    private let bytes: UnsafeRawBufferPointer
    private var place: Int
    private var zeros = 0
    /// The bits of the current byte that are still to be read.
    private var current: UInt8 = 0
    private var left = 0
    /// How many bytes may still be read.
    private var rest = Int.max

    /// Bits of `unit` from one of its bytes on, after its header.
    init(_ unit: VideoUnit, from begin: Int) {
        bytes = unit.bytes
        place = begin
    }

    /// Makes the end come after that many bytes.
    mutating func end(after count: Int) { rest = count }

    /// The next whole byte; nil at the end. Only where no bits of another byte are left.
    mutating func byte() -> UInt8? {
        if zeros >= 2, place < bytes.count {
            switch bytes[place] {
            case 3:
                place += 1
                zeros = 0
            // A start code, or zeros before one.
            case 0, 1: return nil
            default: break
            }
        }
        guard place < bytes.count, rest > 0 else { return nil }
        let byte = bytes[place]
        place += 1
        rest -= 1
        zeros = byte == 0 ? zeros + 1 : 0
        return byte
    }

    /// Passes over bytes. Returns whether there were as many.
    mutating func skip(bytes count: Int) -> Bool {
        for _ in 0..<count {
            guard byte() != nil else { return false }
        }
        return true
    }

    /// The next bit; nil at the end.
    mutating func bit() -> UInt32? {
        if left == 0 {
            guard let byte = byte() else { return nil }
            current = byte
            left = 8
        }
        left -= 1
        return UInt32(current >> UInt8(left) & 1)
    }

    /// The next bits as a number, 32 at most; nil at the end.
    mutating func bits(_ count: Int) -> UInt32? {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let bit = bit() else { return nil }
            value = value << 1 | bit
        }
        return value
    }

    /// Passes over bits. Returns whether there were as many.
    mutating func skip(bits count: Int) -> Bool {
        for _ in 0..<count {
            guard bit() != nil else { return false }
        }
        return true
    }

    /// Passes over numbers, with a sign or without. Returns whether there were as many.
    mutating func skip(numbers count: Int) -> Bool {
        for _ in 0..<count {
            guard number() != nil else { return false }
        }
        return true
    }

    /// The next number without a sign in the code of both standards, ue(v): as many zeros as it has bits after its
    /// first. Nil at the end, or if it has more than 32 bits.
    mutating func number() -> UInt32? {
        var zeros = 0
        while let bit = bit() {
            guard bit == 0 else {
                var value: UInt32 = 1
                for _ in 0..<zeros {
                    guard let bit = self.bit() else { return nil }
                    value = value << 1 | bit
                }
                return value - 1
            }
            zeros += 1
            guard zeros < 32 else { return nil }
        }
        return nil
    }
}
