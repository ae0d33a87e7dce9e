// SPDX-License-Identifier: MIT
// What pictures are made of frames: their format, size and view.

import LivecapFrames

/// The format of pictures made of frames.
public enum PictureFormat: Hashable, Sendable {
    /// 4:2:0 in three planes, as encoders take it.
    case i420
    /// 4:2:0 in two planes, as graphics hardware takes it.
    case nv12
    /// 4:2:0 in two planes with 10 bits per sample, as encoders of HDR take it. Frames of more than 8 bits keep 10 of
    /// them where a picture shows each of their pixels once; where it is scaled, cropped or turned, samples have 8.
    case p010
    /// Packed 4:2:2, as programs expect it from cameras.
    case yuyv
    /// Brightness alone.
    case grey
    /// Three bytes per pixel, red first, as neural networks and toolkits take them.
    case rgb24
    /// Three bytes per pixel, blue first.
    case bgr24
    /// JPEG of a quality from 1 to 100, as browsers take it.
    case jpeg(quality: Int)

    /// The pixel format of such pictures.
    public var pixelFormat: PixelFormat {
        switch self {
        case .i420: .i420
        case .nv12: .nv12
        case .p010: .p010
        case .yuyv: .yuyv
        case .grey: .grey
        case .rgb24: .rgb24
        case .bgr24: .bgr24
        case .jpeg: .jpeg
        }
    }
}

/// How a view of one shape fills a picture of another.
public enum PictureFit: String, Hashable, Codable, Sendable, CaseIterable {
    /// All of the view is shown, between black bars.
    case contain
    /// All of the picture is filled. What does not fit is cut off on two sides, equally.
    case cover
    /// All of the view fills all of the picture, distorted.
    case stretch
}

/// What pictures are made of frames.
public struct PictureSettings: Hashable, Sendable {
    /// The format of the pictures.
    public var format: PictureFormat
    /// Their size; nil for that of the view, which changes with the camera.
    public var size: FrameSize?
    /// Where no size is given, the most pixels that the longer side of a picture has: larger views are made smaller,
    /// and smaller ones stay as they are. Nil for no limit.
    public var longestSide: Int?
    /// How the view fills a picture of another shape.
    public var fit: PictureFit
    /// What of the frames is shown: a part of them, mirrored and turned.
    public var view: PictureView
    /// Which sample values stand for black and white in Y'CbCr and grey pictures; nil for those of the frames. R'G'B'
    /// and JPEG pictures always have the full range.
    public var range: Colorimetry.Range?

    /// Creates settings. By default, pictures show whole frames in their own size.
    public init(
        format: PictureFormat = .i420, size: FrameSize? = nil, fit: PictureFit = .contain, view: PictureView = .whole,
        range: Colorimetry.Range? = nil
    ) {
        self.format = format
        self.size = size
        self.fit = fit
        self.view = view
        self.range = range
    }

    /// Pictures to look at while the camera runs: no larger than a screen shows well, whatever the camera delivers.
    public static func preview(
        format: PictureFormat = .i420, view: PictureView = .whole, range: Colorimetry.Range? = nil
    ) -> PictureSettings {
        var settings = PictureSettings(format: format, view: view, range: range)
        settings.longestSide = 1280
        return settings
    }

    /// The size of pictures of frames of a size.
    func size(of frames: FrameSize) -> FrameSize {
        if let size { return size }
        let whole = view.size(of: frames), side = max(whole.width, whole.height)
        guard let longestSide, side > longestSide else { return whole }
        func scaled(_ length: Int) -> Int { max(1, (length * longestSide + side / 2) / side) }
        return FrameSize(width: scaled(whole.width), height: scaled(whole.height))
    }

    /// The largest picture.
    public static let largest = FrameSize(width: 16384, height: 16384)

    /// The format of the pictures made of frames of `frames`.
    /// - Throws: `unreadable`, `badSize`, `badQuality`.
    public func pictures(of frames: FrameFormat) throws(PictureError) -> FrameFormat {
        guard frames.pixelFormat.isReadable else { throw .unreadable(frames.pixelFormat) }
        let geometry = PictureGeometry(self, of: frames.size)
        for size in [frames.size, geometry.size] {
            guard (1...Self.largest.width).contains(size.width), (1...Self.largest.height).contains(size.height) else {
                throw .badSize(size)
            }
        }
        if case .jpeg(let quality) = format, !(1...100).contains(quality) { throw .badQuality(quality) }
        return FrameFormat(
            pixelFormat: format.pixelFormat, size: geometry.size, colorimetry: colorimetry(of: frames))
    }

    private func colorimetry(of frames: FrameFormat) -> Colorimetry {
        var result = PlanarConverter.colorimetry(of: frames)
        switch format {
        case .rgb24, .bgr24: (result.range, result.matrix) = (.full, .identity)
        case .jpeg: (result.range, result.matrix) = (.full, .bt601)
        case .i420, .nv12, .p010, .yuyv, .grey: result.range = range ?? result.range
        }
        return result
    }
}
