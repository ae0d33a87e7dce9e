// SPDX-License-Identifier: MIT
// Corrects the capabilities that a HEIC file requires of a decoder: its HEVC profile and the matching brand.

/// Corrects the profile that libheif declares for a file.
///
/// x265 declares a single 10-bit 4:2:0 picture as one of the format range extensions ("Main 10 Intra"), although it
/// uses none of their tools, and libheif gives every file the brand `heic`. Readers that rely on these declarations,
/// including hardware decoders, then reject a picture they could show, or attempt one they cannot. The declarations are
/// replaced in place, so no offset changes.
enum HEVCProfile {
    /// The profile numbers of HEVC's annex A.
    private static let (main, main10, mainStillPicture, rangeExtensions): (UInt8, UInt8, UInt8, UInt8) = (1, 2, 3, 4)

    /// Declares Main 10 if it suffices, and the brand required by ISO/IEC 23008-12: `heic` for Main and Main Still
    /// Picture, `heix` for all others.
    static func declare(in file: inout [UInt8]) {
        guard let record = decoderConfiguration(of: file) else { return }
        // Only for 10-bit 4:2:0: grey pictures really need the extensions.
        let (chroma, depth) = (file[record + 16] & 3, 8 + file[record + 17] & 7)
        if file[record + 1] & 31 == rangeExtensions, chroma == 1, depth == 10 { declareMain10(in: &file, record) }
        let profile = file[record + 1] & 31
        if profile != main, profile != mainStillPicture { replaceBrand(in: &file) }
    }

    /// The offset of the record in the `hvcC` box, of which at least the fixed part of 23 bytes is present.
    private static func decoderConfiguration(of file: [UInt8]) -> Int? {
        let name = Array("hvcC".utf8)
        return file.indices.dropLast(27).first { file[$0] == name[0] && file[$0..<($0 + 4)].elementsEqual(name) }
            .map { $0 + 4 }
    }

    /// Rewrites the profile in the record and in the video and sequence parameter sets: in all of them or in none.
    private static func declareMain10(in file: inout [UInt8], _ record: Int) {
        var (places, place) = ([Int](), record + 23)
        for _ in 0..<file[record + 22] {
            guard place + 5 <= file.count else { return }
            let unit = place + 5
            // The offset of the profile in a single-layer unit: after the header, the identifiers and, in a video
            // parameter set, a reserved word.
            switch file[place] & 63 {
            case 32: places.append(unit + 6)
            case 33: places.append(unit + 3)
            default: break
            }
            // libheif puts one unit into each of its arrays.
            guard file[place + 1] == 0, file[place + 2] == 1 else { return }
            place = unit + Int(file[place + 3]) << 8 + Int(file[place + 4])
        }
        guard places.count == 2, places.allSatisfy({ isSinglePicture(file, $0) }) else { return }
        for place in places {
            // The first four flags concern interlacing and are kept.
            let flags = file[place + 6] & 0xF0
            file.replaceSubrange(place..<(place + 8), with: [main10, 0x20, 0, 0, 3, 0, flags, 0x10])
        }
        // The record has no emulation prevention bytes.
        file[record + 1] = file[record + 1] & 0xE0 | main10
        file.replaceSubrange((record + 2)..<(record + 6), with: [0x20, 0, 0, 0])
        let flags = file[places[1] + 6]
        file.replaceSubrange((record + 6)..<(record + 12), with: [flags, 0x10, 0, 0, 0, 0])
    }

    /// Whether a parameter set has the profile that x265 writes for a single picture: range extensions, compatible with
    /// nothing else, and flags only in the first two of six bytes. (A 3 after two zeros is an emulation prevention
    /// byte.)
    private static func isSinglePicture(_ file: [UInt8], _ place: Int) -> Bool {
        place + 13 <= file.count && file[place..<(place + 6)].elementsEqual([rangeExtensions, 0x08, 0, 0, 3, 0])
            && file[place + 6] != 0 && file[place + 7] & 0x10 != 0
            && file[(place + 8)..<(place + 13)].elementsEqual([0, 0, 3, 0, 0])
    }

    /// Replaces `heic` in the file type box, which comes first.
    private static func replaceBrand(in file: inout [UInt8]) {
        let length = min(Int(file[2]) << 8 + Int(file[3]), file.count)
        for place in stride(from: 8, to: length - 3, by: 4) where place != 12 {
            if file[place..<(place + 4)].elementsEqual("heic".utf8) { file[place + 3] = UInt8(ascii: "x") }
        }
    }
}
