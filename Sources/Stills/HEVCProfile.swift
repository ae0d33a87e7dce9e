// SPDX-License-Identifier: MIT
// What a HEIC file says a decoder must be able to do: its HEVC profile, and the brand that goes with it.

/// Corrects what libheif writes about a file's profile.
///
/// x265 calls a single 4:2:0 picture of 10 bits one of the format range extensions ("Main 10 Intra"), although it uses none of
/// their tools, and libheif calls every file `heic`. Readers that decide by these words, hardware decoders among them, then
/// refuse a picture they could show, or try one they cannot. The words are replaced in place; no offset changes.
enum HEVCProfile {
    /// The numbers of HEVC's annex A.
    private static let (main, main10, mainStillPicture, rangeExtensions): (UInt8, UInt8, UInt8, UInt8) = (1, 2, 3, 4)

    /// Declares Main 10 where that is enough, and the brand of ISO/IEC 23008-12: `heic` of Main and Main Still Picture, `heix`
    /// of all others.
    static func declare(in file: inout [UInt8]) {
        guard let record = decoderConfiguration(of: file) else { return }
        // 4:2:0 of 10 bits; grey pictures do need the extensions.
        let (chroma, depth) = (file[record + 16] & 3, 8 + file[record + 17] & 7)
        if file[record + 1] & 31 == rangeExtensions, chroma == 1, depth == 10 { declareMain10(in: &file, record) }
        let profile = file[record + 1] & 31
        if profile != main, profile != mainStillPicture { replaceBrand(in: &file) }
    }

    /// Where the `hvcC` box's record begins, which has its fixed part of 23 bytes at least.
    private static func decoderConfiguration(of file: [UInt8]) -> Int? {
        let name = Array("hvcC".utf8)
        return file.indices.dropLast(27).first { file[$0] == name[0] && file[$0..<($0 + 4)].elementsEqual(name) }
            .map { $0 + 4 }
    }

    /// Rewrites the record's own account and those of the video and sequence parameter sets, all of them or none.
    private static func declareMain10(in file: inout [UInt8], _ record: Int) {
        var (places, place) = ([Int](), record + 23)
        for _ in 0..<file[record + 22] {
            guard place + 5 <= file.count else { return }
            let unit = place + 5
            // Where the profile stands in a unit of one layer: after its header, identifiers and, of video, a reserved word.
            switch file[place] & 63 {
            case 32: places.append(unit + 6)
            case 33: places.append(unit + 3)
            default: break
            }
            // libheif has one unit in each of its arrays.
            guard file[place + 1] == 0, file[place + 2] == 1 else { return }
            place = unit + Int(file[place + 3]) << 8 + Int(file[place + 4])
        }
        guard places.count == 2, places.allSatisfy({ isSinglePicture(file, $0) }) else { return }
        for place in places {
            // The first four flags tell of interlacing and stay.
            let flags = file[place + 6] & 0xF0
            file.replaceSubrange(place..<(place + 8), with: [main10, 0x20, 0, 0, 3, 0, flags, 0x10])
        }
        // The record has no bytes that prevent emulation.
        file[record + 1] = file[record + 1] & 0xE0 | main10
        file.replaceSubrange((record + 2)..<(record + 6), with: [0x20, 0, 0, 0])
        let flags = file[places[1] + 6]
        file.replaceSubrange((record + 6)..<(record + 12), with: [flags, 0x10, 0, 0, 0, 0])
    }

    /// Whether a parameter set has the profile as x265 writes it of a single picture: range extensions, compatible with
    /// nothing else, and only flags in the first two of six bytes (each third byte after two zeros prevents emulation).
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
