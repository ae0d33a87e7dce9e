// SPDX-License-Identifier: MIT
// Makes the pictures of a set of outputs, each kind once a frame.

import FrameRing
import LivecapFrames
import LivecapPictures

/// Makes the pictures of a set of outputs. Outputs with equal settings for pictures get the same ones. Used by the outputs
/// thread.
final class PictureRoom {
    /// Whether an output wants every frame.
    let wantsEvery: Bool
    /// The version of the set.
    let version: Int
    private let converter: PictureConverter?
    private var kinds: [Kind]
    /// Outputs whose pictures cannot be made of these frames.
    private let unserved: [FrameOutput]

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

    /// A room for `outputs`. Those that were already in the room before keep their rates' beat.
    init(_ source: SourceDescription, _ outputs: [FrameOutput], version: Int, after before: PictureRoom?) {
        self.version = version
        let frames = source.format
        let served = outputs.filter { (try? PictureConverter(frames, [$0.settings.pictures])) != nil }
        unserved = outputs.filter { output in !served.contains { $0 === output } }
        wantsEvery = served.contains { $0.settings.delivery == .every }
        var settings: [PictureSettings] = []
        for output in served where !settings.contains(output.settings.pictures) {
            settings.append(output.settings.pictures)
        }
        let converter = settings.isEmpty ? nil : try? PictureConverter(frames, settings)
        self.converter = converter
        let limits = (before?.kinds ?? []).flatMap(\.readers)
        kinds = settings.enumerated().map { index, wanted in
            let readers = served.filter { $0.settings.pictures == wanted }
            let format = converter!.formats[index]
            return Kind(
                pool: PicturePool(limit: readers.map(\.settings.buffers).reduce(0, +), byteCount: format.byteCount) {
                    PictureConverter.clear($0.bytes, format)
                },
                readers: readers.map { output in
                    let known = limits.first { $0.output === output }?.limit
                    return Reader(output: output, limit: known ?? RateLimit(output.settings.rate, of: source.rate))
                })
        }
    }

    /// Counts frames that left the history before they were looked at. An output with a rate of its own may not have
    /// wanted them.
    func noteMissed(_ count: Int) {
        guard count > 0 else { return }
        for reader in kinds.flatMap(\.readers) where reader.output.settings.rate == nil {
            reader.output.note(.tooSlow, count)
        }
    }

    /// Waits until those who want every picture have room for one.
    func waitForRoom(unless isOver: () -> Bool) {
        for reader in kinds.flatMap(\.readers) where reader.output.settings.delivery == .every {
            reader.output.waitForRoom(unless: isOver)
        }
    }

    /// Makes and delivers the pictures of a frame. If there is a newer one, those who want the newest wait for it.
    func serve(_ lease: borrowing FrameLease, isNewest: Bool) {
        let frame = lease.metadata
        for output in unserved { output.note(.undecodable) }
        choose(frame, isNewest: isNewest)
        guard let converter, kinds.contains(where: \.isWanted) else { return }
        guard frame.isUsable, lease.withBytes({ converter.take($0) }) else { return drop(.undecodable) }
        for index in converter.order where kinds[index].isWanted { paint(index, frame, converter) }
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

    private func paint(_ index: Int, _ frame: FrameMetadata, _ converter: PictureConverter) {
        let (pool, readers) = (kinds[index].pool, kinds[index].readers)
        guard let memory = pool.take() else {
            for reader in readers where reader.takesFrame { reader.output.note(.outOfBuffers) }
            return
        }
        guard let count = converter.draw(index, into: memory.bytes) else {
            for reader in readers where reader.takesFrame { reader.output.note(.undecodable) }
            return pool.giveBack(memory)
        }
        let picture = Picture(converter.formats[index], frame, count, memory, pool)
        for reader in readers where reader.takesFrame { reader.output.deliver(picture) }
    }

    private func drop(_ reason: PictureDrop) {
        for reader in kinds.flatMap(\.readers) where reader.takesFrame { reader.output.note(reason) }
    }
}
