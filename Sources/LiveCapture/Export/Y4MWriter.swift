// SPDX-License-Identifier: MIT
// Writes YUV4MPEG2: a header line of text, then frames of planar samples, each after a short line of its own.

import LivecapFrameFiles
import LivecapFrames
import LivecapPictures

/// Writes `.y4m`. The format has a constant rate, so missing frames make the recording shorter.
final class Y4MWriter: FrameWriter {
    private let file: GrowingFile
    private let source: SourceDescription
    private let reader = PlaneReader()
    private var converter: PlanarConverter?

    init(_ file: GrowingFile, _ source: SourceDescription) { (self.file, self.source) = (file, source) }

    var byteCount: Int { file.byteCount }

    func append(_ frame: FrameMetadata, _ bytes: RawSpan) throws(FrameFileError) -> Bool {
        guard frame.isUsable else { return false }
        if converter == nil {
            guard let made = try PlanarConverter(recording: source.format, first: bytes, by: reader) else {
                return false
            }
            try file.append(Self.header(source, made.sampling, made.colorimetry))
            converter = made
        }
        guard let converter, converter.convert(bytes, frame.id) else { return false }
        try file.append(Array("FRAME\n".utf8))
        try converter.withSamples { (samples) throws(FrameFileError) in try file.append(samples.bytes) }
        try file.endFrames()
        return true
    }

    func follow(_ planes: SharedPlanes) { reader.follow(planes) }
    func flush() throws(FrameFileError) {}
    func finish() throws(FrameFileError) { try file.finish() }
    func cut() -> Int { file.cut() }
    func discard() { file.discard() }

    private static func header(
        _ source: SourceDescription, _ sampling: PlanarSampling, _ colorimetry: Colorimetry
    ) -> [UInt8] {
        let rate = source.rate ?? FrameRate(30)
        let space =
            switch sampling {
            case .s420: "420jpeg"
            case .s422: "422"
            case .s444: "444"
            case .grey: "mono"
            }
        let range = colorimetry.range == .full ? "FULL" : "LIMITED"
        let size = source.format.size
        return Array(
            ("YUV4MPEG2 W\(size.width) H\(size.height) F\(rate.numerator):\(rate.denominator) Ip A1:1 C\(space) "
                + "XCOLORRANGE=\(range)\n").utf8)
    }
}
