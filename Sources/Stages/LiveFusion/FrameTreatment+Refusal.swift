// SPDX-License-Identifier: MIT
// Which frames stages can take.

import Camera
import LivecapFrames
import LivecapStreams

extension FrameTreatment {
    /// Why frames of `format` cannot be treated so, as far as is known before one is there; nil if they can.
    package func refusal(of format: FrameFormat) -> CameraError? {
        Self.steps.filter(contains).lazy.compactMap { step in
            switch step {
            case .fused: FusedSource.refusal(of: format)
            case .steadied: StageHost.refusalToSteady(format)
            default: StageHost.refusalOfEffects(format)
            }
        }.first
    }
}
