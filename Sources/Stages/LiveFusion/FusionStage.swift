// SPDX-License-Identifier: MIT
// Live fusion as a stage: a host's frames, each fused with its past, for sinks of their own.

import Camera
import FrameRing
import Fusion
import LivecapFrames
import LivecapStreams
import LivecapThreads

extension StageHost {
    /// Fuses the frames of the host that it is attached to, on `threads` threads, for as long as its sinks want frames.
    /// `times` gets what it takes. `past`: how much is kept, and fused for that while the camera is on, in at most
    /// `memory` bytes. `isShared`: other processes may read its rings. With `isHeld`, no frame is fused before
    /// `release`. `whenFailed` hears of streams that cannot be fused.
    package static func fusing(
        _ settings: LiveSettings = LiveSettings(), threads: Int, times: LiveTimes = LiveTimes(),
        past: Duration = .zero, memory: Int? = nil, isShared: Bool = false, isHeld: Bool = false,
        whenFailed: @escaping @Sendable (CameraError) -> Void
    ) throws(SystemShortage) -> StageHost {
        let pool = ThreadPool(threads: threads)
        let capacity = RingCapacity.ofStage(past: past, memory: memory, isShared: isShared)
        return try StageHost(
            .fused, past: past, isHeld: isHeld,
            { (input) throws(CameraError) in
                let fused = try FusedSource(input, settings, times: times, isPatient: !isHeld, pool: pool)
                guard let source = fused else { return nil }
                let (gate, origins) = (input.gate == nil ? nil : source.gate, source.origins)
                return StageStream(
                    loop: try CaptureLoop(source, capacity: capacity, isRealTime: false), gate: gate,
                    origin: { origins.origin(of: $0) })
            }, whenFailed: whenFailed)
    }
}

extension RingCapacity {
    /// A stage keeps a second more than `past`: readers may fall behind by as much. `isShared`: other processes may
    /// read it.
    static func ofStage(past: Duration, memory: Int?, isShared: Bool) -> RingCapacity {
        var capacity = RingCapacity(
            duration: past + .seconds(1), byteCap: memory ?? RingCapacity.standard.byteCap)
        capacity.isShared = isShared
        return capacity
    }
}
