// SPDX-License-Identifier: MIT
// Steadied frames as a stage: a host's frames without the motion of a hand, for sinks of their own.

import Camera
import FrameRing
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
                let source = try SteadySource(input, mode)
                let (gate, origins) = (input.gate == nil ? nil : source.gate, source.origins)
                return StageStream(
                    loop: try CaptureLoop(source, capacity: capacity, isRealTime: false), gate: gate,
                    origin: { origins.origin(of: $0) })
            }, whenFailed: whenFailed)
    }

    /// Why frames of `format` cannot be steadied, as far as is known before one is there.
    package static func refusalToSteady(_ format: FrameFormat) -> CameraError? { SteadySource.refusal(of: format) }
}
