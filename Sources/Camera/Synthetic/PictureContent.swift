// SPDX-License-Identifier: MIT
// A picture from a file as the subject of a synthetic camera.

import Glibc
import LivecapFiles
import LivecapFrames
import LivecapJPEG

/// A picture's light, reduced to the size of a scene. Reducing it also averages away the noise and blocks that it has.
struct PictureContent {
    private static let byteLimit = 64 << 20
    private let size: FrameSize
    private let bytes: [UInt8]

    /// Reads a JPEG file.
    init(path: String) throws(CameraError) {
        let jpeg = try Self.contents(of: path)
        do throws(JPEGError) {
            var decoder = try JPEGDecoder()
            let header = try decoder.header(jpeg.span.bytes)
            var bytes = [UInt8](repeating: 0, count: 3 * header.size.area)
            try bytes.withMutableBytes { (memory) throws(JPEGError) in
                _ = try decoder.decodeRGB(jpeg.span.bytes, size: header.size, into: memory)
            }
            size = header.size
            self.bytes = bytes
        } catch {
            guard case .undecodable(let reason) = error else { throw .noMemory(bytes: jpeg.count) }
            throw Self.failure(path, reason)
        }
    }

    private static func failure(_ path: String, _ reason: String) -> CameraError {
        .badSettings("the picture \(path) cannot be read: \(reason)", hint: "picture=FILE takes a JPEG")
    }

    private static func contents(of path: String) throws(CameraError) -> [UInt8] {
        func failure(_ reason: String) -> CameraError { Self.failure(path, reason) }
        // A pipe must not block.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw failure("not a regular file")
        }
        guard status.st_size <= byteLimit else { throw failure("it has more than \(byteLimit >> 20) MB") }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = bytes.withUnsafeMutableBytes { readAll(descriptor, at: 0, into: $0) }
        guard count == bytes.count else { throw failure(count < 0 ? String(cString: strerror(errno)) : "it changed") }
        return bytes
    }

    /// The middle of the picture in `width` by `height` samples of light, row by row.
    func light(width: Int, height: Int) throws(CameraError) -> [SIMD4<Float>] {
        let scale = min(Double(size.width) / Double(width), Double(size.height) / Double(height))
        guard scale >= 1 else {
            throw .badSettings(
                "the picture has \(size) pixels, and the scene needs \(width)x\(height) with its motion",
                hint: "choose a larger picture, smaller frames or less motion")
        }
        let across = Self.shares(width, of: size.width, scale), down = Self.shares(height, of: size.height, scale)
        var light = [SIMD4<Float>](repeating: .zero, count: width * height)
        var row = [SIMD4<Float>](repeating: .zero, count: width)
        for y in 0..<height {
            for share in down[y] {
                average(row: share.place, across, into: &row)
                for x in 0..<width { light[y * width + x] += row[x] * share.weight }
            }
        }
        return light
    }

    private func average(row: Int, _ across: [[Share]], into out: inout [SIMD4<Float>]) {
        for x in out.indices {
            var sum = SIMD4<Float>.zero
            for share in across[x] {
                let at = 3 * (row * size.width + share.place)
                let code = UInt32(bytes[at]) << 16 | UInt32(bytes[at + 1]) << 8 | UInt32(bytes[at + 2])
                sum += SceneMath.color(code) * share.weight
            }
            out[x] = sum
        }
    }

    /// A pixel that a sample covers, and how much of the sample it is.
    private struct Share {
        let place: Int
        let weight: Float
    }

    /// For each of `count` samples, the pixels that it covers along one axis.
    private static func shares(_ count: Int, of length: Int, _ scale: Double) -> [[Share]] {
        let first = (Double(length) - scale * Double(count)) / 2
        return (0..<count).map { sample in
            let (from, to) = (first + scale * Double(sample), first + scale * Double(sample + 1))
            return (Int(max(0, from))...min(length - 1, Int(to))).compactMap { place in
                let covered = min(to, Double(place + 1)) - max(from, Double(place))
                return covered > 0 ? Share(place: place, weight: Float(covered / scale)) : nil
            }
        }
    }
}
