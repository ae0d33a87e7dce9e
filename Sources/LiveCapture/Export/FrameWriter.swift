// SPDX-License-Identifier: MIT
// Writes frames to the files that other programs read.

import Fusion
import Glibc
import LivecapDeveloping
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapPictures

/// Writes frames one after the other. Only one thread at a time may use it.
protocol FrameWriter: AnyObject {
    /// The number of bytes written so far.
    var byteCount: Int { get }
    /// The JPEG frames that follow are of the stream of `planes`, and decoded together with its other readers.
    func follow(_ planes: SharedPlanes)
    /// Adds a frame. Returns false if it cannot be decoded and is left out.
    func append(_ frame: FrameMetadata, _ bytes: RawSpan) throws(FrameFileError) -> Bool
    /// Writes what `append` has kept back.
    func flush() throws(FrameFileError)
    /// Makes the file durable under its name, once everything is flushed.
    func finish() throws(FrameFileError)
    /// After `append` or `flush` has failed, cuts off what is incomplete. Returns the number of complete frames.
    func cut() -> Int
    /// Removes the output, as far as possible.
    func discard()
}

extension FrameWriter {
    /// Most write frames as they are.
    func follow(_ planes: SharedPlanes) {}
}

extension MovieKind {
    /// Creates a writer of this kind. With `isGrowing`, the file has its name from its first frame on and is readable
    /// at any time; otherwise it gets its name when it is complete. Throws before anything is allocated if frames are
    /// too large to convert, or if that takes more than `memory` bytes. If `path` is a pipe, waits for its reader until
    /// `isUnwanted` returns true, and then throws `interrupted`.
    func writer(
        _ path: String, _ source: SourceDescription, anchor: WallClockAnchor?, span: Duration?, overwrite: Bool,
        isGrowing: Bool, memory: Int = ThreadPool.physicalMemory,
        unless isUnwanted: () -> Bool
    ) throws(FrameFileError) -> any FrameWriter {
        if self == .mjpg, !source.format.pixelFormat.isJPEG {
            throw .badSettings(
                "\(source.format.pixelFormat) frames are not JPEG",
                hint: "name the file .y4m or .mkv, or choose the camera's format MJPG")
        }
        if !source.format.pixelFormat.isReadable {
            throw .badSettings(
                "\(source.format.pixelFormat) frames cannot be written for other programs",
                hint: "keep them unchanged: record to a .lcap file"
                    + (source.format.pixelFormat == .h264 ? ", or make a movie" : ""))
        }
        try admit(source, memory: memory)
        if self == .frames { return try FrameFolderWriter(path, source.format, overwrite: overwrite) }
        let sink: any RecordingSink =
            OutputTarget(path) == .stream
            ? try StreamSink(path, unless: isUnwanted) : try RecordingFile(path, overwrite: overwrite)
        let file = GrowingFile(sink, isGrowing: isGrowing)
        return switch self {
        case .y4m: Y4MWriter(file, source)
        case .mjpg: JPEGSequenceWriter(file)
        default: MatroskaWriter(file, source, anchor: anchor, span: span)
        }
    }

    /// Throws if frames have to be converted and are too large for that, judged by what the source says of them.
    private func admit(_ source: SourceDescription, memory: Int) throws(FrameFileError) {
        guard converts(source.format) else { return }
        let hint = "keep them unchanged: record to a .lcap file, or write JPEG frames to .mjpg or .mkv"
        if let problem = source.format.problem(for: .png) {
            throw .badFile(source.name, detail: problem.message, hint: hint)
        }
        let needed = Self.conversionPerPixel * source.format.size.area
        guard needed <= memory else {
            throw .badFile(
                source.name,
                detail: "frames of \(source.format.size) need \(needed >> 20) MiB of memory to convert, and "
                    + "\(memory >> 20) MiB are available", hint: hint)
        }
    }

    /// Whether frames of a format are decoded or converted, not copied.
    private func converts(_ format: FrameFormat) -> Bool {
        switch self {
        case .y4m: true
        case .mjpg: false
        case .mkv: MatroskaWriter.code(ofUnchanged: format) == nil
        case .frames: !format.pixelFormat.isJPEG
        }
    }

    /// Bytes per pixel, at most: three each for the decoded frame and for its planes or the PNG file, and six for the
    /// coefficients of progressive JPEG or for the PNG file while it grows.
    private static let conversionPerPixel = 12
}

/// A sink that gets its name either after its first frame, or when everything is written.
final class GrowingFile {
    private let sink: any RecordingSink
    private let isGrowing: Bool
    /// Complete frames, and where the last of them ends.
    private var (frames, end) = (0, 0)

    init(_ sink: any RecordingSink, isGrowing: Bool) { (self.sink, self.isGrowing) = (sink, isGrowing) }

    var byteCount: Int { sink.byteCount }

    func append(_ bytes: [UInt8]) throws(FrameFileError) {
        try bytes.withUnsafeBufferPointer { (bytes) throws(FrameFileError) in
            try sink.append(UnsafeRawBufferPointer(bytes))
        }
    }

    func append(_ bytes: RawSpan) throws(FrameFileError) {
        try bytes.withUnsafeBytes { (bytes) throws(FrameFileError) in try sink.append(bytes) }
    }

    /// Notes that complete frames have been written.
    func endFrames(_ count: Int = 1) throws(FrameFileError) {
        if isGrowing { try sink.takeName() }
        frames += count
        end = sink.byteCount
    }

    func finish() throws(FrameFileError) { try sink.finish() }

    /// Cuts off what is incomplete. Returns the number of complete frames.
    func cut() -> Int {
        // Pipes keep what was written.
        if frames > 0 { try? sink.truncate(to: end) }
        return frames
    }

    func discard() { sink.discard() }
}

/// JPEG frames one after the other, with the Huffman tables they may lack.
final class JPEGSequenceWriter: FrameWriter {
    private let file: GrowingFile

    init(_ file: GrowingFile) { self.file = file }

    var byteCount: Int { file.byteCount }

    func append(_ frame: FrameMetadata, _ bytes: RawSpan) throws(FrameFileError) -> Bool {
        guard frame.isUsable else { return false }
        try file.append(withTables(bytes))
        try file.endFrames()
        return true
    }

    func flush() throws(FrameFileError) {}
    func finish() throws(FrameFileError) { try file.finish() }
    func cut() -> Int { file.cut() }
    func discard() { file.discard() }
}
