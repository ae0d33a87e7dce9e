// SPDX-License-Identifier: MIT
// Decodes one stream of H.264 or HEVC, frame by frame, into pictures of plain samples.

import LivecapCMovies
import LivecapFrames

/// libavcodec's decoder of one stream. Used by one thread at a time.
///
/// It uses the caller's thread alone and holds no picture back, unless the stream itself says that pictures come out of
/// order. It allocates nothing per frame; libavcodec does: it copies each frame's bytes into memory that it allocates
/// anew, and takes the memory of pictures from a pool of its own.
final class VideoDecoder {
    /// The format of the pictures: I420, in the stream's size and colours.
    let format: FrameFormat
    private let library: VideoLibrary
    private let decoder: OpaquePointer
    private let compressed: PixelFormat
    private var picture = lc_decoded()
    /// Samples of one range in the other.
    private let ranges: RangeTables

    /// Opens a decoder of frames of `compressed`.
    /// - Throws: `noDecoder`.
    init(_ compressed: FrameFormat) throws(CameraError) {
        let pixelFormat = compressed.pixelFormat
        let library = try VideoLibrary(for: pixelFormat)
        var why = [CChar](repeating: 0, count: 256)
        var opened: OpaquePointer?
        let name = pixelFormat == .hevc ? "hevc" : "h264"
        guard lc_decoder_open(library.functions, name, &opened, &why, why.count) >= 0, let opened else {
            throw .noDecoder(pixelFormat, detail: "FFmpeg's decoder \(name): \(VideoLibrary.text(why))")
        }
        self.library = library
        decoder = opened
        self.compressed = pixelFormat
        format = FrameFormat(pixelFormat: .i420, size: compressed.size, colorimetry: compressed.colorimetry)
        ranges = RangeTables(to: compressed.colorimetry.range)
    }

    deinit { lc_decoder_close(decoder) }

    /// What the bytes of a frame are.
    func content(of bytes: UnsafeRawBufferPointer) -> VideoFrame { VideoFrame(bytes, of: compressed) }

    /// Forgets all pictures, but not the stream's parameters.
    func forgetPictures() { lc_decoder_flush(decoder) }

    /// Takes a frame, whose `number` comes back with its picture. Returns false if it cannot be decoded. One that
    /// `beginsUnannounced` is the first of H.264 after all pictures were forgotten, and does not say so; only then does
    /// this allocate.
    func send(_ bytes: UnsafeRawBufferPointer, number: Int64, beginsUnannounced: Bool = false) -> Bool {
        let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        return beginsUnannounced
            ? lc_decoder_begin(decoder, start, bytes.count, number) >= 0
            : lc_decoder_send(decoder, start, bytes.count, number) >= 0
    }

    /// The next picture.
    enum Next: Hashable {
        /// That of the frame with this number. It stays until the next call.
        case picture(Int64)
        /// None of the frames so far.
        case none
        /// One that is not whole, or cannot be stored: that of the frame with this number.
        case damaged(Int64)
        /// Decoding failed.
        case failed
    }

    /// Fetches the next picture.
    func next() -> Next {
        let result = lc_decoder_receive(decoder, &picture)
        guard result != 0 else { return .none }
        guard result > 0 else { return .failed }
        let isFitting = !picture.is_other && hasSize
        return picture.is_damaged || !isFitting ? .damaged(picture.number) : .picture(picture.number)
    }

    /// Whether the last picture has the size of the format, or that rounded up to whole blocks: some cameras do not say
    /// that the last lines or columns of the blocks are no part of the picture.
    private var hasSize: Bool {
        isFitting(Int(picture.width), format.size.width) && isFitting(Int(picture.height), format.size.height)
    }

    /// Blocks are of 16 samples in H.264, and of 8 to 64 in HEVC.
    private func isFitting(_ coded: Int, _ asked: Int) -> Bool {
        coded == asked || coded > asked && coded - asked < (compressed == .hevc ? 64 : 16) && coded % 8 == 0
    }

    /// Why the last picture can be decoded and yet not be stored; nil if it can be.
    var refusal: String? {
        if picture.is_other { return "its \(compressed) has other samples than 4:2:0 with 8 bits" }
        guard !hasSize else { return nil }
        return "its \(compressed) shows pictures of \(picture.width)x\(picture.height) instead of \(format.size)"
    }

    /// Copies the last picture into a slot of at least `format.byteCount` bytes: of one that is larger, the upper left
    /// part.
    func store(into bytes: UnsafeMutableRawBufferPointer) {
        var place = 0
        for plane in 0..<3 {
            let isLuma = plane == 0
            let width = isLuma ? format.size.width : (format.size.width + 1) / 2
            let rows = isLuma ? format.size.height : (format.size.height + 1) / 2
            guard let source = planes(plane) else { return }
            for row in 0..<rows {
                let from = UnsafeRawBufferPointer(start: source + row * strides(plane), count: width)
                let to = UnsafeMutableRawBufferPointer(rebasing: bytes[place..<place + width])
                to.copyMemory(from: from)
                place += width
            }
        }
        // What the stream says of its range counts, and the ring's frames have one range for good.
        if let said = Colorimetry.Range(rawValue: UInt8(clamping: picture.range)) {
            ranges.convert(bytes, lumaCount: format.size.area, count: place, from: said)
        }
    }

    private func planes(_ plane: Int) -> UnsafePointer<UInt8>? {
        switch plane {
        case 0: picture.planes.0
        case 1: picture.planes.1
        default: picture.planes.2
        }
    }

    private func strides(_ plane: Int) -> Int {
        switch plane {
        case 0: Int(picture.strides.0)
        case 1: Int(picture.strides.1)
        default: Int(picture.strides.2)
        }
    }
}

/// Samples of one range in the other, rounded to the nearest.
struct RangeTables {
    private let range: Colorimetry.Range
    private let luma: [UInt8]
    private let chroma: [UInt8]

    /// Tables for samples in the other range than `range`.
    init(to range: Colorimetry.Range) {
        self.range = range
        luma = (0...255).map { value in
            range == .limited
                ? UInt8(16 + (Int(value) * 219 + 127) / 255)
                : UInt8(clamping: ((Int(value) - 16) * 255 + (value < 16 ? -109 : 109)) / 219)
        }
        chroma = (0...255).map { value in
            let (up, down) = range == .limited ? (224, 255) : (255, 224)
            let difference = (Int(value) - 128) * up
            return UInt8(clamping: 128 + (difference + (difference < 0 ? -down / 2 : down / 2)) / down)
        }
    }

    /// Converts a picture in place, if it is in another range.
    func convert(_ bytes: UnsafeMutableRawBufferPointer, lumaCount: Int, count: Int, from other: Colorimetry.Range) {
        guard other != range else { return }
        luma.withUnsafeBufferPointer { luma in
            for place in 0..<lumaCount { bytes[place] = luma[Int(bytes[place])] }
        }
        chroma.withUnsafeBufferPointer { chroma in
            for place in lumaCount..<count { bytes[place] = chroma[Int(bytes[place])] }
        }
    }
}
