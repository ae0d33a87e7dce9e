// SPDX-License-Identifier: MIT
// What of the frames a picture shows, and how: a part of them, mirrored and turned.

import LivecapFrames

/// What of each frame a picture shows, and how.
public struct PictureView: Hashable, Sendable {
    /// What makes the pictures upright: they are mirrored first, then turned. A quarter turn exchanges width and
    /// height.
    public var mount: CameraMount
    /// The part of the frames, before they are mirrored and turned, that is shown; nil for all of them.
    public var crop: PictureCrop?
    /// The date that is drawn at the lower left of what is shown, after all else; nil for none.
    public var date: PictureDate?

    /// A view; by default, frames as they are.
    public init(mount: CameraMount = .upright, crop: PictureCrop? = nil, date: PictureDate? = nil) {
        self.mount = mount
        self.crop = crop
        self.date = date
    }

    /// A view of the part that a zoom enlarges.
    public init(mount: CameraMount = .upright, zoom: DigitalZoom) {
        self.init(mount: mount, crop: PictureCrop(zoom))
    }

    /// Frames as they are.
    public static let whole = PictureView()

    /// The size at which a view of frames of a size shows each pixel once.
    package func size(of frames: FrameSize) -> FrameSize {
        let width = Int((Double(frames.width) * (crop?.width ?? 1)).rounded())
        let height = Int((Double(frames.height) * (crop?.height ?? 1)).rounded())
        return isOnItsSide
            ? FrameSize(width: max(1, height), height: max(1, width))
            : FrameSize(width: max(1, width), height: max(1, height))
    }

    /// Whether rows become columns.
    var isOnItsSide: Bool { mount.angle == .quarter || mount.angle == .threeQuarters }
}

/// The date and time at which a frame was taken, drawn into its picture.
public struct PictureDate: Hashable, Sendable {
    /// How it is written.
    public var format: DateFormat
    /// How pictures are mirrored and turned when they are shown. The date is drawn to be upright then.
    public var mount: CameraMount

    /// A date; by default, in pictures that are shown as they are.
    public init(_ format: DateFormat, shownAs mount: CameraMount = .upright) {
        self.format = format
        self.mount = mount
    }
}

/// A part of a frame, as shares of its width and height: 0 is at the left and the top, 1 at the right and the bottom.
public struct PictureCrop: Hashable, Sendable {
    /// The left and top edges.
    public let x, y: Double
    /// The width and height.
    public let width, height: Double

    /// A part of a frame. Nil unless it has an area and lies in the frame.
    public init?(x: Double, y: Double, width: Double, height: Double) {
        guard width > 0, height > 0, x >= 0, y >= 0, x + width <= 1, y + height <= 1 else { return nil }
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The part that a zoom enlarges.
    public init(_ zoom: DigitalZoom) {
        let part = zoom.part
        x = part.x
        y = part.y
        width = part.side
        height = part.side
    }
}
