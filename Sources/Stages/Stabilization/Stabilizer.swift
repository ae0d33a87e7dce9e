// SPDX-License-Identifier: MIT
// Frames in, steadied pictures out.

import Fusion
import LivecapFrames
import LivecapPictures

/// Steadies a stream of frames in planes. It owns its working memory: no frame allocates any.
///
/// Frames are added one by one. Each is kept until enough of what follows is known, and then drawn. The same frames
/// give the same pictures, to the bit, on every machine.
package final class Stabilizer {
    /// The size of frames and pictures.
    package let size: FrameSize
    /// How many frames are added before the first is drawn.
    package var delay: Int { path.lookAhead }
    /// The number of bytes of a frame, and of a picture.
    package let byteCount: Int
    private let places: [Plane]
    private let shares: [(across: Int, down: Int)]
    /// The planes of each frame that is kept.
    private let slots: [[SamplePlane]]
    private let tracker: PictureTracker
    private let painter: ViewPainter
    private var path: CameraPath
    /// The number of frames added, and drawn.
    private var added = 0
    private var drawn = 0

    /// How far ahead is looked, if at all.
    private static let lookAhead = Duration.milliseconds(800), mostAhead = 32
    /// A frame that shows more of a shift than this, as a share of its width, or that is turned or enlarged by more,
    /// begins another path.
    private static let mostShift: Float = 0.2, mostTurn: Float = 0.1

    /// Steadies frames of `size`, with chroma sampled so, that come at `rate`. `mode` is not `off`.
    /// - Throws: `unsupportedLevel` if the environment names an unknown level of kernels.
    package init(
        _ size: FrameSize, _ sampling: PlanarSampling, at rate: FrameRate?, _ mode: StabilizationMode,
        level: KernelLevel? = nil, pool: any FusionPool = CallersThread()
    ) throws(FusionError) {
        self.size = size
        places = sampling.planes(size)
        byteCount = places.last!.end
        let shared = sampling.shared ?? (1, 1)
        shares = places.indices.map { $0 == 0 ? (1, 1) : shared }
        path = CameraPath(size, lookAhead: Self.ahead(mode, rate))
        tracker = try PictureTracker(size, level: level, pool: pool)
        painter = try ViewPainter(width: size.width, level: level)
        let sizes = places.map { FrameSize(width: $0.rowBytes, height: $0.rows) }
        let memory = PlaneMemory(
            (0...path.lookAhead).flatMap { _ in sizes.map { SamplePlane.bytes($0) } })
        slots = (0...path.lookAhead).map { _ in sizes.map { SamplePlane($0, in: memory) } }
    }

    /// Bytes of the frames that wait to be drawn.
    static func memory(
        _ size: FrameSize, _ sampling: PlanarSampling, at rate: FrameRate?, _ mode: StabilizationMode
    ) -> Int {
        let planes = sampling.planes(size).map { FrameSize(width: $0.rowBytes, height: $0.rows) }
        return (1 + ahead(mode, rate)) * planes.reduce(0) { $0 + SamplePlane.bytes($1) }
    }

    /// How many frames a mode looks ahead.
    static func ahead(_ mode: StabilizationMode, _ rate: FrameRate?) -> Int {
        guard mode == .cinematic else { return 0 }
        let interval = (rate ?? FrameRate(30)).interval
        return min(mostAhead, max(4, Int((lookAhead / interval).rounded())))
    }

    /// Adds a frame: its planes, one after the other without padding. At most `delay` frames may be waiting. `begins`
    /// says that it has nothing to do with the one before.
    package func add(_ samples: RawSpan, begins: Bool = false) {
        precondition(samples.byteCount >= byteCount, "a frame needs more bytes")
        precondition(added - drawn <= delay, "the oldest frame has to be drawn first")
        if begins { tracker.forget() }
        samples.withUnsafeBytes { bytes in
            for (plane, place) in zip(slots[added % slots.count], places) {
                for y in 0..<place.rows {
                    UnsafeMutableRawPointer(plane.row(y)).copyMemory(
                        from: bytes.baseAddress! + place.offset + y * place.stride, byteCount: place.rowBytes)
                }
                plane.fillMargins()
            }
        }
        // The frame has enough bytes.
        let found = (try? tracker.follow(samples)) ?? .unknown
        path.add(motion(found))
        added += 1
    }

    private func motion(_ found: PictureTracker.Motion) -> AffineMotion? {
        let still = AffineMotion(width: places[0].rowBytes, height: places[0].rows)
        switch found {
        case .begins: return nil
        case .unknown: return still
        case .moved(let motion):
            let shift = max(abs(motion.shiftX), abs(motion.shiftY))
            let turn = max(abs(motion.xx), abs(motion.xy), abs(motion.yx), abs(motion.yy))
            let isUsual = shift <= Self.mostShift * Float(places[0].rowBytes) && turn <= Self.mostTurn
            return isUsual ? motion : nil
        }
    }

    /// Draws the oldest frame that is not drawn yet, if enough of what follows is known, or if nothing does (`isOver`).
    /// Returns what its pixels show of the frame; nil if there is no picture for now.
    @discardableResult
    package func draw(into out: UnsafeMutableRawBufferPointer, isOver: Bool = false) -> AffineMotion? {
        guard path.isReady(isOver: isOver) else { return nil }
        precondition(out.count >= byteCount, "a picture needs more bytes")
        let view = path.next()
        let bytes = out.baseAddress!.assumingMemoryBound(to: UInt8.self)
        for (index, plane) in slots[drawn % slots.count].enumerated() {
            let motion = view.inPlane(shares[index].across, shares[index].down)
            painter.draw(plane, motion, into: bytes + places[index].offset)
        }
        drawn += 1
        return view
    }
}
