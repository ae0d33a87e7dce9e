// SPDX-License-Identifier: MIT
// Opens any file of frames, with settings for files that do not describe themselves.

import LivecapFrames

/// The user's description of a file that does not describe itself.
public struct ImportSettings: Hashable, Codable, Sendable {
    /// The format of headerless frames.
    public var format: PixelFormat?
    /// The size of headerless frames.
    public var size: FrameSize?
    /// Their rate; 30 if neither the file nor the user specifies it.
    public var rate: FrameRate?
    /// The colorimetry of the samples, if the default guess is wrong.
    public var colorimetry: Colorimetry?

    /// Creates settings from the parts that are known.
    public init(
        format: PixelFormat? = nil, size: FrameSize? = nil, rate: FrameRate? = nil, colorimetry: Colorimetry? = nil
    ) {
        self.format = format
        self.size = size
        self.rate = rate
        self.colorimetry = colorimetry
    }

    /// The default rate for files that do not specify one.
    static let usualRate = FrameRate(30)
}

/// Opens a file of frames: a dump, `.y4m`, concatenated JPEG, Matroska with JPEG, or headerless raw frames. The first
/// bytes of the file decide which. Its name and the settings count only if those bytes are inconclusive.
package func openFrameFile(
    _ path: String, _ settings: ImportSettings = ImportSettings(), unless isUnwanted: () -> Bool = { false }
) throws(FrameFileError) -> any FrameFile {
    let file = try InputFile(path, unless: isUnwanted)
    guard file.byteCount > 0 else {
        throw .badFile(path, detail: "it is empty", hint: "record again; an interrupted copy looks like this too")
    }
    let opened: any FrameFile =
        switch try FrameFileKind(of: file, settings) {
        case .dump: try DumpReader(file)
        case .y4m: try Y4MFile(file, settings)
        case .jpegs: try JPEGSequenceFile(file, settings)
        case .matroska: try MatroskaFile(file, settings)
        case .raw: try RawFile(file, settings)
        }
    // A dump records for each frame whether it is complete, so even a dump of only damaged frames is valid.
    let isWhole = opened is DumpReader || opened.largestFrame >= opened.description.format.leastByteCount
    guard opened.frameCount > 0, isWhole else {
        throw .badFile(
            path, detail: "it holds no complete frame", hint: "it was cut short, or its recording has no frame yet")
    }
    try settings.check(opened.description, of: path)
    return opened
}

extension ImportSettings {
    /// Refuses settings that contradict the file's own description, because they would otherwise be ignored.
    fileprivate func check(_ file: SourceDescription, of path: String) throws(FrameFileError) {
        let own = file.format
        var refused = ImportSettings()
        if let format, format != own.pixelFormat, !(format.isCompressed && own.pixelFormat.isCompressed) {
            refused.format = format
        }
        if let size, size != own.size { refused.size = size }
        if let rate, let stated = file.rate, rate != stated { refused.rate = rate }
        guard refused != ImportSettings() else { return }
        let rate = file.rate.map { " at \($0) fps" } ?? ""
        throw .contradicted(path, own: "\(own.pixelFormat) \(own.size)\(rate)", refused: refused)
    }
}

/// The kind of a file of frames.
private enum FrameFileKind {
    case dump
    case y4m
    case jpegs
    case matroska
    case raw

    init(of file: InputFile, _ settings: ImportSettings) throws(FrameFileError) {
        let beginning = try file.bytes(at: 0, count: 16)
        let dumpMagic = withUnsafeBytes(of: DumpHeader.magic.littleEndian) { Array($0) }
        // The settings declare raw frames only if they name an uncompressed format. Raw frames can begin with any
        // bytes.
        let saysRaw = settings.format.map { !$0.isCompressed } ?? false
        if beginning.starts(with: dumpMagic) {
            self = .dump
        } else if beginning.starts(with: Y4MFile.magic) {
            self = .y4m
        } else if saysRaw {
            self = .raw
        } else if beginning.starts(with: MatroskaFile.magic) {
            self = .matroska
        } else if beginning.starts(with: [0xFF, 0xD8, 0xFF]) || settings.format?.isJPEG == true {
            self = .jpegs
        } else {
            try self.init(named: file.path, beginning)
        }
    }

    /// Decides by the name if the first bytes are inconclusive: either the file is not what its name promises, or it is
    /// raw.
    private init(named path: String, _ beginning: [UInt8]) throws(FrameFileError) {
        let lower = path.lowercased()
        let promised: [(suffix: String, kind: String)] = [
            (".lcap", "a raw frame dump"), (".y4m", "a YUV4MPEG2 file"), (".mjpg", "concatenated JPEG"),
            (".mjpeg", "concatenated JPEG"), (".jpg", "a JPEG"),
        ]
        if let (_, kind) = promised.first(where: { lower.hasSuffix($0.suffix) }) {
            throw .badFile(
                path, detail: "it does not begin like \(kind)", hint: "it is damaged, or not what its name says")
        }
        if [".mp4", ".mkv", ".mov", ".avi", ".webm"].contains(where: { lower.hasSuffix($0) }) {
            throw .badFile(path, detail: "it is a movie", hint: "convert it to frames: ffmpeg -i \(path) frames.y4m")
        }
        self = .raw
    }
}

extension FrameFileError {
    /// The error for frames larger than the reader accepts.
    static func tooLarge(_ format: FrameFormat) -> FrameFileError {
        .badSettings(
            "frames of \(format.size) in \(format.pixelFormat) are larger than \(FrameFormat.maxBytes >> 20) MiB",
            hint: "choose a smaller size")
    }
}

extension FrameRate {
    /// The time of frame `index` in a file at this rate, exact to the nanosecond however long the file is.
    func time(of index: Int) -> Timestamp {
        let (high, low) = UInt64(index).multipliedFullWidth(by: UInt64(denominator) * 1_000_000_000)
        guard high < UInt64(numerator) else { return .distantFuture }
        let nanoseconds = UInt64(numerator).dividingFullWidth((high, low)).quotient
        return Timestamp(nanoseconds: Int64(clamping: nanoseconds))
    }
}

extension FrameMetadata {
    /// The metadata of a frame from a file that stores no metadata.
    init(imported index: Int, rate: FrameRate, byteCount: Int) {
        self.init(
            time: rate.time(of: index), byteCount: byteCount, sequence: UInt32(truncatingIfNeeded: index),
            timeSource: .file, flags: index == 0 ? .firstOfEpoch : [],
            id: FrameID(epoch: 0, counter: UInt64(index)))
    }
}
