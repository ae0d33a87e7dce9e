// SPDX-License-Identifier: MIT
// What the chunks of a PNG file say, without decoding the picture. Accepts arbitrary bytes.

import LivecapFrames

/// A PNG file's chunks, as far as they are used here.
struct PNGChunks {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    private(set) var size: FrameSize?
    /// Bits per sample.
    private(set) var depth: UInt8?
    private(set) var xmp: [UInt8]?
    private(set) var hasEnd = false
    /// Whether samples of colours are red, green and blue, rather than grey.
    private(set) var isColour = false
    /// Whether pixels can be transparent.
    private(set) var hasTransparency = false
    /// The primaries, the transfer function, the matrix, and whether the range is full, as code points.
    private(set) var codes: [UInt8]?
    /// The data of the ICC profile's chunk.
    private(set) var profile: [UInt8]?
    /// Whether the file says that its colours are sRGB.
    private(set) var isSRGB = false
    /// The exponent of the samples' encoding, times 100000.
    private(set) var gamma: Int?
    /// What text chunks say of a depth map, by their names without `depthPrefix`.
    private(set) var depthTexts: [String: String] = [:]

    /// What the names of text chunks of depth maps begin with.
    static let depthPrefix = "Depth"

    /// More than any profile has.
    private static let maxProfile = 1 << 22

    init(_ file: [UInt8]) {
        func number(_ place: Int) -> Int { file[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) } }
        var place = Self.signature.count
        while place + 12 <= file.count {
            let (count, name) = (number(place), String(decoding: file[(place + 4)..<(place + 8)], as: UTF8.self))
            guard count <= file.count - place - 12 else { return }
            let data = file[(place + 8)..<(place + 8 + count)]
            switch name {
            case "IHDR" where count >= 8:
                size = FrameSize(width: number(place + 8), height: number(place + 12))
                guard count >= 10 else { break }
                depth = file[place + 16]
                // The colour type: 1 for a palette, 2 for colour, 4 for alpha.
                isColour = file[place + 17] & 2 != 0
                hasTransparency = hasTransparency || file[place + 17] & 4 != 0
            case "IEND":
                hasEnd = true
                return
            case "iTXt" where data.starts(with: Self.keyword): xmp = Array(data.dropFirst(Self.keyword.count))
            case "tEXt" where data.starts(with: Self.depthPrefix.utf8): add(depthText: data)
            case "tRNS": hasTransparency = true
            case "sRGB": isSRGB = true
            case "gAMA" where count == 4: gamma = number(place + 8)
            case "cICP" where count == 4: codes = Array(data)
            case "iCCP" where count <= Self.maxProfile && Self.isIntact(file[(place + 4)..<(place + 12 + count)]):
                profile = Array(data)
            default: break
            }
            place += 12 + count
        }
    }

    /// The keyword with its terminator, no compression, no language and no translation, as the XMP standard requires.
    private static let keyword = Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0]

    /// Whether a chunk from its name on ends with its checksum.
    private static func isIntact(_ chunk: ArraySlice<UInt8>) -> Bool {
        chunk.suffix(4).reduce(0) { $0 << 8 | UInt32($1) } == checksum(chunk.dropLast(4))
    }

    /// The checksum of a chunk's name and data.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }

    private mutating func add(depthText data: ArraySlice<UInt8>) {
        let parts = data.prefix(2048).split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, depthTexts.count < 64 else { return }
        let name = String(decoding: parts[0].dropFirst(Self.depthPrefix.utf8.count), as: UTF8.self)
        depthTexts[name] = String(decoding: parts[1], as: UTF8.self)
    }

    /// A chunk with a name and a text, which have the characters of ASCII only.
    static func text(_ name: String, _ value: String) -> [UInt8] {
        let content = Array("tEXt".utf8) + Array(name.utf8) + [0] + Array(value.utf8)
        func word(_ value: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
        return word(UInt32(content.count - 4)) + content + word(checksum(content[...]))
    }
}
