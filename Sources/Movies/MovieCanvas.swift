// SPDX-License-Identifier: MIT
// The size and rate of a movie's pictures, which belong to the movie and not to its cameras.

import LivecapFrames
import LivecapPictures

/// The size and rate of a movie's pictures, whatever its cameras deliver.
///
/// Frames of another shape or mount are turned upright and fitted in, between black bars. Where frames are missing,
/// because a camera is gone or another one takes over, the last picture is shown again at the canvas' rate; from a
/// quarter of a second on it is darkened and marked by two bars.
public struct MovieCanvas: Hashable, Codable, Sendable {
    /// The size of the pictures; nil for that of the first camera's, upright.
    public var size: FrameSize?
    /// The rate of the pictures, which they then have exactly: each frame is seen at the nearest of its times, surplus
    /// frames of a faster camera are left out, and where none is there, the last picture is repeated. Nil for frames at
    /// their own times, and the rate of the first camera, or 30 if it has none, where they are missing.
    public var rate: FrameRate?

    /// Creates a canvas; what is left out is the first camera's.
    public init(size: FrameSize? = nil, rate: FrameRate? = nil) { (self.size, self.rate) = (size, rate) }

    /// The canvas with everything that the first source determines. `mount` is how that is mounted, `zoom` enlarges a
    /// part of the frames, and a `date` is drawn over all.
    func resolved(
        for source: SourceDescription, _ mount: CameraMount, _ zoom: DigitalZoom?, date: DateFormat? = nil
    ) -> CanvasShape {
        let upright = PictureView(mount: mount).size(of: source.format.size)
        let size = size ?? upright
        let isFirstSources = size == upright && mount == .upright && zoom == nil && date == nil
        return CanvasShape(
            size: size, rate: rate ?? source.rate ?? FrameRate(30), isFirstSources: isFirstSources,
            crop: zoom.map { PictureCrop($0) }, date: date.map { MovieDate(format: $0, clock: source.frameClock) })
    }
}

/// A canvas with its size and rate.
struct CanvasShape: Hashable, Sendable {
    let size: FrameSize
    let rate: FrameRate
    /// Whether the first source's frames are such pictures.
    let isFirstSources: Bool
    /// The part of the frames that is shown; nil for all of them.
    var crop: PictureCrop?
    /// The date that is drawn; nil for none.
    var date: MovieDate?

    var interval: Duration { rate.interval }
}

/// A date in a movie's pictures.
struct MovieDate: Hashable, Sendable {
    let format: DateFormat
    /// The clock of the movie, which is that of its first source.
    let clock: FrameClock
}
