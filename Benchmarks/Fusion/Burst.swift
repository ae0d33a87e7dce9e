// SPDX-License-Identifier: MIT
// Frames of a synthetic scene to fuse, and the true picture at their reference.

import Camera
import LivecapFrames
import LivecapJPEG
import LivecapPictureMetrics

/// A burst of a synthetic scene, with the truth about its reference frame.
final class Burst: Sendable {
    let format: FrameFormat
    /// The frames' bytes, as a camera delivers them or as its JPEGs are decoded.
    let frames: [[UInt8]]
    /// The index of the frame that a still shows.
    let reference: Int
    /// The brightness of the reference without noise.
    let truth: CodePlane
    /// The brightness of the reference as delivered.
    let single: CodePlane
    /// The means of Cb and Cr of the truth, in codes.
    let chromaLevels: (cb: Double, cr: Double)
    /// The places within 8 pixels of the moving object in any of the frames, where ghosts can appear. Nil without an
    /// object.
    let path: [Bool]?

    /// Renders a scene, whose middle frame is the reference unless another is named. With `jpegQuality`, the frames are
    /// compressed to 4:2:2 JPEG, as by a camera, and decoded again.
    init(
        _ text: String, size: FrameSize, frames count: Int, reference: Int? = nil, jpegQuality: Int? = nil
    ) throws {
        let settings = try SyntheticSettings(text + (text.contains(":") ? "," : ":") + "mark=off")
        let scene = try SyntheticScene(settings, size: size, rate: FrameRate(30))
        let isJPEG = jpegQuality != nil
        let format = FrameFormat(
            pixelFormat: isJPEG ? .yuv422p : .yuyv, size: size, colorimetry: isJPEG ? .jpeg : .webcam)
        var frames = (0..<count).map { scene.bytes(ofFrame: $0, format: format, isNoisy: true) }
        if let jpegQuality { frames = try frames.map { try Self.compressed($0, format, quality: jpegQuality) } }
        let reference = reference ?? count / 2
        let samples = TruthSamples(scene.truth(ofFrame: reference), format.colorimetry)
        (self.format, self.frames, self.reference) = (format, frames, reference)
        truth = CodePlane(width: size.width, height: size.height, samples: samples.luma)
        chromaLevels = (samples.cb, samples.cr)
        let step = isJPEG ? 1 : 2
        single = CodePlane(
            width: size.width, height: size.height, samples: (0..<size.area).map { Float(frames[reference][$0 * step]) }
        )
        path = settings.scene == .object ? Self.path(scene, count) : nil
    }

    /// Frames of a drawn picture. `truth` is the brightness of the reference without noise.
    init(format: FrameFormat, frames: [[UInt8]], reference: Int, truth: CodePlane) {
        (self.format, self.frames, self.reference, self.truth) = (format, frames, reference, truth)
        single = CodePlane(width: truth.width, height: truth.height, samples: frames[reference].map(Float.init))
        (chromaLevels, path) = ((128, 128), nil)
    }

    /// The frames repeated over a larger picture, or cropped to the corner of a smaller one. Times depend on the
    /// number of pixels, and rendering 8 million of them takes long.
    func frames(_ count: Int, of size: FrameSize) -> (frames: [[UInt8]], format: FrameFormat) {
        precondition(format.pixelFormat == .yuyv && size.width % 2 == 0, "rows of whole pairs")
        guard size != format.size else { return (Array(frames.prefix(count)), format) }
        let large = FrameFormat(pixelFormat: .yuyv, size: size, colorimetry: format.colorimetry)
        let repeated = frames.prefix(count).map { frame in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(large.byteCount)
            for y in 0..<size.height {
                let row = y % format.size.height * format.bytesPerLine
                var left = large.bytesPerLine
                while left > 0 {
                    let part = min(left, format.bytesPerLine)
                    bytes += frame[row..<row + part]
                    left -= part
                }
            }
            return bytes
        }
        return (repeated, large)
    }

    private static func compressed(_ planes: [UInt8], _ format: FrameFormat, quality: Int) throws -> [UInt8] {
        guard let layout = PlanarLayout(format) else { preconditionFailure("sizes of whole chroma samples") }
        var encoder = try JPEGEncoder()
        let jpeg = try encoder.encode(planes.span.bytes, layout: layout, quality: quality) { jpeg in
            jpeg.withUnsafeBytes { [UInt8]($0) }
        }
        var decoder = try JPEGDecoder()
        var decoded = [UInt8](repeating: 0, count: format.byteCount)
        try decoded.withUnsafeMutableBytes { _ = try decoder.decode(jpeg.span.bytes, to: layout, in: $0) }
        return decoded
    }

    /// The places covered by the object in any frame, and 8 pixels around them.
    private static func path(_ scene: SyntheticScene, _ count: Int) -> [Bool] {
        let (width, height) = (scene.size.width, scene.size.height)
        var path = [Bool](repeating: false, count: width * height)
        for frame in 0..<count {
            let mask = scene.objectMask(ofFrame: frame)
            for place in mask.indices where mask[place] > 0 { path[place] = true }
        }
        // Widening rows, then columns, widens by a square.
        for step in [1, width] {
            let narrow = path
            for place in narrow.indices where narrow[place] {
                let at = step == 1 ? place % width : place / width
                let last = step == 1 ? width - 1 : height - 1
                for near in max(0, at - 8)...min(last, at + 8) { path[place + (near - at) * step] = true }
            }
        }
        return path
    }
}

/// A true picture in the codes of a format.
private struct TruthSamples {
    var luma: [Float] = []
    var (cb, cr) = (0.0, 0.0)

    init(_ rgb: [Float], _ colorimetry: Colorimetry) {
        let weights = colorimetry.matrix.weights
        let (red, blue) = (Float(weights.red), Float(weights.blue))
        let isFull = colorimetry.range == .full
        let (scale, black): (Float, Float) = isFull ? (255, 0) : (219, 16)
        luma.reserveCapacity(rgb.count / 3)
        for pixel in stride(from: 0, to: rgb.count, by: 3) {
            let (r, b) = (rgb[pixel], rgb[pixel + 2])
            let y = red * r + (1 - red - blue) * rgb[pixel + 1] + blue * b
            luma.append(y * scale + black)
            cb += Double((b - y) / (2 * (1 - blue)))
            cr += Double((r - y) / (2 * (1 - red)))
        }
        let range = isFull ? 255.0 : 224.0
        (cb, cr) = (128 + cb * range / Double(luma.count), 128 + cr * range / Double(luma.count))
    }
}
