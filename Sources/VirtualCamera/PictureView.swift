// SPDX-License-Identifier: MIT
// What of the frames a virtual camera shows, and how: a part of them, mirrored and turned.

import Camera
import LivecapFrames

/// What of each frame a virtual camera shows, and how.
public struct PictureView: Hashable, Sendable {
    /// What makes the pictures upright: they are mirrored first, then turned. A quarter turn exchanges width and height.
    public var mount: CameraMount
    /// The part of the frames, before they are mirrored and turned, that is enlarged to the whole picture; nil for all of
    /// them.
    public var zoom: DigitalZoom?

    /// A view; by default, frames as they are.
    public init(mount: CameraMount = .upright, zoom: DigitalZoom? = nil) { (self.mount, self.zoom) = (mount, zoom) }

    /// Frames as they are.
    public static let whole = PictureView()

    /// The size of pictures of frames of a size.
    func size(of frames: FrameSize) -> FrameSize {
        isOnItsSide ? FrameSize(width: frames.height, height: frames.width) : frames
    }

    /// Whether rows become columns.
    var isOnItsSide: Bool { mount.angle == .quarter || mount.angle == .threeQuarters }
    /// Whether a row of frames is shown from its right end, and a column from its lower one.
    private var isReversed: (across: Bool, down: Bool) {
        let turned = mount.angle == .half || mount.angle == .threeQuarters
        let turnedDown = mount.angle == .half || mount.angle == .quarter
        return (turned != mount.isMirrored, turnedDown)
    }

    /// For each sample across a picture and each down, of which samples of a plane of frames it is made.
    func taps(in plane: Plane, across: Int, down: Int) -> (across: [Tap], down: [Tap]) {
        let part = zoom?.part ?? (x: 0, y: 0, side: 1)
        let alongRows = Tap.line(
            isOnItsSide ? down : across, of: plane.rowBytes, from: part.x, side: part.side, apart: 1,
            isReversed: isReversed.across)
        let alongColumns = Tap.line(
            isOnItsSide ? across : down, of: plane.rows, from: part.y, side: part.side, apart: plane.stride,
            isReversed: isReversed.down)
        return isOnItsSide ? (alongColumns, alongRows) : (alongRows, alongColumns)
    }
}

/// Two neighbours on a line of samples, and how much the second counts, of 256.
struct Tap: Hashable {
    /// How far they are from the plane's beginning.
    let first, second: Int
    let weight: Int

    /// `count` samples that show the part of a line of `total` from the share `start` on, `side` long. Samples of the line
    /// lie `apart` from each other.
    static func line(
        _ count: Int, of total: Int, from start: Double, side: Double, apart: Int, isReversed: Bool
    ) -> [Tap] {
        let taps = (0..<count).map { place in
            // Middles of samples lie half a sample after their edges.
            let position = (start + side * (Double(place) + 0.5) / Double(count)) * Double(total) - 0.5
            let first = position.rounded(.down)
            let clamped = { (index: Int) in min(max(index, 0), total - 1) * apart }
            return Tap(
                first: clamped(Int(first)), second: clamped(Int(first) + 1),
                weight: Int(((position - first) * 256).rounded()))
        }
        return isReversed ? taps.reversed() : taps
    }
}
