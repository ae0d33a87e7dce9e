// SPDX-License-Identifier: MIT
// A maker note of Apple's form: the identifier that a still and its movie share.

/// The maker note by which Apple's programs find the movie of a live photo.
enum AppleMakerNote {
    /// The note with an identifier: a directory of one field, big-endian, whose places count from the note's beginning.
    static func bytes(_ identifier: String) -> [UInt8] {
        let value = Array(identifier.utf8.prefix { $0 != 0 }) + [0]
        let name = Array("Apple iOS\0".utf8) + [0, 1] + Array("MM".utf8)
        // Field 17 is text (2); behind it is the place of the next directory, of which there is none.
        let place = name.count + 2 + 12 + 4
        return name + [0, 1] + [0, 17, 0, 2] + bigEndian(value.count) + bigEndian(place) + bigEndian(0) + value
    }

    private static func bigEndian(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(clamping: number).bigEndian) { Array($0) }
    }
}
