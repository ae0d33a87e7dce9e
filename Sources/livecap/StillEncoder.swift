// SPDX-License-Identifier: MIT
// Stills, and frames that become one as they are, to a picture file's bytes.

import Camera
import FrameRing
import Frames
import FusionKernels
import JPEG
import Stills

/// Makes JPEG or PNG pictures.
struct StillEncoder: ~Copyable {
    private let format: StillFormat
    private let png: PNGEncoder
    private var jpeg: JPEGEncoder
    private var decoder: JPEGDecoder

    init(_ format: StillFormat, _ depth: PNGEncoder.Depth) throws(Failure) {
        let jpeg = try Self.codec { () throws(JPEGError) in try JPEGEncoder() }
        let decoder = try Self.codec { () throws(JPEGError) in try JPEGDecoder() }
        self.format = format
        png = PNGEncoder(depth: depth)
        self.jpeg = jpeg
        self.decoder = decoder
    }

    private static func codec<Codec: ~Copyable>(_ make: () throws(JPEGError) -> Codec) throws(Failure) -> Codec {
        do throws(JPEGError) { return try make() } catch { throw .camera(.noMemory(bytes: 1 << 20)) }
    }

    /// A fused picture.
    mutating func encode(_ picture: FusedPicture) throws(Failure) -> [UInt8] {
        switch format {
        case .png: do throws(StillError) { return try png.encode(picture) } catch { throw .unencoded(error.reason) }
        case .jpeg:
            do throws(JPEGError) {
                return try jpeg.encode(picture, quality: Self.quality)
            } catch { throw .unencoded(error.reason) }
        }
    }

    /// A window's frame by itself: JPEG frames as they are, with the tables they may lack; others through R'G'B'.
    mutating func encode(_ window: borrowing FrameWindow, _ index: Int) throws(Failure) -> [UInt8] {
        let source = window.format
        if source.pixelFormat.layout == .jpeg && format == .jpeg {
            return window.withBytes(index) { bytes in
                let structure = JPEGStructure.check(bytes).structure
                if structure?.hasHuffmanTables == false { return StandardHuffmanTables.inserted(into: bytes) }
                return bytes.withUnsafeBytes { Array($0) }
            }
        }
        let pixels = try rgb24(window, index)
        switch format {
        case .png:
            do throws(StillError) {
                return try png.encode(rgb24: pixels, size: source.size, source.colorimetry)
            } catch { throw .unencoded(error.reason) }
        case .jpeg:
            do throws(JPEGError) {
                return try jpeg.encodeRGB(
                    pixels.span.bytes, size: source.size, sampling: .s422, quality: Self.quality
                ) { picture in picture.withUnsafeBytes { Array($0) } }
            } catch { throw .unencoded(error.reason) }
        }
    }

    private mutating func rgb24(_ window: borrowing FrameWindow, _ index: Int) throws(Failure) -> [UInt8] {
        let source = window.format
        if source.pixelFormat.layout == .jpeg {
            var pixels = [UInt8](repeating: 0, count: 3 * source.size.area)
            var span = pixels.mutableSpan
            do throws(JPEGError) {
                try window.withBytes(index) { bytes throws(JPEGError) in
                    try span.withUnsafeMutableBytes { memory throws(JPEGError) in
                        _ = try decoder.decodeRGB(bytes, size: source.size, into: memory)
                    }
                }
            } catch { throw .undecodable(reason: error.reason) }
            return pixels
        }
        guard let converter = PlainConverter(source), let pixels = window.withBytes(index, { converter.rgb24($0) })
        else {
            throw .unencoded("\(source.pixelFormat) frames are not read yet")
        }
        return pixels
    }

    /// High enough that encoding costs less than the camera's own noise.
    private static let quality = 95
}

extension Failure {
    fileprivate static func unencoded(_ reason: String) -> Failure {
        .camera(
            .badSettings("no picture can be made: \(reason)", hint: "take --format MJPG or YUYV, or another --size"))
    }
}

extension StillError {
    /// For people.
    fileprivate var reason: String {
        switch self {
        case .unencodable(let words): words
        case .noMemory: "there is not enough memory"
        }
    }
}
