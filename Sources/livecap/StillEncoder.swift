// SPDX-License-Identifier: MIT
// One frame to a JPEG file's bytes.

import Camera
import FrameRing
import Frames
import JPEG

/// Turns held frames into JPEG pictures.
struct StillEncoder: ~Copyable {
    private var encoder: JPEGEncoder

    init() throws(Failure) {
        do throws(JPEGError) { encoder = try JPEGEncoder() } catch { throw .camera(.noMemory(bytes: 1 << 20)) }
    }

    /// A window's frame as a picture: JPEG frames as they are, with the tables they may lack; others encoded from R'G'B'.
    mutating func encode(_ window: borrowing FrameWindow, _ index: Int) throws(Failure) -> [UInt8] {
        let format = window.format
        if format.pixelFormat.layout == .jpeg {
            return window.withBytes(index) { bytes in
                let structure = JPEGStructure.check(bytes).structure
                if structure?.hasHuffmanTables == false { return StandardHuffmanTables.inserted(into: bytes) }
                return bytes.withUnsafeBytes { Array($0) }
            }
        }
        guard let converter = PlainConverter(format), let pixels = window.withBytes(index, { converter.rgb24($0) })
        else {
            throw .camera(
                .badSettings(
                    "pictures cannot be made of \(format.pixelFormat) frames yet",
                    hint: "take another format, as with --format MJPG or --format YUYV"))
        }
        do throws(JPEGError) {
            return try encoder.encodeRGB(
                pixels.span.bytes, size: format.size, sampling: .s422, quality: Self.quality
            ) { picture in picture.withUnsafeBytes { Array($0) } }
        } catch {
            throw .camera(
                .badSettings("the picture cannot be encoded: \(error)", hint: "take another --size or --format"))
        }
    }

    /// High enough that encoding costs less than the camera's own noise.
    private static let quality = 95
}
