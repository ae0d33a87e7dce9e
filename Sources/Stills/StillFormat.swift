// SPDX-License-Identifier: MIT
// The kinds of picture files, by their names.

/// A kind of picture file.
public enum StillFormat: String, Sendable, CaseIterable {
    /// 8 bits, small: Y'CbCr as JFIF has it.
    case jpeg
    /// 10 or 8 bits, smaller yet: Y'CbCr as the frames had it.
    case heic
    /// Every bit of the still, nothing lost: R'G'B' or grey, of 16 or 8 bits.
    case png

    /// What a file of the kind ends with.
    public var suffix: String { suffixes[0] }

    /// What files of the kind end with, in lower case; the usual one first.
    private var suffixes: [String] {
        switch self {
        case .jpeg: [".jpg", ".jpeg", ".jpe", ".jfif"]
        case .heic: [".heic", ".heif", ".hif"]
        case .png: [".png"]
        }
    }

    /// The kind a file's name speaks of; nil where it speaks of none that is known here.
    public init?(suffixOf path: String) {
        let name = path.lowercased()
        guard let kind = Self.allCases.first(where: { $0.suffixes.contains(where: name.hasSuffix) }) else { return nil }
        self = kind
    }

    /// How many bits a sample may have, the most last.
    public var depths: [SampleDepth] {
        switch self {
        case .jpeg: [.eight]
        case .heic: [.eight, .ten]
        case .png: [.eight, .sixteen]
        }
    }

    /// The quality from 1 to 100 that costs less than a camera's own noise; nil where nothing is lost anyway.
    public var usualQuality: Int? {
        switch self {
        case .jpeg: 95
        case .heic: 75
        case .png: nil
        }
    }
}

/// Bits a sample of a picture file.
public enum SampleDepth: Int, Sendable, CaseIterable {
    /// What screens show.
    case eight = 8
    /// What HEVC's usual profiles have at most.
    case ten = 10
    /// As a still has them.
    case sixteen = 16
}
