// SPDX-License-Identifier: MIT
// A ring with frames of known bytes and times, and movies of it.

import Foundation
import FrameRing
import LivecapFrames
import LivecapJPEG
import LivecapMovies
import Testing

/// A ring that a test fills by hand, and a folder for movies, removed with this object.
final class MovieStage {
    let ring: Ring
    /// A time on the source's clock: that of the first frame. On CLOCK_MONOTONIC it is some seconds ago.
    let begin: Timestamp
    let source: SourceDescription
    private var producer: RingProducer?
    private let folder: URL

    static let size = FrameSize(width: 64, height: 48)

    /// A ring for frames of a format that keeps `seconds` of history.
    init(
        _ format: PixelFormat = .mjpeg, size: FrameSize = MovieStage.size, rate: FrameRate? = FrameRate(30),
        seconds: Int64 = 4, clock: SourceClock = .own
    ) throws {
        let frames = FrameFormat(pixelFormat: format, size: size)
        let capacity = RingCapacity(duration: .seconds(seconds), byteCap: 64 << 20)
        let plan = try #require(capacity.plan(format: frames, rate: FrameRate(30)))
        ring = try #require(Ring.slabs(plan, format: frames)).ring
        source = SourceDescription(name: "Eye", identity: "eye", format: frames, rate: rate, clock: clock)
        begin = clock == .own ? Self.begin : .now - .seconds(10)
        producer = RingProducer(filling: ring)
        folder = FileManager.default.temporaryDirectory.appending(path: "movie-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path }
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()) ?? [] }
    func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: folder.appending(path: name))) }
    func write(_ bytes: [UInt8], to name: String) throws { try Data(bytes).write(to: folder.appending(path: name)) }

    /// Publishes a frame.
    func publish(
        _ bytes: [UInt8], at time: Duration, flags: FrameFlags = [], damage: Damage = .none, lost: UInt32 = 0
    ) throws {
        let id = producer?.publish(byteCount: bytes.count) { room in
            for (place, byte) in bytes.enumerated() { room.storeBytes(of: byte, toByteOffset: place, as: UInt8.self) }
            return FrameMetadata(
                time: begin + time, byteCount: bytes.count, flags: flags, damage: damage, lostBefore: lost)
        }
        _ = try #require(id)
    }

    /// Publishes pictures of a format at these times, in milliseconds.
    func publish(at times: [Int64]) throws {
        for time in times { try publish(picture(Int(time)), at: .milliseconds(time)) }
    }

    /// Publishes a frame of one grey, fast, at a time in milliseconds.
    func publishGrey(at time: Int64) {
        let byteCount = source.format.byteCount
        _ = producer?.publish(byteCount: byteCount) { room in
            _ = room.withUnsafeMutableBytes { $0.initializeMemory(as: UInt8.self, repeating: UInt8(time % 251)) }
            return FrameMetadata(time: begin + .milliseconds(time), byteCount: byteCount)
        }
    }

    /// Begins a new epoch, as after an interruption.
    func interrupt() { producer?.beginEpoch() }

    /// Ends the stream.
    func end() { producer = nil }

    /// The first frame's time on a source's own clock.
    static let begin = Timestamp(nanoseconds: 5_000_000_000)

    /// A picture that differs with its number: a frame of the ring's format.
    func picture(_ number: Int) throws -> [UInt8] {
        guard source.format.pixelFormat.isJPEG else {
            return (0..<source.format.byteCount).map { UInt8(truncatingIfNeeded: 64 + $0 % 61 + number) }
        }
        return try Self.jpeg(number, source.format.size)
    }

    /// A JPEG picture that differs with its number.
    static func jpeg(_ number: Int, _ size: FrameSize) throws -> [UInt8] {
        var encoder = try JPEGEncoder()
        let pixels = (0..<(3 * size.area)).map { UInt8(truncatingIfNeeded: $0 % 97 + 3 * number) }
        return try pixels.withUnsafeBytes { pixels in
            try encoder.encodeRGB(pixels.bytes, size: size, quality: 80) { $0.withUnsafeBytes { Array($0) } }
        }
    }
}
