// SPDX-License-Identifier: MIT
// Makes the pictures of outputs that see the same frames, each kind once a frame.

import FrameRing
import LivecapFrames
import LivecapPictures
import LivecapStabilization

extension FrameOutputSettings {
    /// Its rate, if no more than `limit` are made for those who want the newest frame.
    func rate(atMost limit: FrameRate?) -> FrameRate? {
        guard delivery == .newest, let limit else { return rate }
        return rate.map { min($0, limit) } ?? limit
    }
}

/// Makes the pictures of outputs that see the same frames: those of the stream, or the same steadied. Outputs with
/// equal settings for pictures get the same ones. Used by the outputs thread.
final class PictureSet {
    private let converter: PictureConverter?
    private var kinds: [Kind]
    /// Steadies the frames; and the frame that the converter gets then.
    private let steadier: FrameSteadier?
    private var steady: [UInt8]

    /// One kind of picture, and who wants it.
    private struct Kind {
        let pool: PicturePool
        var readers: [Reader]
        /// Whether a reader takes the present frame.
        var isWanted: Bool { readers.contains(where: \.takesFrame) }
    }

    private struct Reader {
        let output: FrameOutput
        var limit: RateLimit
        /// Whether it takes the present frame.
        var takesFrame = false
    }

    /// A set of outputs of a source whose JPEG frames are decoded in `planes`. Frames are steadied by `mode`; there are
    /// no more than `maxRate` for those who do not want every one. Those that were part of `before` keep their rates'
    /// beat, and frames that wait there to be steadied stay.
    init(
        _ source: SourceDescription, _ planes: SharedPlanes, outputs: [FrameOutput], _ mode: StabilizationMode,
        maxRate: FrameRate?, after before: [PictureSet]
    ) {
        let known = before.lazy.compactMap(\.steadier).first { $0.mode == mode }
        let steadier = mode == .off ? nil : known ?? (try? FrameSteadier(source.format, at: source.rate, mode))
        steadier?.follow(planes)
        self.steadier = steadier
        steady = [UInt8](repeating: 0, count: steadier?.format.byteCount ?? 0)
        var settings: [PictureSettings] = []
        for output in outputs where !settings.contains(output.settings.pictures) {
            settings.append(output.settings.pictures)
        }
        let converter = try? PictureConverter(
            steadier?.format ?? source.format, settings, of: steadier == nil ? planes : nil,
            clock: source.frameClock)
        self.converter = converter
        let limits = before.flatMap(\.kinds).flatMap(\.readers)
        kinds = settings.enumerated().map { index, wanted in
            let readers = outputs.filter { $0.settings.pictures == wanted }
            let format = converter!.formats[index]
            return Kind(
                pool: PicturePool(limit: readers.map(\.settings.buffers).reduce(0, +), byteCount: format.byteCount) {
                    PictureConverter.clear($0.bytes, format)
                },
                readers: readers.map { output in
                    let limit = RateLimit(output.settings.rate(atMost: maxRate), of: source.rate)
                    let known = limits.first { $0.output === output && $0.limit.hasRate(of: limit) }?.limit
                    return Reader(output: output, limit: known ?? limit)
                })
        }
    }

    /// The outputs of the set.
    var outputs: [FrameOutput] { kinds.flatMap(\.readers).map(\.output) }

    /// Makes and delivers the pictures of a frame, or those of the frame that is steadied by now. If there is a newer
    /// one, those who want the newest wait for it.
    func serve(_ lease: borrowing FrameLease, isNewest: Bool) {
        let frame = lease.metadata
        guard let steadier else {
            choose(frame, isNewest: isNewest)
            guard kinds.contains(where: \.isWanted) else { return }
            guard frame.isUsable, lease.withBytes({ deliver($0, of: frame) }) else { return drop(.undecodable) }
            return
        }
        // Each frame counts, because the picture's path leads over all of them.
        guard frame.isUsable, lease.withBytes({ steadier.add(frame, $0) }) else {
            choose(frame, isNewest: isNewest)
            return drop(.undecodable)
        }
        _ = deliverSteady(isNewest: isNewest, isOver: false)
    }

    /// Makes and delivers the pictures that waited for frames to come. If it `isOver`, nobody is waited for.
    func finish(unless isOver: () -> Bool) {
        guard steadier != nil else { return }
        repeat {
            for output in outputs where output.settings.delivery == .every { output.waitForRoom(unless: isOver) }
        } while deliverSteady(isNewest: true, isOver: true)
    }

    /// Delivers the next steadied frame. Returns false if there is none.
    private func deliverSteady(isNewest: Bool, isOver: Bool) -> Bool {
        let frame = steady.withUnsafeMutableBytes { steadier?.draw(into: $0, isOver: isOver) }
        guard let frame else { return false }
        choose(frame, isNewest: isNewest)
        if kinds.contains(where: \.isWanted), !deliver(steady.span.bytes, of: frame) { drop(.undecodable) }
        return true
    }

    /// Decides who takes a frame.
    private func choose(_ frame: FrameMetadata, isNewest: Bool) {
        for kind in kinds.indices {
            for place in kinds[kind].readers.indices {
                let output = kinds[kind].readers[place].output
                var drop: PictureDrop?
                if !kinds[kind].readers[place].limit.admits(frame.time) {
                    drop = .rate
                } else if !isNewest, output.settings.delivery == .newest {
                    drop = .tooSlow
                }
                if let drop { output.note(drop) }
                kinds[kind].readers[place].takesFrame = drop == nil
            }
        }
    }

    /// Delivers the pictures of a frame. Returns false if it cannot be decoded.
    private func deliver(_ bytes: RawSpan, of frame: FrameMetadata) -> Bool {
        guard let converter, converter.take(bytes, frame.id, for: { kinds[$0].isWanted }) else { return false }
        for index in converter.order where kinds[index].isWanted { paint(index, frame, converter) }
        return true
    }

    private func paint(_ index: Int, _ frame: FrameMetadata, _ converter: PictureConverter) {
        let (pool, readers) = (kinds[index].pool, kinds[index].readers)
        guard let memory = pool.take() else {
            for reader in readers where reader.takesFrame { reader.output.note(.outOfBuffers) }
            return
        }
        guard let count = converter.draw(index, into: memory.bytes, at: frame.time) else {
            for reader in readers where reader.takesFrame { reader.output.note(.undecodable) }
            return pool.giveBack(memory)
        }
        let picture = Picture(converter.formats[index], frame: frame, byteCount: count, memory: memory, pool: pool)
        for reader in readers where reader.takesFrame { reader.output.deliver(picture) }
    }

    private func drop(_ reason: PictureDrop) {
        for reader in kinds.flatMap(\.readers) where reader.takesFrame { reader.output.note(reason) }
    }
}
