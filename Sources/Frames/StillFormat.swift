// SPDX-License-Identifier: MIT
// The kinds of picture files, and their file name suffixes.

/// A kind of picture file.
public enum StillFormat: String, Hashable, Codable, Sendable, CaseIterable {
    /// 8 bits, small files: Y'CbCr as defined by JFIF.
    case jpeg
    /// 10 or 8 bits, even smaller files: Y'CbCr as in the frames.
    case heic
    /// Lossless: R'G'B' or grey, 16 or 8 bits.
    case png

    /// The usual suffix of such files.
    public var suffix: String { suffixes[0] }

    /// All suffixes of such files in lower case, the usual one first.
    private var suffixes: [String] {
        switch self {
        case .jpeg: [".jpg", ".jpeg", ".jpe", ".jfif"]
        case .heic: [".heic", ".heif", ".hif"]
        case .png: [".png"]
        }
    }

    /// The format indicated by a file's suffix; nil if it is unknown.
    public init?(suffixOf path: String) {
        let name = path.lowercased()
        guard let kind = Self.allCases.first(where: { $0.suffixes.contains(where: name.hasSuffix) }) else { return nil }
        self = kind
    }

    /// The supported sample depths, in ascending order.
    public var depths: [SampleDepth] {
        switch self {
        case .jpeg: [.eight]
        case .heic: [.eight, .ten]
        case .png: [.eight, .sixteen]
        }
    }

    /// The quality from 1 to 100 at which the loss is below a camera's own noise; nil for lossless formats.
    public var usualQuality: Int? {
        switch self {
        case .jpeg: 95
        case .heic: 75
        case .png: nil
        }
    }
}

/// Bits per sample in a picture file.
public enum SampleDepth: Int, Hashable, Codable, Sendable, CaseIterable {
    /// The depth of most screens.
    case eight = 8
    /// The maximum of HEVC's common profiles.
    case ten = 10
    /// The depth of a still.
    case sixteen = 16
}
