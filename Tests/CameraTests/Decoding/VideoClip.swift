// SPDX-License-Identifier: MIT
// A scene as a camera's compressed video: encoded by FFmpeg's libraries, with the pictures it was made of.

import FrameRing
import Glibc
import LivecapCMovies
import LivecapFrames
import Testing

@testable import Camera
@testable import LivecapFrameFiles

/// The frames of a scene, compressed as a camera delivers them: parameters with each key frame, and no picture later
/// than its own frame.
struct VideoClip {
    /// The scene's pictures, in I420.
    let scene: [[UInt8]]
    /// What the camera makes of them.
    var frames: [[UInt8]]
    /// Of which picture each is.
    let order: [Int]
    var format: FrameFormat
    /// From one key frame to the next.
    static let interval = 10
    static let size = FrameSize(width: 160, height: 96)

    /// With what pictures decoding can begin, after the first.
    enum Style {
        /// Key frames.
        case keys
        /// None, but a part of each picture needs no other, and a recovery point (only H.264) says when all parts had
        /// their turn.
        case refresh
        /// Pictures that need no other, without a word about that (only H.264): every tenth, after its parameters. The
        /// scene is another one from every second of them to the next.
        case intra
    }

    /// Whether FFmpeg's libraries are there, with the encoder for a format.
    static func isAvailable(_ format: PixelFormat) -> Bool { (try? VideoClip(format, count: 1)) != nil }
    static let lack: Comment = "FFmpeg's libraries, or their encoders libx264 and libx265, are not installed"

    struct Failure: Error { let what: String }

    /// Encodes `count` frames. With `reordered`, some pictures build on later ones, which cameras do not do.
    init(
        _ pixelFormat: PixelFormat, count: Int, isReordered: Bool = false, _ style: Style = .keys,
        size: FrameSize = size
    ) throws {
        format = FrameFormat(pixelFormat: pixelFormat, size: size)
        scene = try runScene("object:frames=\(count),seed=5", .i420, size: size).enumerated().map { number, picture in
            guard style == .intra, number / Self.interval % 2 == 1 else { return picture.bytes }
            // Nothing that could be predicted.
            return picture.bytes[..<size.area].reversed().map { 255 - $0 } + picture.bytes[size.area...]
        }
        let library = try VideoLibrary(for: pixelFormat)
        var why = [CChar](repeating: 0, count: 256)
        var picture = lc_movie_picture(
            width: Int32(size.width), height: Int32(size.height), range: 0, primaries: 2, transfer: 2,
            matrix: 2, rate_numerator: 30, rate_denominator: 1)
        let options = Self.options(pixelFormat, isReordered, style)
        let texts = options.sorted { $0.key < $1.key }.map { (strdup($0.key), strdup($0.value)) }
        let list = texts.map { lc_encoder_option(name: $0.0, value: $0.1) } + [lc_encoder_option(name: nil, value: nil)]
        defer {
            for (name, value) in texts {
                free(name)
                free(value)
            }
        }
        var opened: OpaquePointer?
        let name = pixelFormat == .hevc ? "libx265" : "libx264"
        guard lc_encoder_open(library.functions, name, &picture, list, &opened, &why, why.count) >= 0,
            let encoder = opened
        else { throw Failure(what: VideoLibrary.text(why)) }
        defer { lc_encoder_close(encoder) }
        var packets: [(time: Int64, bytes: [UInt8])] = []
        for (number, picture) in scene.enumerated() {
            try Self.fill(encoder, picture, size)
            guard lc_encoder_send(encoder, Int64(number) * 33_333, false) >= 0 else { throw Failure(what: "send") }
            try Self.receive(encoder, &packets)
        }
        _ = lc_encoder_end(encoder)
        try Self.receive(encoder, &packets)
        frames = packets.map(\.bytes)
        order = packets.map { Int($0.time / 33_333) }
        guard frames.count == count else { throw Failure(what: "\(frames.count) frames") }
        guard style == .intra else { return }
        var headCount = 0
        let head = UnsafeBufferPointer(start: lc_encoder_extradata(encoder, &headCount), count: headCount)
        for number in frames.indices where number % Self.interval == 0 && number > 0 {
            frames[number] = Array(head) + frames[number]
        }
    }

