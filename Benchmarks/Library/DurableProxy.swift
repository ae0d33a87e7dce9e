// SPDX-License-Identifier: MIT
// The time until a proxy and its source frames are durable, compared with a plain write and fsync of as many new
// bytes.

import Glibc
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapPhotoStorage

struct DurableProxy: FallibleBenchmark {
    /// The kind of frames that the camera delivers.
    enum Source: Sendable {
        case motionJPEG, raw

        var format: FrameFormat {
            FrameFormat(pixelFormat: self == .raw ? .yuyv : .mjpeg, size: FrameSize(width: 1280, height: 720))
        }

        /// A webcam's JPEG of that size takes some 120 kB.
        var frameBytes: Int { self == .raw ? format.byteCount : 120_000 }
    }
    let source: Source
    var name: String { source == .raw ? "library.proxy.raw" : "library.proxy" }

    /// The number of new frames per shot; it shares the others with the previous shot.
    private static let newFrames = 8
    private static let proxyBytes = 150_000

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let folder = try BenchFolder(options)
        var settings = LibraryOptions()
        settings.burstBytes = 256 << 20
        let library = try PhotoLibrary("\(folder.path)/library", settings)
        let burst = try library.openBurst(
            DumpHeader(
                of: SourceDescription(
                    name: name, identity: name, format: source.format, rate: FrameRate(30), clock: .monotonic)))
        let frames = (0..<Self.newFrames).map { noise(source.frameBytes, seed: UInt64($0 + 1)) }
        let proxy = noise(Self.proxyBytes, seed: 99)
        let rounds = options.isThorough ? 200 : 60
        var (durable, plain, syncs): ([Duration], [Duration], [Duration]) = ([], [], [])
        for round in 0..<rounds {
            // In turns, each being first equally often.
            for turn in 0..<2 {
                let begun = Timestamp.now
                if (round + turn) % 2 == 0 {
                    try add(round, frames, proxy, to: library, burst)
                    durable.append(Timestamp.now - begun)
                } else {
                    let path = "\(folder.path)/plain"
                    let time = try write(frames + [proxy], to: path)
                    plain.append(Timestamp.now - begun)
                    syncs.append(time)
                    unlink(path)
                }
            }
        }
        var result = BenchmarkResult(name, width: 1280, height: 720, frames: rounds)
        let report = try library.verify()
        if !report.problems.isEmpty || report.photos != rounds {
            result.faults.append("\(report.problems.count) problems in \(report.photos) of \(rounds) photos")
        }
        let (ours, theirs) = (Timings(of: durable), Timings(of: plain))
        let bytes = Self.newFrames * source.frameBytes + Self.proxyBytes
        result.figures = [
            ("durableP50Ms", ours.median / 1e6), ("durableP90Ms", ours.quantile(0.9) / 1e6),
            ("plainP50Ms", theirs.median / 1e6), ("plainFsyncP50Ms", Timings(of: syncs).median / 1e6),
            ("newMB", Double(bytes) / 1e6),
        ]
        result.ratios = [("durableToPlain", ours.median / theirs.median)]
        result.targets["durableToPlain"] = .atMost(1.5)
        if source == .motionJPEG { result.targets["durableP50Ms"] = .atMost(33.3) }
        return result
    }

    private func add(
        _ round: Int, _ frames: [[UInt8]], _ proxy: [UInt8], to library: PhotoLibrary, _ burst: BurstWriter
    ) throws {
        var kept: [KeptFrame] = []
        for (place, bytes) in frames.enumerated() {
            let number = round * Self.newFrames + place
            let metadata = FrameMetadata(
                time: Timestamp(nanoseconds: Int64(number) * 33_333_333), byteCount: bytes.count,
                id: FrameID(epoch: 0, counter: UInt64(number)))
            kept.append(try bytes.withUnsafeBytes { try burst.append(metadata, $0) })
        }
        _ = try library.addDeferred(.measured(round, thumbnail: Array(proxy.prefix(4000))), proxy: proxy, frames: kept)
    }

    /// Writes a new file and syncs it; returns the duration of the sync.
    private func write(_ pieces: [[UInt8]], to path: String) throws -> Duration {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw BenchFolderError(path: path, errno: errno) }
        defer { close(file) }
        for piece in pieces {
            let isWritten = piece.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) == $0.count }
            guard isWritten else { throw BenchFolderError(path: path, errno: errno) }
        }
        let begun = Timestamp.now
        guard fsync(file) == 0 else { throw BenchFolderError(path: path, errno: errno) }
        return Timestamp.now - begun
    }
}
