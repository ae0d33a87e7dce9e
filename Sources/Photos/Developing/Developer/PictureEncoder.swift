// SPDX-License-Identifier: MIT
// Encodes stills, and single frames as they are, to the bytes of a picture file.

import Fusion
import LivecapFrames
import LivecapJPEG
import LivecapStills
import LivecapThreads

/// Encodes pictures of every format. Each worker has its own.
package struct PictureEncoder: ~Copyable {
    private let source: FrameFormat
    private let pool: any FusionPool
    private let stills: StripedJPEGEncoder
    private var jpeg: JPEGEncoder
    private var decoder: JPEGDecoder
    /// The file that the pictures are made of; nil for frames. A picture then has the file's depth and colours, and its
    /// samples where nothing was drawn.
    var file: FinePicture?

    /// An encoder for pictures of a stream, which uses the threads of `pool`.
    package init(_ source: FrameFormat, _ pool: any FusionPool) throws(PhotoError) {
        do throws(JPEGError) {
            let jpeg = try JPEGEncoder()
            let decoder = try JPEGDecoder()
            stills = try StripedJPEGEncoder()
            self.source = source
            self.pool = pool
            self.jpeg = jpeg
            self.decoder = decoder
        } catch { throw .unprocessed("there is no memory to make pictures") }
    }

    /// Encodes a fused picture.
    package mutating func encode(
        _ picture: FusedPicture, _ settings: PhotoSettings, _ metadata: PhotoMetadata
    ) throws(PhotoError) -> [UInt8] {
        switch settings.format {
        case .png:
            do throws(StillError) {
                return try PNGEncoder(depth: settings.png(of: file)).encode(picture, of: file, metadata: metadata)
            } catch { throw error.photoError(.png) }
        case .heic:
            do throws(StillError) {
                return try settings.heic(of: file).encode(picture, of: file, metadata: metadata)
            } catch { throw error.photoError(.heic) }
        case .jpeg:
            do throws(JPEGError) {
                return try stills.encode(
                    picture, quality: settings.lossyQuality, metadata: metadata, pool: pool)
            } catch { throw .unprocessed(error.reason) }
        }
    }

    /// Encodes a single frame: JPEG frames as they are, with the Huffman tables they may lack; others through R'G'B'.
    package mutating func encode(
        frame bytes: RawSpan, _ settings: PhotoSettings, _ metadata: PhotoMetadata
    ) throws(PhotoError) -> [UInt8] {
        if source.pixelFormat.isJPEG && settings.format == .jpeg {
            let structure = JPEGStructure.check(bytes).structure
            let whole =
                structure?.hasHuffmanTables == false
                ? StandardHuffmanTables.inserted(into: bytes) : bytes.withUnsafeBytes { Array($0) }
            let isAsItCame = metadata.orientation == .up && metadata.contentIdentifier == nil
            return isAsItCame ? whole : metadata.inserted(intoJPEG: whole.span.bytes)
        }
        let pixels = try rgb24(bytes)
        switch settings.format {
        case .png:
            do throws(StillError) {
                return try PNGEncoder(depth: .eight).encode(
                    rgb24: pixels, size: source.size, source.colorimetry, metadata: metadata)
            } catch { throw error.photoError(.png) }
        case .heic:
            do throws(StillError) {
                return try settings.heic().encode(
                    rgb24: pixels, size: source.size, source.colorimetry, metadata: metadata)
            } catch { throw error.photoError(.heic) }
        case .jpeg:
            do throws(JPEGError) {
                return try jpeg.encodeRGB(
                    pixels.span.bytes, size: source.size, sampling: .s422, quality: settings.lossyQuality
                ) { picture in metadata.inserted(intoJPEG: picture) }
            } catch { throw .unprocessed(error.reason) }
        }
    }

    private mutating func rgb24(_ bytes: RawSpan) throws(PhotoError) -> [UInt8] {
        if source.pixelFormat.isJPEG {
            var pixels = [UInt8](repeating: 0, count: 3 * source.size.area)
            var span = pixels.mutableSpan
            do throws(JPEGError) {
                try span.withUnsafeMutableBytes { memory throws(JPEGError) in
                    _ = try decoder.decodeRGB(bytes, size: source.size, into: memory)
                }
            } catch { throw .undecodable(error.reason) }
            return pixels
        }
        guard let converter = PlainConverter(source), let pixels = converter.rgb24(bytes) else {
            throw .unprocessed("\(source.pixelFormat) frames are not read yet")
        }
        return pixels
    }
}

extension PhotoSettings {
    /// The encoder quality for lossy formats.
    fileprivate var lossyQuality: Int { encodeQuality ?? format.usualQuality ?? 100 }

    /// The depth of a PNG file: the one asked for, or the largest that a picture of `file` has use for.
    fileprivate func png(of file: FinePicture?) -> PNGEncoder.Depth {
        if let depth { return depth == .eight ? .eight : .sixteen }
        return file?.bits == 8 ? .eight : .sixteen
    }

    /// The same for HEIC, where only files have 12 bits.
    fileprivate func heic(of file: FinePicture? = nil) -> HEICEncoder {
        let finest: HEICEncoder.Depth =
            switch file?.bits {
            case 8: .eight
            case 11, 12: .twelve
            default: .ten
            }
        let asked: HEICEncoder.Depth? = depth.map { $0 == .eight ? .eight : .ten }
        return HEICEncoder(depth: asked ?? finest, quality: lossyQuality)
    }
}

extension StillError {
    /// The error of a photo of that format which could not be encoded.
    package func photoError(_ format: StillFormat) -> PhotoError {
        switch self {
        case .unencodable(let words): .unprocessed(words)
        case .unavailable(let reason): .noEncoder(format, reason: reason)
        case .undecodable: .notDecoded(self)
        case .noMemory: .unprocessed("there is not enough memory")
        }
    }
}

extension StillFormat {
    /// What loading libheif and all it needs takes of the address space, in bytes (45 MB with Debian 12's).
    private static let librariesOfHEIC = 48 << 20

    /// Why no picture of this format can be encoded on this machine; nil if one can.
    package var lack: PhotoError? {
        do throws(StillError) {
            try checkEncoder()
            return nil
        } catch .noMemory {
            return .tooLittleMemory(needed: Self.librariesOfHEIC, there: AddressSpace.room(besideThreads: 0))
        } catch { return error.photoError(self) }
    }
}