    private static func options(_ pixelFormat: PixelFormat, _ isReordered: Bool, _ style: Style) -> [String: String] {
        var options = ["preset": "superfast", "crf": "18", "threads": "1", "g": "\(interval)"]
        if !isReordered { options["tune"] = "zerolatency" }
        if pixelFormat == .hevc {
            options["x265-params"] =
                "keyint=\(interval):min-keyint=\(interval):scenecut=0:open-gop=0:pools=none:frame-threads=1:"
                + "log-level=none:bframes=\(isReordered ? 2 : 0)"
            return options
        }
        // Cuts within the shortest distance of key frames make pictures that are none.
        options["x264-params"] =
            switch style {
            case .keys: "scenecut=0:slices=1"
            case .refresh: "scenecut=0:slices=1:intra-refresh=1"
            case .intra: "scenecut=100:slices=1:keyint=1000:min-keyint=22"
            }
        return options
    }

    private static func fill(_ encoder: OpaquePointer, _ picture: [UInt8], _ size: FrameSize) throws {
        var planes = [UnsafeMutablePointer<UInt8>?](repeating: nil, count: 3)
        var strides = [Int32](repeating: 0, count: 3)
        guard lc_encoder_planes(encoder, &planes, &strides) >= 0 else { throw Failure(what: "planes") }
        var place = 0
        for plane in 0..<3 {
            let width = size.width / (plane == 0 ? 1 : 2)
            for row in 0..<size.height / (plane == 0 ? 1 : 2) {
                for column in 0..<width {
                    planes[plane]![row * Int(strides[plane]) + column] = picture[place + column]
                }
                place += width
            }
        }
    }

    private static func receive(_ encoder: OpaquePointer, _ packets: inout [(time: Int64, bytes: [UInt8])]) throws {
        var packet = lc_encoded()
        while lc_encoder_receive(encoder, &packet) > 0 {
            var bytes: [UInt8] = []
            if packet.is_key {
                var count = 0
                let head = lc_encoder_extradata(encoder, &count)
                bytes += UnsafeBufferPointer(start: head, count: count)
            }
            bytes += UnsafeBufferPointer(start: packet.bytes, count: packet.count)
            packets.append((packet.time, bytes))
        }
    }

    /// A frame's time: 100 ms, and 33 ms more with each.
    static func time(_ number: Int) -> Timestamp { Timestamp(nanoseconds: 100_000_000 + Int64(number) * 33_333_333) }

    /// A frame's metadata as a driver gives it.
    func metadata(_ number: Int) -> FrameMetadata {
        FrameMetadata(
            time: Self.time(number), byteCount: frames[number].count, sequence: UInt32(number),
            timeSource: .startOfExposure, uncertainty: .milliseconds(1), id: FrameID(epoch: 0, counter: UInt64(number)))
    }

    /// How near a picture is to the scene's, by its brightness, in dB.
    func psnr(_ picture: [UInt8], of number: Int) -> Double {
        let count = format.size.area
        let squares = (0..<count).reduce(0) { sum, place in
            let difference = Int(picture[place]) - Int(scene[number][place])
            return sum + difference * difference
        }
        return 10 * log10(255 * 255 * Double(count) / Double(max(1, squares)))
    }
}

/// A clip as a file of frames, from which frames may be missing.
final class ClipFile: FrameFile {
    let description: SourceDescription
    let health = FileHealth()
    let frames: [SampleFrame]

    init(_ clip: VideoClip, without lost: Set<Int> = [], damaged: Set<Int> = []) {
        description = SourceDescription(
            name: "Eye", identity: "eye", format: clip.format, rate: FrameRate(30), clock: .own)
        var frames: [SampleFrame] = []
        var gap: UInt32 = 0
        for number in clip.frames.indices {
            if lost.contains(number) {
                gap += 1
                continue
            }
            var metadata = clip.metadata(number)
            metadata.noteLoss(gap)
            gap = 0
            if damaged.contains(number) { metadata.markDamaged(.driverFlag) }
            frames.append(SampleFrame(metadata: metadata, bytes: clip.frames[number]))
        }
        self.frames = frames
    }

    var frameCount: Int { frames.count }
    var largestFrame: Int { frames.map(\.bytes.count).max() ?? 0 }
    func metadata(_ index: Int) -> FrameMetadata { frames[index].metadata }
    func read(_ index: Int, into bytes: UnsafeMutableRawBufferPointer) throws(FrameFileError) -> FrameMetadata {
        bytes.copyBytes(from: frames[index].bytes)
        return frames[index].metadata
    }
}
