// SPDX-License-Identifier: MIT
// Writes Matroska (RFC 9559) as a stream: each frame keeps its own time.

import LivecapDeveloping
import LivecapFrameFiles
import LivecapFrames
import LivecapJPEG
import LivecapPictures

/// Writes `.mkv` with one track: `V_MJPEG`, or `V_UNCOMPRESSED` in a format other programs know. It never seeks, so the
/// output can be a pipe, and the file is readable however writing ends. Times have a resolution of a tenth of a
/// millisecond.
final class MatroskaWriter: FrameWriter {
    private let file: GrowingFile
    private let source: SourceDescription
    private let anchor: WallClockAnchor?
    private let span: Duration?
    /// Nil if frames are written unchanged.
    private var converter: PlanarConverter?
    private var firstTime: Timestamp?
    private var lastTick: Int64 = -1
    private var cluster: [UInt8] = []
    private var framesInCluster = 0
    private var clusterTick: Int64 = 0

    /// `span` is the time from the first frame to the last, if known in advance.
    init(_ file: GrowingFile, _ source: SourceDescription, anchor: WallClockAnchor?, span: Duration?) {
        self.file = file
        self.source = source
        self.anchor = anchor
        self.span = span
    }

    var byteCount: Int { file.byteCount + cluster.count }

    func append(_ frame: FrameMetadata, _ bytes: RawSpan) throws(FrameFileError) -> Bool {
        guard frame.isUsable else { return false }
        let isFirst = firstTime == nil
        if isFirst, passThroughCode == nil { converter = try PlanarConverter(recording: source.format, first: bytes) }
        if let converter, !converter.convert(bytes) { return false }
        // Frames with equal or decreasing times are written one tick apart.
        let since = frame.time - (firstTime ?? frame.time)
        let tick = max(lastTick + 1, since.nanoseconds / Self.tick)
        if isFirst {
            firstTime = frame.time
            try file.append(header())
        }
        if isFirst || tick - clusterTick > Self.clusterTicks || cluster.count > Self.clusterBytes {
            try endCluster()
            clusterTick = tick
        }
        lastTick = tick
        let data: [UInt8] =
            if let converter { converter.withSamples { Array($0) } } else if source.format.pixelFormat.isJPEG {
                withTables(bytes)
            } else { bytes.withUnsafeBytes { Array($0.prefix(source.format.neededBytes)) } }
        let relative = UInt16(bitPattern: Int16(tick - clusterTick))
        let head = [0x81, UInt8(relative >> 8), UInt8(relative & 0xFF), 0x80]
        cluster += EBML.id(0xA3) + EBML.size(head.count + data.count) + head
        cluster += data
        framesInCluster += 1
        return true
    }

    func flush() throws(FrameFileError) { try endCluster() }
    func finish() throws(FrameFileError) { try file.finish() }
    func cut() -> Int { file.cut() }
    func discard() { file.discard() }

    private func endCluster() throws(FrameFileError) {
        guard !cluster.isEmpty else { return }
        let time = EBML.element(0xE7, EBML.unsigned(UInt64(clusterTick)))
        try file.append(EBML.id(0x1F43_B675) + EBML.size(time.count + cluster.count) + time)
        try file.append(cluster)
        cluster = []
        try file.endFrames(framesInCluster)
        framesInCluster = 0
    }

    /// Nanoseconds per tick. A block's time within its cluster has 16 bits.
    private static let tick: Int64 = 100_000
    /// The length of a cluster, one second; players seek to clusters.
    private static let clusterTicks: Int64 = 10_000
    private static let clusterBytes = 4 << 20

    /// The code by which other programs know frames of a format, if they are laid out as that code implies; nil if they
    /// are converted.
    static func code(ofUnchanged format: FrameFormat) -> String? {
        if format.pixelFormat.isJPEG { return "MJPG" }
        guard
            format == FrameFormat(pixelFormat: format.pixelFormat, size: format.size, colorimetry: format.colorimetry),
            format.size.width % 2 == 0, format.size.height % 2 == 0
        else { return nil }
        return format.pixelFormat.row?.matroska
    }

