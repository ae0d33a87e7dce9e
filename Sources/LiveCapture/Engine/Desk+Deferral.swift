// SPDX-License-Identifier: MIT
// Which shots give a proxy, and have their photo made later.

import Frames
import FusionKernels

extension Desk {
    /// Why a shot cannot be deferred that has to be; nil where it can be.
    func problemOfDeferral(_ shot: Shot) -> PhotoError? {
        if shot.files != nil {
            return .badSettings(
                "a photo that goes to a file of its own cannot be deferred",
                hint: "put it into the library, or take no deferral")
        }
        if shot.archive == nil {
            return .badSettings(
                "there is no library to keep the frames of a deferred photo",
                hint: "give the session a library, or leave deferral automatic")
        }
        guard canBeMerged else {
            let format = description.format
            return .badSettings(
                "\(format.pixelFormat) frames of \(format.size) cannot be merged, so there is nothing to defer",
                hint: "leave deferral automatic")
        }
        return nil
    }

    /// Whether a shot gives a proxy now and its photo later.
    func defers(_ shot: Shot, _ state: borrowing State) -> Bool {
        let settings = shot.settings
        guard shot.archive != nil, canBeMerged, settings.deferral != .never, settings.reasonAgainstDeferral == nil
        else { return false }
        if settings.deferral == .required { return true }
        guard state.isDeferring else { return false }
        // At the fast pace nothing may depend on how long things take here.
        return DeferralPolicy().defers(
            DeferralRequest(
                quality: settings.quality, work: isFast ? nil : state.times.fusing[settings.quality],
                ahead: isFast ? .zero : workAhead(state), workers: workers))
    }

    /// A final was made by all workers' threads in a quiet moment, and nothing held it up: photos that are left for later have no
    /// other way to tell what they take. Those of another size tell nothing of this session's.
    func learn(final photo: Photo, of size: FrameSize) {
        guard size == description.format.size, let stages = photo.fusion?.stages else { return }
        let time = stages.reduce(.zero) { $0 + $1.time }
        let pace = WorkAhead.pace(workers: workers, busy: 1, fusing: 1)
        update { $0.times.learn(fusing: photo.given, took: .seconds(time.seconds * pace)) }
    }

    private var canBeMerged: Bool { description.format.pixelFormat.layout == .jpeg || canFuse }

    /// What shots before the next one still take, by one worker.
    private func workAhead(_ state: borrowing State) -> TimeSpan {
        let now = Timestamp.now
        let shots = state.reading + state.ready + state.inWork.values.filter { $0.developed == nil }
        return shots.reduce(.zero) { sum, shot in
            guard let left = state.left(of: shot, now) else { return sum }
            return sum + max(left.fusing, .zero) + max(left.encoding, .zero)
        }
    }
}
