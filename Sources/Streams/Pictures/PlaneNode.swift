// SPDX-License-Identifier: MIT
// One plane that pictures are made of, which is drawn once a frame and may serve several of them.

import LivecapFrames

/// What a plane shows. Pictures with equal planes share them.
struct PlaneKey: Hashable {
    /// 0 for brightness, 1 for Cb, 2 for Cr.
    let component: Int
    /// The part of the frame, and how it is mirrored and turned.
    let part: PixelRect
    let mount: CameraMount
    /// The plane's size, upright.
    let size: FrameSize
    /// Which levels stand for black and white.
    let range: Colorimetry.Range
}

/// A plane of pictures, drawn at most once a frame: from the smallest plane of the same view that was drawn before it
/// and is no smaller, else from the frame itself. Used by one thread.
final class PlaneNode {
    let key: PlaneKey
    /// Where the plane of the present frame is; nil until it is drawn.
    private(set) var drawn: PlaneTarget?
    /// From the frame's own plane.
    private let scaler: PlaneScaler
    private let levels: [UInt8]?
    /// Larger planes of the same view, the smallest first, and how they become this one.
    private var parents: [(node: PlaneNode, scaler: PlaneScaler)] = []

    /// A plane made of a frame's plane of `columns` by `rows` samples, each of which `shared` pixels of the frame
    /// share.
    init(
        _ key: PlaneKey, of columns: Int, _ rows: Int, shared: (across: Double, down: Double),
        from range: Colorimetry.Range
    ) {
        self.key = key
        let part = key.part.shared(shared.across, shared.down).reachingEdges(of: columns, rows)
        scaler = PlaneScaler(part, of: columns, rows, to: Self.size(before: key.mount, key.size))
        levels = key.range == range ? nil : LevelTable.levels(to: key.range, isChroma: key.component > 0)
    }

    /// Adds a plane that this one may be made of.
    func mayFollow(_ larger: PlaneNode) {
        let (own, other) = (key, larger.key)
        guard own != other, own.component == other.component, own.part == other.part, own.mount == other.mount,
            own.range == other.range, other.size.width >= own.size.width, other.size.height >= own.size.height
        else { return }
        let whole = PixelRect(x: 0, y: 0, width: Double(other.size.width), height: Double(other.size.height))
        parents.append((larger, PlaneScaler(whole, of: other.size.width, other.size.height, to: own.size)))
        parents.sort { $0.node.key.size.area < $1.node.key.size.area }
    }

    /// Forgets the last frame.
    func forget() { drawn = nil }

    /// Draws the plane to rows without gaps between their samples, `stride` bytes apart. Unless it `isKept` there as it
    /// is, no other picture is made of it.
    func draw(_ frame: PlaneSource, to start: UnsafeMutablePointer<UInt8>, stride: Int, isKept: Bool) {
        let target = PlaneTarget(start: start, along: 1, down: stride)
        defer { if isKept { drawn = drawn ?? target } }
        if let drawn {
            for y in 0..<key.size.height {
                (start + y * stride).update(from: drawn.start + y * drawn.down, count: key.size.width)
            }
        } else if let (node, scaler) = parents.first(where: { $0.node.drawn != nil }) {
            let parent = node.drawn!
            scaler.draw(PlaneSource(start: parent.start, stride: parent.down), to: target, levels: nil)
        } else {
            let turned = Self.turned(target, by: key.mount, key.size)
            guard let levels else { return scaler.draw(frame, to: turned, levels: nil) }
            levels.withUnsafeBufferPointer { scaler.draw(frame, to: turned, levels: $0.baseAddress) }
        }
    }

    /// The size of a plane before it is mirrored and turned.
    private static func size(before mount: CameraMount, _ size: FrameSize) -> FrameSize {
        switch mount.angle {
        case .none, .half: size
        case .quarter, .threeQuarters: FrameSize(width: size.height, height: size.width)
        }
    }

    /// Where samples go so that a plane is mirrored and turned. `size` is that of the result.
    private static func turned(_ target: PlaneTarget, by mount: CameraMount, _ size: FrameSize) -> PlaneTarget {
        let before = Self.size(before: mount, size)
        func place(_ x: Int, _ y: Int) -> Int {
            let x = mount.isMirrored ? before.width - 1 - x : x
            let (column, row) =
                switch mount.angle {
                case .none: (x, y)
                case .quarter: (before.height - 1 - y, x)
                case .half: (before.width - 1 - x, before.height - 1 - y)
                case .threeQuarters: (y, before.width - 1 - x)
                }
            return column * target.along + row * target.down
        }
        return PlaneTarget(
            start: target.start + place(0, 0), along: place(1, 0) - place(0, 0), down: place(0, 1) - place(0, 0))
    }
}

/// Levels of one range in another.
enum LevelTable {
    /// Full range as limited, or the other way round.
    static func levels(to range: Colorimetry.Range, isChroma: Bool) -> [UInt8] {
        let (steps, zero) = isChroma ? (224.0, 128.0) : (219, 16)
        let fullZero = isChroma ? 128.0 : 0
        return (0...255).map { level in
            let value =
                range == .limited
                ? (Double(level) - fullZero) * steps / 255 + zero : (Double(level) - zero) * 255 / steps + fullZero
            return UInt8(min(max(value.rounded(), 0), 255))
        }
    }
}
