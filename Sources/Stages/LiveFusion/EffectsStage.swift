// SPDX-License-Identifier: MIT
// Effects as a stage: a host's frames with what is drawn into them, for sinks of their own.

import Camera
import FrameRing
import Fusion
import LivecapDetection
import LivecapEffects
import LivecapFrames
import LivecapStreams
import LivecapThreads

extension StageHost {
    /// Draws what is on a board into the frames of the host that it is attached to, for as long as its sinks want
    /// frames. `after`: what has been done to those. `past`: how much is kept, and drawn for that while the camera is
    /// on. `isShared`: other processes may read its rings. `whenFailed` hears of streams that it cannot be done for.
    package static func drawing(
        _ effects: EffectBoard, after treatment: FrameTreatment = [], past: Duration = .zero, memory: Int? = nil,
        isShared: Bool = false, whenFailed: @escaping @Sendable (CameraError) -> Void
    ) throws(SystemShortage) -> StageHost {
        let capacity = RingCapacity.ofStage(past: past, memory: memory, isShared: isShared)
        return try StageHost(
            treatment.union(.withEffects), past: past,
            { (input) throws(CameraError) in
                if let refusal = refusalOfEffects(input.source.format) { throw refusal }
                let frames = input.source.format
                return try DrawnSource.stream(of: input, capacity) { () throws(CameraError) in
                    let drawer = try FrameEffects.drawing(effects, into: frames)
                    // A source at the fast pace waits for its readers.
                    if input.gate == nil { drawer.keepUp(by: { .now }, isUnderPressure: { input.isUnderPressure }) }
                    return drawer
                }
            }, whenFailed: whenFailed)
    }

    /// Why effects cannot be drawn into frames of `format`, as far as is known before one is there.
    package static func refusalOfEffects(_ format: FrameFormat) -> CameraError? {
        DrawnSource.refusal(of: format, treated: "given effects")
    }

    /// Why effects cannot be drawn here at all: what they need is loaded, and let go.
    package static func lack(of effects: EffectSettings) -> EffectError? { effects.lack }
}

extension FrameEffects {
    fileprivate static func drawing(
        _ board: EffectBoard, into frames: FrameFormat
    ) throws(CameraError) -> FrameEffects {
        let level: KernelLevel
        do throws(FusionError) { level = try KernelLevel.chosen() } catch {
            throw .badSettings(error.message, hint: error.hint)
        }
        do throws(NetError) { return try FrameEffects(frames, board, by: LazyNets(), level) } catch {
            throw .badSettings(error.message, hint: error.hint)
        }
    }
}
