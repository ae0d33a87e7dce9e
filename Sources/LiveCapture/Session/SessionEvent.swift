// SPDX-License-Identifier: MIT
// The events of a session.

import Camera
import LivecapDeveloping
import LivecapEffects
import LivecapFrames
import LivecapPhotoStorage
import LivecapStreams

/// An event of a session.
public enum SessionEvent: Hashable, Sendable {
    /// The first frame has arrived.
    case running
    /// The camera's exposure has settled; or, if `measured` is false, it did not settle in time and is no longer waited
    /// for.
    case exposureSettled(measured: Bool, after: Duration)
    /// Information for people that is not an error.
    case notice(CaptureLoop.Notice)
    /// The stream is being restarted, or its camera was unplugged or is in use by another program, and is waited for;
    /// later frames get a new epoch. Shots of moments before that continue.
    case interrupted(reason: String)
    /// The camera was switched off, because nothing needed it for `SessionOptions.idleOff`. The next need switches it
    /// on.
    case switchedOff
    /// Frames are arriving again.
    case interruptionEnded
    /// The session goes on with another source, or another format. Its first frame follows as `running`.
    case sourceChanged(SourceDescription)
    /// The pressure on the machine has changed: its level, or what causes it. Reported if the session has a pressure
    /// policy, and once `systemPressure` or `systemPressures` was asked for.
    case systemPressureChanged(SystemPressure)
    /// The camera's exposure begins or ends to follow faces: see `CaptureSession.follow(_:)`.
    case faceDrivenExposure(FaceDriven)
    /// The camera's focus begins or ends to follow faces.
    case faceDrivenFocus(FaceDriven)
    /// Other effects are drawn from the next picture on.
    case effectsChanged(EffectSettings)
    /// The frames that outputs or movies asked for cannot be made, for this reason: they get none before the session
    /// has another source or is started again.
    case treatmentFailed(FrameTreatment, CameraError)
    /// The final of a deferred photo is in the library.
    case photoFinished(LibraryPhoto)
    /// The final of a deferred photo cannot be made, for the given reason. The proxy stays.
    case photoUnfinished(PhotoID, reason: String)
    /// No photo can be finished at the moment, because of this error. Unfinished photos remain to be finished.
    case finishingFailed(LibraryError)
    /// Finishing a photo takes more memory than this session has for it, in bytes. It and all others like it are left
    /// for another process. Reported once.
    case photoTooLargeToFinish(PhotoID, bytes: Int)
    /// Source frames that no photo needs any more were removed from the library.
    case cleanedUp(CleanUpReport)
    /// They cannot be removed at the moment, because of this error.
    case cleanUpFailed(LibraryError)
    /// The last frame has arrived.
    case ended
    /// The source failed.
    case failed(CameraError)
    /// The session was stopped, and all its shots are done. It may be started again.
    case stopped
}
