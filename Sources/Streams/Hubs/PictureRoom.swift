// SPDX-License-Identifier: MIT
// Makes the pictures of the outputs of a stream.

import FrameRing
import LivecapFrames
import LivecapPictures
import LivecapStabilization

/// Makes the pictures of the outputs of a stream: those that are steadied alike together. Used by the outputs thread.
final class PictureRoom {
    /// Whether an output wants every frame.
    let wantsEvery: Bool
    /// The version of the set of outputs; nil before the first.
    let version: Int?
    /// The highest rate of those that want the newest frame.
    private let maxRate: FrameRate?
    /// Keeps the camera on while pictures are wanted.
    private let use: (any AnyObject & Sendable)?
    private let sets: [PictureSet]
    /// Outputs whose pictures cannot be made of these frames.
    private let unserved: [FrameOutput]

    /// A room for `outputs` of a source whose JPEG frames are decoded in `planes`. They get no more than `maxRate`
    /// unless they want every frame. Those that were already in the room before keep their rates' beat. `keepOn` keeps
    /// the camera on while its result exists.
    init(
        _ source: SourceDescription, planes: SharedPlanes, _ outputs: [FrameOutput], version: Int?,
        maxRate: FrameRate? = nil,
        after before: PictureRoom?, _ keepOn: () -> any AnyObject & Sendable
    ) {
        self.version = version
        self.maxRate = maxRate
        use = outputs.isEmpty ? nil : before?.use ?? keepOn()
        let served = outputs.filter { (try? PictureConverter(source.format, [$0.settings.pictures])) != nil }
        unserved = outputs.filter { output in !served.contains { $0 === output } }
        wantsEvery = served.contains { $0.settings.delivery == .every }
        sets = StabilizationMode.allCases.compactMap { mode in
            let members = served.filter { $0.settings.stabilization == mode }
            return members.isEmpty
                ? nil : PictureSet(source, planes, outputs: members, mode, maxRate: maxRate, after: before?.sets ?? [])
        }
    }

    /// Whether nobody wants pictures.
    var isEmpty: Bool { sets.isEmpty && unserved.isEmpty }

    /// Counts frames that left the history before they were looked at. An output with a rate may not have wanted them.
    func noteMissed(_ count: Int) {
        guard count > 0 else { return }
        for output in sets.flatMap(\.outputs) where output.settings.rate(atMost: maxRate) == nil {
            output.note(.tooSlow, count)
        }
    }

    /// Waits until those who want every picture have room for one.
    func waitForRoom(unless isOver: () -> Bool) {
        for output in sets.flatMap(\.outputs) where output.settings.delivery == .every {
            output.waitForRoom(unless: isOver)
        }
    }

    /// Makes and delivers the pictures of a frame. If there is a newer one, those who want the newest wait for it.
    func serve(_ lease: borrowing FrameLease, isNewest: Bool) {
        for output in unserved { output.note(.undecodable) }
        for set in sets { set.serve(lease, isNewest: isNewest) }
    }

    /// Makes and delivers the pictures that waited for frames to come: the stream has ended.
    func finish(unless isOver: () -> Bool) { for set in sets { set.finish(unless: isOver) } }
}
