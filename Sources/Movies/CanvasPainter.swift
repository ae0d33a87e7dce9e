// SPDX-License-Identifier: MIT
// Fits frames of any source into pictures of one size and format.

import LivecapFrames
import LivecapPictures

/// Turns frames upright and fits them into pictures of one size. Used by one thread.
final class CanvasPainter {
    /// The last picture.
    let picture: UnsafeMutableRawBufferPointer
    private let settings: PictureSettings
    private let colorimetry: Colorimetry
    private let crop: PictureCrop?
    private let date: MovieDate?
    private var converter: PictureConverter?
    private var stream: SharedPlanes?
    private var recolouring: Recolouring?
    private let planes: [Plane]
    /// Whether the next frame may leave other parts of the picture black than the last one.
    private var isOther = false

    /// Pictures of `size`; those in planes get the range and matrix of `colorimetry`. They show all of the frames, or
    /// the part `crop`, and over it the `date`.
    init(
        _ size: FrameSize, _ format: PictureFormat, _ colorimetry: Colorimetry, crop: PictureCrop? = nil,
        date: MovieDate? = nil
    ) {
        self.crop = crop
        self.date = date
        self.colorimetry = colorimetry
        settings = PictureSettings(format: format, size: size, fit: .contain, range: colorimetry.range)
        let frames = FrameFormat(pixelFormat: format.pixelFormat, size: size, colorimetry: colorimetry)
        planes = format == .i420 ? frames.planes : []
        picture = .allocate(byteCount: frames.byteCount, alignment: 64)
        PictureConverter.clear(picture, frames)
    }

    deinit { picture.deallocate() }

    /// The JPEG frames that follow are of the stream of `planes`.
    func follow(_ planes: SharedPlanes) {
        stream = planes
        converter?.follow(planes)
    }

    /// Takes frames of a format from now on, which are mounted so. Frames that cannot be read are left out.
    func show(_ frames: FrameFormat, _ mount: CameraMount) {
        var settings = settings
        settings.view = PictureView(mount: mount, crop: crop, date: date.map { PictureDate($0.format) })
        converter = try? PictureConverter(frames, [settings], of: stream, clock: date?.clock ?? .machine)
        isOther = true
        recolouring =
            planes.isEmpty
            ? nil
            : Recolouring(
                from: PlanarConverter.colorimetry(of: frames).matrix, to: colorimetry.matrix, range: colorimetry.range)
    }

    /// Draws the picture of a frame, and returns the number of its bytes. Nil if the frame cannot be decoded.
    func draw(_ bytes: RawSpan, of frame: FrameMetadata) -> Int? {
        guard let converter, converter.take(bytes, frame.id) else { return nil }
        // Not before: the last picture may be shown again until then.
        if isOther { PictureConverter.clear(picture, converter.formats[0]) }
        isOther = false
        guard let count = converter.draw(0, into: picture, at: frame.time) else { return nil }
        if let recolouring {
            recolouring.convert(picture.assumingMemoryBound(to: UInt8.self).baseAddress!, planes)
        }
        return count
    }
}
