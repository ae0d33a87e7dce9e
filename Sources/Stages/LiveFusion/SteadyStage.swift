// SPDX-License-Identifier: MIT
// Steadied frames as a stage: a host's frames without the motion of a hand, for sinks of their own.

import Camera
import FrameRing
import Fusion
import LivecapFrames
import LivecapStabilization
import LivecapStreams
import LivecapThreads

extension StageHost {
    /// Steadies the frames of the host that it is attached to, for as long as its sinks want frames. `after`: what has
    /// been done to those. `past`: how much is kept, and steadied for that while the camera is on. `isShared`: other
    /// processes may read its rings. `whenFailed` hears of streams that cannot be steadied.
    package static func steadying(
        _ mode: StabilizationMode = .standard, after treatment: FrameTreatment = [], past: Duration = .zero,
        memory: Int? = nil, isShared: Bool = false,
        whenFailed: @escaping @Sendable (CameraError) -> Void
    ) throws(SystemShortage) -> StageHost {
        let capacity = RingCapacity.ofStage(past: past, memory: memory, isShared: isShared)
        return try StageHost(
            treatment.union(.steadied), past: past,
            { (input) throws(CameraError) in
                if let refusal = refusalToSteady(input.source.format) { throw refusal }
                let source = input.source
                return try DrawnSource.stream(of: input, capacity) { () throws(CameraError) in
                    try FrameSteadier.steadying(source, mode)
                }
            }, whenFailed: whenFailed)
    }

    /// Why frames of `format` cannot be steadied, as far as is known before one is there.
    package static func refusalToSteady(_ format: FrameFormat) -> CameraError? {
        DrawnSource.refusal(of: format, treated: "steadied")
    }
}

extension FrameSteadier {
    /// What steadies the frames of a source.
    fileprivate static func steadying(
        _ source: SourceDescription, _ mode: StabilizationMode
    ) throws(CameraError) -> FrameSteadier {
        do throws(FusionError) { return try FrameSteadier(source.format, at: source.rate, mode) } catch {
            throw .badSettings(error.message, hint: error.hint)
        }
    }
}
