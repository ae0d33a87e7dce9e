// SPDX-License-Identifier: MIT
// A folder for pictures that tests show, and pictures in it.

import Glibc
import LivecapFiles
import LivecapFrames
import LivecapStills
import Testing

/// A folder that is removed with all its files.
final class PictureFolder {
    let path: String

    init() throws { path = try #require(makeTemporaryFolder("/tmp/livecap-background-")) }

    deinit {
        for name in fileNames(in: path) { _ = unlink("\(path)/\(name)") }
        rmdir(path)
    }

    /// Writes a file. Returns its path.
    func save(_ bytes: [UInt8], as name: String = "picture") throws -> String {
        let path = "\(path)/\(name)"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        try #require(bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } == bytes.count)
        return path
    }
}

/// Pictures whose pixels have the colours of their places: red, green and blue.
enum PlacedPixels {
    static func bytes(_ size: FrameSize, _ colour: (Int, Int) -> [UInt8]) -> [UInt8] {
        (0..<size.height).flatMap { y in (0..<size.width).flatMap { x in colour(x, y) } }
    }

    static func png(_ size: FrameSize, _ colour: (Int, Int) -> [UInt8]) throws -> [UInt8] {
        try PNGEncoder(depth: .eight).encode(rgb24: bytes(size, colour), size: size, .sRGB)
    }
}
