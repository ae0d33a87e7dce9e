// SPDX-License-Identifier: MIT
// All that is needed to make a photo of its frames, whenever that is.

import Camera
import Frames
import Stills

/// What a photo is to be, and what is known of its taking: with its frames' bytes, all there is to make it from.
///
/// A session makes its own photos from one, and a photo that is finished later is made from the same: the same pixels.
public struct PhotoRequest: Hashable, Sendable {
    /// Which shot of its session.
    public let shot: ShotID
    /// What was asked for.
    public internal(set) var settings: PhotoSettings
    /// The moment, on the source's clock.
    public internal(set) var tap: Timestamp
    /// How wrong the tap's time may be.
    public let tapError: TimeSpan
    /// The very frame that was asked for, where that was how.
    public let tapFrame: FrameID?
    /// How it is to be made.
    public internal(set) var quality: PhotoQuality
    /// Whether that is less than was asked for, to keep up with taps.
    public let isPrioritized: Bool
    /// The frames it is to be made of, oldest first.
    public internal(set) var frames: [FrameID]
    /// The one of them nearest the tap.
    public internal(set) var nearest: FrameID
    /// Neighbours, the nearest first, for when none of those can be decoded.
    public internal(set) var spares: [FrameID]
    /// Damaged frames among them.
    public internal(set) var damaged: [DamagedFrame]
    /// What it lacks of the frames that were asked for; nil where nothing is missing.
    public internal(set) var shortage: FrameShortage?
    /// Whether the camera's exposure had settled.
    public let isExposureSettled: Bool
    /// How long its frames were exposed, where the camera's driver told.
    public let exposure: TimeSpan?
    /// The wall clock's time at the tap, where frames are of this machine's clock.
    public let wallTime: PhotoTime?

    /// A frame that was there and is no picture.
    public struct DamagedFrame: Hashable, Sendable {
        /// Which frame.
        public let id: FrameID
        /// What is wrong with it.
        public let damage: Damage
    }
}

extension PhotoRequest {
    /// What a shot whose frames are held comes to.
    init(_ shot: Shot, of source: SourceDescription) {
        guard let resolved = shot.resolved, let captured = shot.captured, let tap = shot.moment else {
            preconditionFailure("a shot without frames is developed")
        }
        let tapFrame: FrameID? = if case .frame(let id) = shot.tap { id } else { nil }
        let isOfThisClock = source.clock == .monotonic && shot.settings.metadata.time == nil
        // What is made of its frames later is what was asked for, whatever is made of them now.
        let frames = shot.isDeferred ? shot.kept : shot.frames
        self.init(
            shot: shot.id, settings: shot.settings, tap: tap, tapError: shot.tapError, tapFrame: tapFrame,
            quality: resolved.quality, isPrioritized: resolved.isPrioritized,
            frames: frames.map(\.metadata.id), nearest: captured.nearest.id, spares: shot.spares.map(\.metadata.id),
            damaged: shot.damaged.map { DamagedFrame(id: $0.id, damage: $0.damage) },
            shortage: shot.shortage, isExposureSettled: shot.isExposureSettled, exposure: source.exposure,
            wallTime: isOfThisClock ? PhotoTime(wall: tap) : nil)
    }
}
