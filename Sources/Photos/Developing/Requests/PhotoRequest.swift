// SPDX-License-Identifier: MIT
// Everything needed to make a photo of its frames, now or later.

import LivecapFrames

/// The wanted properties of a photo and the circumstances of its capture. With its frames' bytes, it determines the
/// photo.
///
/// A session makes its own photos from a request. A photo finished later is made from the same request, and so has the
/// same pixels.
package struct PhotoRequest: Hashable, Sendable {
    /// The shot's number in its session.
    package let shot: ShotID
    /// The settings asked for.
    package var settings: PhotoSettings
    /// The moment of the tap, on the source's clock.
    package var tap: Timestamp
    /// How wrong the tap's time may be.
    package let tapError: Duration
    /// The frame that was asked for, if the tap named one.
    package let tapFrame: FrameID?
    /// The quality it is to be made with.
    package var quality: PhotoQuality
    /// Whether that quality is lower than asked for, to keep up with taps.
    package let isPrioritized: Bool
    /// Whether that quality is lower than it would be otherwise, because the machine was under pressure.
    package let isRelieved: Bool
    /// The frames to make it of, oldest first.
    package var frames: [FrameID]
    /// The one of them nearest the tap.
    package var nearest: FrameID
    /// Neighbours, nearest first, to be used if no frame of `frames` can be decoded.
    package var spares: [FrameID]
    /// The damaged frames among them.
    package var damaged: [DamagedFrame]
    /// The frames missing from the number asked for; nil if none are.
    package var shortage: FrameShortage?
    /// Whether the camera's exposure had settled.
    package let isExposureSettled: Bool
    /// Whether the camera was off at the moment of the tap, and was switched on for it.
    package let wasCameraOff: Bool
    /// What the camera was set to by hand.
    package let manual: ManualSettings
    /// The wall-clock time of the tap, if frames are on this machine's clock or the recording's is tied to the
    /// calendar.
    package let wallTime: CalendarTime?
    /// A remark for people on how it comes to be made now. It belongs to the making, not to the request that is stored.
    package var remark: String?

    package init(
        shot: ShotID, settings: PhotoSettings, tap: Timestamp, tapError: Duration, tapFrame: FrameID?,
        quality: PhotoQuality, isPrioritized: Bool, frames: [FrameID], nearest: FrameID, spares: [FrameID],
        damaged: [DamagedFrame], shortage: FrameShortage? = nil, isExposureSettled: Bool,
        wasCameraOff: Bool = false, isRelieved: Bool = false, manual: ManualSettings, wallTime: CalendarTime?
    ) {
        self.shot = shot
        self.settings = settings
        self.quality = quality
        self.isPrioritized = isPrioritized
        self.tap = tap
        self.tapError = tapError
        self.tapFrame = tapFrame
        self.wallTime = wallTime
        self.frames = frames
        self.nearest = nearest
        self.spares = spares
        self.damaged = damaged
        self.shortage = shortage
        self.isRelieved = isRelieved
        self.isExposureSettled = isExposureSettled
        self.wasCameraOff = wasCameraOff
        self.manual = manual
    }

    /// A frame that arrived damaged and cannot be used.
    package struct DamagedFrame: Hashable, Sendable {
        /// The frame.
        package let id: FrameID
        /// The kind of damage.
        package let damage: Damage

        package init(id: FrameID, damage: Damage) { (self.id, self.damage) = (id, damage) }
    }
}
