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

    /// A window's frame as a picture: JPEG frames as they are, with the tables they may lack; others encoded.
    mutating func encode(_ window: borrowing FrameWindow, _ index: Int) throws(Failure) -> [UInt8] {
        let format = window.format
        if format.pixelFormat.layout == .jpeg {
            return window.withBytes(index) { bytes in
                let structure = JPEGStructure.check(bytes).structure
                if structure?.hasHuffmanTables == false { return StandardHuffmanTables.inserted(into: bytes) }
                return bytes.withUnsafeBytes { Array($0) }
            }
        }
        do throws(JPEGError) {
            if let picture = try encodePlanes(window, index) { return picture }
            guard let converter = PlainConverter(format), let pixels = window.withBytes(index, { converter.rgb24($0) })
            else {
                throw JPEGError.unencodable("\(format.pixelFormat) frames are not read yet")
            }
            return try encoder.encodeRGB(
                pixels.span.bytes, size: format.size, sampling: .s422, quality: Self.quality
            ) { picture in picture.withUnsafeBytes { Array($0) } }
        } catch {
            throw .camera(
                .badSettings("no picture can be made: \(error)", hint: "take --format MJPG or YUYV, or another --size"))
        }
    }

    /// The usual webcam's frame, plane by plane: nothing is resampled, and only the range changes. Nil for frames of
    /// other colours, which go through R'G'B'.
    private mutating func encodePlanes(
        _ window: borrowing FrameWindow, _ index: Int
    ) throws(JPEGError) -> [UInt8]? {
        let format = window.format
        let sampling: ChromaSampling
        switch format.pixelFormat.layout {
        case .packed422, .semiPlanar(2, 1, _), .planar(2, 1, _): sampling = .s422
        case .semiPlanar(2, 2, _), .planar(2, 2, _): sampling = .s420
        default: return nil
        }
        // At odd sizes the codec wants a row or column more than frames have.
        guard format.colorimetry.matrix == .bt601, format.size.width % 2 == 0, format.size.height % 2 == 0,
            let layout = PlanarLayout(size: format.size, sampling: sampling)
        else { return nil }
        var gatherer = SampleGatherer(format)
        var samples: [UInt8] = []
        window.withBytes(index) { bytes in
            bytes.withUnsafeBytes { frame in samples = gatherer.gather(frame).map { Array($0) } ?? [] }
        }
        guard samples.count == layout.byteCount else { return nil }
        if format.colorimetry.range == .limited {
            let lumaCount = format.size.area
            samples.withUnsafeMutableBufferPointer { samples in
                for place in 0..<lumaCount { samples[place] = Self.fullLuma[Int(samples[place])] }
                for place in lumaCount..<samples.count { samples[place] = Self.fullChroma[Int(samples[place])] }
            }
        }
        return try encoder.encode(samples.span.bytes, layout: layout, quality: Self.quality) { picture in
            picture.withUnsafeBytes { Array($0) }
        }
    }

    /// Limited range, 16 to 235 and 16 to 240 around 128, stretched to the full one JPEG has.
    private static let fullLuma = (0..<256).map { stretched(Double($0 - 16) * 255 / 219) }
    private static let fullChroma = (0..<256).map { stretched(Double($0 - 128) * 255 / 224 + 128) }
    private static func stretched(_ value: Double) -> UInt8 { UInt8(min(255, max(0, value.rounded()))) }

    /// High enough that encoding costs less than the camera's own noise.
    private static let quality = 95
}
