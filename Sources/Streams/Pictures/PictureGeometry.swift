// SPDX-License-Identifier: MIT
// Which part of a frame is drawn where in a picture.

import LivecapFrames

/// A rectangle in pixels.
struct PixelRect: Hashable {
    var x, y, width, height: Double

    /// The same in samples that `across` by `down` pixels share.
    func shared(_ across: Double, _ down: Double) -> PixelRect {
        PixelRect(x: x / across, y: y / down, width: width / across, height: height / down)
    }

    /// The same with a last chroma sample that only one column or row of pixels shares as a whole.
    func reachingEdges(of columns: Int, _ rows: Int) -> PixelRect {
        var rect = self
        if Double(columns) - (x + width) <= 0.5 { rect.width = Double(columns) - x }
        if Double(rows) - (y + height) <= 0.5 { rect.height = Double(rows) - y }
        return rect
    }
}

/// A rectangle of whole pixels in a picture.
struct PictureRect: Hashable {
    var x, y, width, height: Int

    /// The same in samples that `across` by `down` pixels share. It begins at a multiple of them.
    func shared(_ across: Int, _ down: Int) -> PictureRect {
        PictureRect(
            x: x / across, y: y / down, width: (width + across - 1) / across, height: (height + down - 1) / down)
    }
}

/// Which part of a frame is drawn where in a picture.
struct PictureGeometry: Hashable {
    /// The picture's size.
    let size: FrameSize
    /// The part of the frame, before it is mirrored and turned.
    let part: PixelRect
    /// Where in the picture it is. Black bars beside it have an even width.
    let place: PictureRect
    /// How the part is mirrored and turned.
    let mount: CameraMount

    init(_ settings: PictureSettings, of frames: FrameSize) {
        let crop = settings.view.crop
        let (width, height) = (Double(frames.width), Double(frames.height))
        var part = PixelRect(
            x: (crop?.x ?? 0) * width, y: (crop?.y ?? 0) * height, width: (crop?.width ?? 1) * width,
            height: (crop?.height ?? 1) * height)
        let isOnItsSide = settings.view.isOnItsSide
        let view = isOnItsSide ? (width: part.height, height: part.width) : (width: part.width, height: part.height)
        let size = settings.size(of: frames)
        var place = PictureRect(x: 0, y: 0, width: size.width, height: size.height)
        // How many times wider or higher the view is than the picture.
        let ratio = (view.width / view.height) / (Double(size.width) / Double(max(1, size.height)))
        // Bars or cuts of less than a pixel are none.
        let excess = ratio > 1 ? Double(size.height) * (1 - 1 / ratio) : Double(size.width) * (1 - ratio)
        if excess >= 1 {
            switch settings.fit {
            case .stretch: break
            case .contain where ratio > 1: place.reduceHeight(to: Double(size.height) / ratio)
            case .contain: place.reduceWidth(to: Double(size.width) * ratio)
            case .cover:
                // The cut is across the view, so across or along the rows of the frame.
                let isCutAcross = (ratio > 1) != isOnItsSide
                let kept = ratio > 1 ? 1 / ratio : ratio
                if isCutAcross {
                    part.x += part.width * (1 - kept) / 2
                    part.width *= kept
                } else {
                    part.y += part.height * (1 - kept) / 2
                    part.height *= kept
                }
            }
        }
        self.size = size
        self.part = part
        self.place = place
        mount = settings.view.mount
    }

    /// What draws a date into such pictures; nil without one. The place is drawn anew for each picture, so nothing is
    /// left of the last date.
    func stamp(_ date: PictureDate?, of clock: FrameClock) -> DateStamp? {
        guard let date else { return nil }
        let area = PixelArea(x: place.x, y: place.y, width: place.width, height: place.height)
        return DateStamp(date.format, of: clock, in: area, seenAs: date.mount)
    }

    /// Whether rows become columns.
    var isOnItsSide: Bool { mount.angle == .quarter || mount.angle == .threeQuarters }
}

extension PictureRect {
    /// Bars of whole chroma samples above and below.
    fileprivate mutating func reduceHeight(to height: Double) {
        let bar = Int(((Double(self.height) - height) / 4).rounded()) * 2
        (y, self.height) = (bar, max(1, self.height - 2 * bar))
    }

    /// Bars of whole chroma samples at the sides.
    fileprivate mutating func reduceWidth(to width: Double) {
        let bar = Int(((Double(self.width) - width) / 4).rounded()) * 2
        (x, self.width) = (bar, max(1, self.width - 2 * bar))
    }
}
