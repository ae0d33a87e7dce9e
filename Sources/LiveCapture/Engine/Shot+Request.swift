// SPDX-License-Identifier: MIT
// The request that a shot makes of the developer.

import LivecapDeveloping
import LivecapFrames

extension PhotoRequest {
    /// The request of a shot whose frames are held.
    init(_ shot: Shot, _ captured: Shot.Captured, at desk: Desk) {
        let tapFrame: FrameID? = if case .frame(let id) = shot.tap { id } else { nil }
        let resolved = captured.resolved
        // A deferred photo is made of the frames asked for, whatever its proxy is made of now.
        let frames = resolved.isDeferred ? captured.kept : captured.frames
        let successor = desk.successor(of: captured.report.nearest.id)
        var settings = shot.settings
        settings.metadata.cameraModel =
            settings.metadata.cameraModel ?? successor?.source.name ?? shot.edit.map { _ in desk.description.name }
        if let successor, settings.followsRotation {
            settings.metadata.orientation = successor.rotation.map { PhotoOrientation($0.capture) } ?? .up
        }
        self.init(
            shot: shot.id, settings: settings, tap: captured.moment, tapError: shot.tapError, tapFrame: tapFrame,
            quality: resolved.quality, isPrioritized: resolved.isPrioritized,
            frames: frames.map(\.metadata.id), nearest: captured.report.nearest.id,
            spares: captured.spares.map(\.metadata.id),
            damaged: captured.damaged.map { DamagedFrame(id: $0.id, damage: $0.damage) },
            shortage: captured.shortage, isExposureSettled: captured.isExposureSettled,
            wasCameraOff: captured.wasCameraOff, isRelieved: resolved.isRelieved,
            manual: desk.manualSettings(of: captured.report.nearest),
            wallTime: shot.settings.metadata.time == nil ? desk.wallTime(of: captured.moment) : nil)
    }
}
