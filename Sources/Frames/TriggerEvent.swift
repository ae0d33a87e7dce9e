// SPDX-License-Identifier: MIT
// What triggers notice, and why they say so.

/// What a trigger has noticed: why a picture is taken, or a movie begins, without a hand on the shutter.
public struct TriggerCause: Hashable, Sendable {
    /// What kinds of things are noticed.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Something moves in the picture.
        case motion
        /// It is loud.
        case sound
        /// The time has come.
        case time
    }

    /// What moves.
    public struct Motion: Hashable, Sendable {
        /// Where it was seen until it was noticed.
        public var box: PictureBox
        /// The largest part of the picture that moved at once, from 0 to 1.
        public var share: Double

        /// What moves.
        public init(box: PictureBox, share: Double) {
            self.box = box
            self.share = share
        }
    }

    /// What is heard, in decibels: 0 is as loud as samples can be.
    public struct Sound: Hashable, Sendable {
        /// The highest level of 10 ms.
        public var level: Double
        /// The usual level of the last seconds.
        public var usual: Double

        /// What is heard.
        public init(level: Double, usual: Double) {
            self.level = level
            self.usual = usual
        }
    }

    /// What was noticed.
    public var kind: Kind
    /// When it began: the time of the first frame that shows it. Sound has times of CLOCK_MONOTONIC, all else of the
    /// frames' clock.
    public var time: Timestamp
    /// The moment that shows it best, at or after `time`.
    public var moment: Timestamp
    /// When it was certain: the time of the frame, or the sound, that decided.
    public var noticed: Timestamp
    /// What moves, for motion.
    public var motion: Motion?
    /// What is heard, for sound.
    public var sound: Sound?

    /// What was noticed of what began at `time`.
    public init(
        _ kind: Kind, time: Timestamp, moment: Timestamp? = nil, noticed: Timestamp? = nil, motion: Motion? = nil,
        sound: Sound? = nil
    ) {
        self.kind = kind
        self.time = time
        self.moment = moment ?? time
        self.noticed = noticed ?? time
        self.motion = motion
        self.sound = sound
    }
}

/// What a trigger reports.
public enum TriggerEvent: Hashable, Sendable {
    /// Something has begun. It is reported once, however long it lasts.
    case began(TriggerCause)
    /// It has ended: there was quiet for as long as the trigger waits. The time is that of the last of it. The next
    /// event of this kind begins something new. Not reported of times.
    case ended(TriggerCause.Kind, last: Timestamp)
}
