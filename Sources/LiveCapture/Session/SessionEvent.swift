// SPDX-License-Identifier: MIT
// What happens to a session.

import Camera
import Frames
import PhotoLibrary

/// What happens to a session.
public enum SessionEvent: Hashable, Sendable {
    /// The first frame has come.
    case running
    /// The camera's exposure holds still, or, where `measured` is false, was given up on after a while.
    case exposureSettled(measured: Bool, after: TimeSpan)
    /// Something people may want to know that is no error.
    case notice(CaptureLoop.Notice)
    /// The stream is being started anew: a new epoch of frames. Shots go on.
    case interrupted(reason: String)
    /// Frames are coming again.
    case interruptionEnded
    /// The final of a photo that was left for later is in the library.
    case photoFinished(LibraryPhoto)
    /// It cannot be made; why. The proxy stays.
    case photoUnfinished(PhotoID, reason: String)
    /// Nothing can be finished for the moment; why. What is to be finished stays so.
    case finishingFailed(LibraryError)
    /// A photo takes more memory to finish than this session has for that: it, and all others like it, are left for another
    /// process. Told once.
    case finishingLeft(PhotoID, bytes: Int)
    /// Source frames that no photo needs any more have been removed from the library.
    case cleanedUp(CleanUpReport)
    /// They cannot be removed for the moment; why.
    case cleanUpFailed(LibraryError)
    /// The last frame has come.
    case ended
    /// The source gave up.
    case failed(CameraError)
}
