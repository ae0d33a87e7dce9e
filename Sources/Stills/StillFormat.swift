// SPDX-License-Identifier: MIT
// The kinds of picture files, by their names.

/// A kind of picture file.
public enum StillFormat: String, Sendable, CaseIterable {
    /// 8 bits, small: Y'CbCr as JFIF has it.
    case jpeg
    /// Every bit of the still, nothing lost: R'G'B' or grey, of 16 or 8 bits.
    case png

    /// What a file of the kind ends with.
    public var suffix: String { self == .jpeg ? ".jpg" : ".png" }

    /// The kind a file's name speaks of; nil where it speaks of none that is known here.
    public init?(suffixOf path: String) {
        let name = path.lowercased()
        if [".jpg", ".jpeg", ".jpe", ".jfif"].contains(where: name.hasSuffix) {
            self = .jpeg
        } else if name.hasSuffix(".png") {
            self = .png
        } else {
            return nil
        }
    }
}
