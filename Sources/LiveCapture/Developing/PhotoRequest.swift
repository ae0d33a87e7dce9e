// SPDX-License-Identifier: MIT
// Everything needed to make a photo of its frames, now or later.

import Frames
import Stills

/// The wanted properties of a photo and the circumstances of its capture. With its frames' bytes, it determines the
/// photo.
///
/// A session makes its own photos from a request. A photo finished later is made from the same request, and so has the
/// same pixels.
public struct PhotoRequest: Hashable, Sendable {
    /// The shot's number in its session.
    public let shot: ShotID
    /// The settings asked for.
    public internal(set) var settings: PhotoSettings
    /// The moment of the tap, on the source's clock.
    public internal(set) var tap: Timestamp
    /// How wrong the tap's time may be.
    public let tapError: TimeSpan
    /// The frame that was asked for, if the tap named one.
    public let tapFrame: FrameID?
    /// The quality it is to be made with.
    public internal(set) var quality: PhotoQuality
    /// Whether that quality is lower than asked for, to keep up with taps.
    public let isPrioritized: Bool
    /// The frames to make it of, oldest first.
    public internal(set) var frames: [FrameID]
    /// The one of them nearest the tap.
    public internal(set) var nearest: FrameID
    /// Neighbours, nearest first, to be used if no frame of `frames` can be decoded.
    public internal(set) var spares: [FrameID]
    /// The damaged frames among them.
    public internal(set) var damaged: [DamagedFrame]
    /// The frames missing from the number asked for; nil if none are.
    public internal(set) var shortage: FrameShortage?
    /// Whether the camera's exposure had settled.
    public let isExposureSettled: Bool
    /// The exposure time of its frames, if the camera's driver reported it.
    public let exposure: TimeSpan?
    /// The wall-clock time of the tap, if frames are on this machine's clock or the recording's is tied to the calendar.
    public let wallTime: PhotoTime?

    /// A frame that arrived damaged and cannot be used.
    public struct DamagedFrame: Hashable, Sendable {
        /// The frame.
        public let id: FrameID
        /// The kind of damage.
        public let damage: Damage
    }
}

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
