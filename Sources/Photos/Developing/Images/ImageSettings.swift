// SPDX-License-Identifier: MIT
// What picture of a photo is asked for: its size, and how the photo fills that.

import LivecapFrames
import LivecapPictures
import LivecapStills

/// How a photo fills a size of another shape.
public enum ContentMode: String, Hashable, Codable, Sendable, CaseIterable {
    /// All of the photo, in a picture of its own shape that the size holds.
    case fit
    /// A picture of the size's shape, filled by the photo. What does not fit is cut off on two sides, equally.
    case fill
}

/// What picture of a photo is asked for. Photos are shown upright, and never enlarged: of one that is smaller than the
/// size, the picture is as large as the photo allows.
public struct ImageSettings: Hashable, Sendable {
    /// The size that the picture is to fill, in pixels.
    public var size: FrameSize
    /// How the photo fills it.
    public var mode: ContentMode
    /// The picture's format: a JPEG file, which has the photo's Exif, or plain samples.
    public var format: PictureFormat

    /// Asks for a picture of a size.
    public init(size: FrameSize, mode: ContentMode = .fit, format: PictureFormat = .jpeg(quality: 90)) {
        self.size = size
        self.mode = mode
        self.format = format
    }

    /// The size of the picture of a photo that is shown in a size.
    public func size(of photo: FrameSize) -> FrameSize {
        let across = Double(size.width) / Double(max(1, photo.width))
        let down = Double(size.height) / Double(max(1, photo.height))
        func scaled(_ length: Int, _ factor: Double) -> Int { max(1, Int((Double(length) * factor).rounded())) }
        switch mode {
        case .fit:
            let factor = min(1, across, down)
            return FrameSize(width: scaled(photo.width, factor), height: scaled(photo.height, factor))
        case .fill:
            let factor = 1 / max(1, across, down)
            return FrameSize(width: scaled(size.width, factor), height: scaled(size.height, factor))
        }
    }

    /// Makes the picture of a picture file, with `metadata` if it is JPEG.
    /// - Throws: `notDecoded`; `badSettings` for a size or a quality that no picture has.
    func picture(
        of file: [UInt8], _ metadata: PhotoMetadata
    ) throws(PhotoError) -> (format: FrameFormat, bytes: [UInt8]) {
        guard size.width > 0, size.height > 0 else {
            throw .badSettings("\(size) is no size of a picture", hint: "choose one from 1x1 on")
        }
        let picture: DecodedPicture
        do throws(StillError) { picture = try DecodedPicture(file) } catch { throw .notDecoded(error) }
        let settings = PictureSettings(
            format: format, size: size(of: picture.orientation.shown(picture.format.size)), fit: .cover,
            view: PictureView(mount: CameraMount(picture.orientation)))
        let converter: PictureConverter
        do throws(PictureError) { converter = try PictureConverter(picture.format, [settings]) } catch {
            throw .badSettings(error.message, hint: error.hint)
        }
        let result = converter.formats[0]
        let isTaken = converter.take(picture.bytes.span.bytes)
        let bytes = [UInt8](unsafeUninitializedCapacity: result.byteCount) { bytes, count in
            count = isTaken ? converter.draw(0, into: UnsafeMutableRawBufferPointer(bytes)) ?? 0 : 0
        }
        guard !bytes.isEmpty else { throw .notDecoded(.undecodable("it is damaged")) }
        guard case .jpeg = format else { return (result, bytes) }
        return (result, metadata.inserted(intoJPEG: bytes.span.bytes))
    }
}