    private var passThroughCode: String? { Self.code(ofUnchanged: source.format) }

    private var code: String {
        if let passThroughCode { return passThroughCode }
        return switch converter?.sampling {
        case .s422: "422P"
        case .s444: "444P"
        case .grey: "Y800"
        default: "I420"
        }
    }

    // MARK: Header

    private func header() -> [UInt8] {
        let ebml = EBML.element(
            0x1A45_DFA3,
            EBML.element(0x4286, [1]) + EBML.element(0x42F7, [1]) + EBML.element(0x42F2, [4])
                + EBML.element(0x42F3, [8]) + EBML.element(0x4282, Array("matroska".utf8))
                + EBML.element(0x4287, [4]) + EBML.element(0x4285, [2]))
        // A segment of unknown size: it ends with the file.
        return ebml + EBML.id(0x1853_8067) + [0x01] + [UInt8](repeating: 0xFF, count: 7) + info + tracks
    }

    private var info: [UInt8] {
        var info = EBML.element(0x2AD7B1, EBML.unsigned(UInt64(Self.tick)))
        if let span {
            let last = source.rate?.interval ?? .zero
            info += EBML.element(0x4489, EBML.float(Double((span + last).nanoseconds) / Double(Self.tick)))
        }
        if let anchor, let firstTime {
            let date = anchor.calendar.sinceEpoch + (firstTime - anchor.monotonic) - Self.dateEpoch
            // A file may contain any time: the nanoseconds saturate.
            info += EBML.element(0x4461, EBML.signed(date.nanoseconds))
        }
        info += EBML.element(0x4D80, Array("livecap".utf8)) + EBML.element(0x5741, Array("livecap".utf8))
        return EBML.element(0x1549_A966, info)
    }

    /// 2001-01-01, the epoch of Matroska's dates, since 1970.
    private static let dateEpoch = Duration.nanoseconds(978_307_200_000_000_000)

    private var tracks: [UInt8] {
        let isJPEG = source.format.pixelFormat.isJPEG
        let size = source.format.size
        var video =
            EBML.element(0x9A, [2]) + EBML.element(0xB0, EBML.unsigned(UInt64(size.width)))
            + EBML.element(0xBA, EBML.unsigned(UInt64(size.height)))
        if !isJPEG { video += EBML.element(0x2EB524, Array(code.utf8)) }
        video += EBML.element(0x55B0, colour)
        var track =
            EBML.element(0xD7, [1]) + EBML.element(0x73C5, [1]) + EBML.element(0x83, [1]) + EBML.element(0x9C, [0])
            + EBML.element(0x86, Array((isJPEG ? "V_MJPEG" : "V_UNCOMPRESSED").utf8))
        if let interval = source.rate?.interval {
            track += EBML.element(0x23E383, EBML.unsigned(UInt64(max(1, interval.nanoseconds))))
        }
        track += EBML.element(0xE0, video)
        return EBML.element(0x1654_AE6B, EBML.element(0xAE, track))
    }

    /// The colour element, with the numbers of ITU-T H.273.
    private var colour: [UInt8] {
        let colorimetry = converter?.colorimetry ?? source.format.colorimetry
        let matrix: UInt8 =
            switch colorimetry.matrix {
            case .bt709, .xv709: 1
            case .smpte240m: 7
            case .bt2020: 9
            case .bt2020ConstantLuminance: 10
            default: 6
            }
        return EBML.element(0x55B1, [matrix]) + EBML.element(0x55B9, [colorimetry.range == .full ? 2 : 1])
    }
}

/// A JPEG frame with the Huffman tables it may lack.
func withTables(_ jpeg: RawSpan) -> [UInt8] {
    JPEGStructure.check(jpeg).structure?.hasHuffmanTables == false
        ? StandardHuffmanTables.inserted(into: jpeg) : jpeg.withUnsafeBytes { Array($0) }
}
