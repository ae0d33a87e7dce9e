// SPDX-License-Identifier: MIT
// Decides which shots deliver a proxy and have their photo made later.

import Fusion
import LivecapDeveloping
import LivecapFrames

extension Desk {
    /// Why a shot that must be deferred cannot be; nil if it can.
    func problemOfDeferral(_ shot: Shot) -> PhotoError? {
        if shot.files != nil {
            return .badSettings(
                "a photo with a separate file cannot be deferred",
                hint: "store it in the library, or do not defer it")
        }
        if shot.archive == nil {
            return .badSettings(
                "deferral needs a library to keep the frames in",
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

    /// Whether a shot delivers a proxy now and its photo later.
    func defers(_ shot: Shot, _ state: borrowing State) -> Bool {
        let settings = shot.settings
        guard shot.archive != nil, canBeMerged, settings.deferral != .never, settings.reasonAgainstDeferral == nil
        else { return false }
        if settings.deferral == .required { return true }
        guard state.switches.isDeferring else { return false }
        // At the fast pace no decision may depend on how long things take on this machine.
        return DeferralPolicy().defers(
            DeferralRequest(
                quality: settings.quality, work: isFast ? nil : state.estimates.times.fusing[settings.quality],
                ahead: isFast ? .zero : workAhead(state), workers: workers))
    }

    /// Learns a deferred photo's duration from its final, which is the only way to measure it. All workers' threads
    /// made the final while the session was idle, and nothing held it up. Finals of another frame size say nothing
    /// about this session's.
    func learn(final photo: Photo, of size: FrameSize) {
        guard size == description.format.size, let stages = photo.fusion?.stages else { return }
        let time = stages.reduce(.zero) { $0 + $1.time }
        let pace = WorkAhead.pace(workers: workers, busy: 1, fusing: 1)
        update { $0.estimates.times.learn(fusing: photo.qualityGiven, took: .saturating(seconds: time.seconds * pace)) }
    }

    private var canBeMerged: Bool { description.format.pixelFormat.isJPEG || canFuse }

    /// The remaining work of the shots before the next one, as one worker's time.
    private func workAhead(_ state: borrowing State) -> Duration {
        let now = Timestamp.now
        let shots =
            state.shots.reading + state.shots.ready
            + state.shots.inWork.values.filter { $0.work.developed == nil }
        return shots.reduce(.zero) { sum, shot in
            guard let left = left(of: shot, state, now) else { return sum }
            return sum + max(left.fusing, .zero) + max(left.encoding, .zero)
        }
    }
}
