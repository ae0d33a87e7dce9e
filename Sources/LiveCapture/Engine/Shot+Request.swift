// SPDX-License-Identifier: MIT
// The request that a shot makes of the developer.

import Developing
import Frames

extension PhotoRequest {
    /// The request of a shot whose frames are held.
    init(_ shot: Shot, of source: SourceDescription) {
        guard let resolved = shot.resolved, let captured = shot.captured, let tap = shot.moment else {
            preconditionFailure("a shot without frames is developed")
        }
        let tapFrame: FrameID? = if case .frame(let id) = shot.tap { id } else { nil }
        // A deferred photo is made of the frames asked for, whatever its proxy is made of now.
        let frames = shot.isDeferred ? shot.kept : shot.frames
        self.init(
            shot: shot.id, settings: shot.settings, tap: tap, tapError: shot.tapError, tapFrame: tapFrame,
            quality: resolved.quality, isPrioritized: resolved.isPrioritized,
            frames: frames.map(\.metadata.id), nearest: captured.nearest.id, spares: shot.spares.map(\.metadata.id),
            damaged: shot.damaged.map { DamagedFrame(id: $0.id, damage: $0.damage) },
            shortage: shot.shortage, isExposureSettled: shot.isExposureSettled, exposure: source.exposure,
            wallTime: shot.settings.metadata.time == nil ? source.wallTime(of: tap) : nil)
    }
}
