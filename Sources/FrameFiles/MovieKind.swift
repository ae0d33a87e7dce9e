// SPDX-License-Identifier: MIT
// The formats frames can be exported to, and how a file's name selects one.

/// A file format for a sequence of frames that other programs read.
public enum MovieKind: String, Hashable, Codable, Sendable, CaseIterable {
    /// Raw planes at a constant rate; the format most programs read.
    case y4m
    /// JPEG frames unchanged, one after the other.
    case mjpg
    /// Matroska: JPEG or raw frames with their own times, unchanged where other programs know their format.
    case mkv
    /// A folder with one numbered picture per frame.
    case frames

    /// The kind that a path's suffix selects; nil if it selects none. A `-` selects `y4m`, and a trailing slash
    /// `frames`.
    public init?(path: String) {
        if path == "-" {
            self = .y4m
            return
        }
        let name = path.lowercased()
        let suffixes: [(String, MovieKind)] = [
            (".y4m", .y4m), (".mjpg", .mjpg), (".mjpeg", .mjpg), (".mkv", .mkv), ("/", .frames),
        ]
        guard let kind = suffixes.first(where: { name.hasSuffix($0.0) })?.1 else { return nil }
        self = kind
    }

    /// Throws if the name's suffix stands for a format that is not written here, or for another one than `kind`.
    /// `keepsAll` tells whether a recording could be written there as well.
    package static func checkName(
        _ path: String, as kind: MovieKind? = nil, keepsAll: Bool = true
    ) throws(FrameFileError) {
        if let kind, path != "-" {
            let isRecording = path.lowercased().hasSuffix(".lcap") && kind != .frames
            if isRecording || MovieKind(path: path).map({ $0 != kind }) == true {
                throw .badSettings(
                    "\(path) would hold \(kind.rawValue), not what its name says",
                    hint: "choose a name of that kind, or let the name decide the kind")
            }
            // A folder may have any name.
            if kind == .frames { return }
        }
        let name = path.lowercased()
        let names = "name it \(keepsAll ? ".lcap, " : "").y4m, .mjpg or .mkv"
        let others =
            [(movies, "\(names); ffmpeg -i FILE.mkv \(path) makes the rest")]
            + [(pictures, "a folder, DIR/, gets one picture per frame; to take a single picture, shoot it")]
            + [([".raw", ".zip"], names)]
        for (suffixes, hint) in others {
            guard let suffix = suffixes.first(where: { name.hasSuffix($0) }) else { continue }
            throw .badSettings(
                "\(path): \(suffix) files are not written", hint: hint)
        }
    }

    /// The suffixes of movies that other programs make.
    package static let movies = [
        ".mp4", ".m4v", ".mov", ".avi", ".webm", ".ts", ".flv", ".ogv", ".mpg", ".mpeg", ".wmv", ".h264", ".yuv",
    ]
    /// The suffixes of single pictures.
    private static let pictures = [".jpg", ".jpeg", ".png", ".heic", ".webp", ".gif"]
    /// The suffixes of the files of frames that livecap writes.
    package static let own = [".lcap", ".y4m", ".mjpg", ".mjpeg", ".mkv"]
}
