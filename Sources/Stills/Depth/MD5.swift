// SPDX-License-Identifier: MIT
// MD5 of RFC 1321, which names the extended part of an XMP packet. It protects nothing.

import Glibc

/// The digest that Adobe's XMP standard identifies extended packets by.
enum MD5 {
    private static let shifts: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]
    private static let sines = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }

    /// The digest as 32 digits, capitals.
    static func digits(of bytes: [UInt8]) -> String {
        var padded = bytes + [0x80]
        padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
        padded += (0..<8).map { UInt8(truncatingIfNeeded: UInt64(8 * bytes.count) >> (8 * UInt64($0))) }
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
        for begin in stride(from: 0, to: padded.count, by: 64) { add(padded[begin..<begin + 64], to: &state) }
        let hexadecimal = Array("0123456789ABCDEF".utf8)
        let digest = state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * UInt32($0))) } }
        let digits = digest.flatMap { [hexadecimal[Int($0 >> 4)], hexadecimal[Int($0 & 15)]] }
        return String(decoding: digits, as: UTF8.self)
    }

    private static func add(_ block: ArraySlice<UInt8>, to state: inout [UInt32]) {
        let words = (0..<16).map { word in
            (0..<4).reduce(UInt32(0)) { $0 | UInt32(block[block.startIndex + 4 * word + $1]) << (8 * UInt32($1)) }
        }
        var a = state[0]
        var b = state[1]
        var c = state[2]
        var d = state[3]
        for step in 0..<64 {
            let mixed: UInt32
            let word: Int
            switch step / 16 {
            case 0:
                mixed = b & c | ~b & d
                word = step
            case 1:
                mixed = d & b | ~d & c
                word = (5 * step + 1) % 16
            case 2:
                mixed = b ^ c ^ d
                word = (3 * step + 5) % 16
            default:
                mixed = c ^ (b | ~d)
                word = 7 * step % 16
            }
            let sum = a &+ mixed &+ sines[step] &+ words[word]
            let shift = shifts[step / 16][step % 4]
            a = d
            d = c
            c = b
            b = b &+ (sum << shift | sum >> (32 - shift))
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
    }
}
