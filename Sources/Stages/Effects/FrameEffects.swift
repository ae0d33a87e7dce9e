// SPDX-License-Identifier: MIT
// Draws effects into frames of any format.

import Fusion
import LivecapDetection
import LivecapFrames
import LivecapPictures

/// Decodes frames and draws effects into them: pictures are planes of 4:2:0, whatever the frames are. Used by one
/// thread.
package final class FrameEffects {
    /// The format of the pictures.
    package let format: FrameFormat
    private let frames: FrameFormat
    private let effects: PictureEffects
    /// Made with the first frame that can be decoded, which shows how chroma is shared.
    private var stage: (converter: PlanarConverter, folding: PlaneFolding)?
    private let reader = PlaneReader()
    private var waiting: FrameMetadata?
    private var last: FrameMetadata?

    /// A frame that comes later than this after the one before has nothing to do with it.
    private static let longGap = Duration.seconds(1)

    private let board: EffectBoard
    /// What the board had last.
    private var settings = EffectSettings()
    /// The number of the last reaction that was begun.
    private var lastCall: UInt64 = 0
    /// Nil if nobody waits for pictures: all are then drawn with full effort.
    private var meter: EffortMeter?

    /// Draws into frames of a format what is on a board, as it changes.
    /// - Throws: what prevents a net from being loaded that is needed from the beginning.
    package init(
        _ frames: FrameFormat, _ board: EffectBoard, by nets: LazyNets, _ level: KernelLevel
    ) throws(NetError) {
        self.frames = frames
        self.board = board
        format = PlaneFolding.pictures(of: frames)
        effects = PictureEffects(PictureKind(format.size, format.colorimetry, level), nets)
        settings = board.settings
        board.countDrawers(by: 1)
        try effects.use(settings)
    }

    deinit {
        board.report(nil, by: ObjectIdentifier(self))
        board.countDrawers(by: -1)
    }

    /// Draws with less effort if that is needed to keep up with a camera, or while the machine `isUnderPressure`, and
    /// tells the board. `clock`: time that passes while it draws.
    package func keepUp(by clock: @escaping () -> Timestamp, isUnderPressure: @escaping () -> Bool) {
        meter = EffortMeter(clock, isUnderPressure: isUnderPressure)
    }

    /// So many frames were passed over before the next one, because drawing took too long.
    package func passOver(_ count: Int) { meter?.pass(count) }

    /// The JPEG frames that follow are of the stream of `planes`, and decoded together with its other readers.
    package func follow(_ planes: SharedPlanes?) { reader.follow(planes) }

    /// The next frame has nothing to do with those before.
    package func forgetFrames() {
        waiting = nil
        last = nil
        meter?.forget()
        board.report(nil, by: ObjectIdentifier(self))
    }

    /// Adds a frame. The picture of the one before has been drawn. Returns false if it cannot be decoded.
    package func add(_ frame: FrameMetadata, _ bytes: RawSpan) -> Bool {
        meter?.begin()
        if stage == nil, let converter = try? PlanarConverter(frames, first: bytes, by: reader) {
            stage = (converter, PlaneFolding(converter.sampling, frames.size, to: format.size))
        }
        guard let (converter, folding) = stage, converter.convert(bytes, frame.id) else { return false }
        let planes = effects.planes
        converter.withSamples {
            folding.fold(
                $0, to: [planes.luma.base, planes.cb.base, planes.cr.base],
                [planes.luma.stride, planes.cb.stride, planes.cr.stride])
        }
        waiting = frame
        return true
    }

    /// Draws the picture of the frame that was added. Returns its frame; nil if none was.
    package func draw(into picture: UnsafeMutableRawBufferPointer) -> FrameMetadata? {
        guard var frame = waiting.take() else { return nil }
        var interval = Duration.zero
        if let last, frame.id.epoch == last.id.epoch, frame.time - last.time <= Self.longGap {
            interval = frame.time - last.time
        } else {
            effects.forget()
            meter?.settle()
        }
        let seconds = interval.seconds
        last = frame
        follow(board)
        effects.advanceReactions(by: seconds)
        begin(board.calls(after: lastCall), at: .now)
        if let meter { effects.effort = meter.progress.effort }
        effects.draw(after: seconds, into: picture.baseAddress!)
        if let seen = effects.seen { board.note(seen, in: frame) }
        measure(after: interval)
        frame.reactions = effects.performed
        return frame
    }

    /// Measures the picture that is drawn, and tells the board.
    private func measure(after interval: Duration) {
        // Without effects, there is nothing to draw with less effort.
        if settings.leavePictures { meter?.forget() } else { meter?.end(after: interval) }
        board.report(settings.leavePictures ? nil : meter?.progress, by: ObjectIdentifier(self))
    }

    /// Draws what is on the board now. What cannot be drawn after all is taken off it.
    private func follow(_ board: EffectBoard) {
        let wanted = board.settings
        guard wanted != settings else { return }
        do throws(NetError) {
            try effects.use(wanted)
            settings = wanted
            meter?.settle()
        } catch { board.refuse(wanted, for: settings, error) }
    }

    /// Begins the reactions that are not over yet: where a stage was at rest, they have begun without it.
    private func begin(_ calls: [ReactionCall], at now: Timestamp) {
        for call in calls {
            lastCall = call.number
            let elapsed = max(.zero, now - call.time)
            if elapsed < call.reaction.duration { effects.begin(call, elapsed: elapsed.seconds) }
        }
    }
}
