// SPDX-License-Identifier: MIT
// The reasons why a tap did not become a photo.

import Camera
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapPhotoStorage
import LivecapStills
import LivecapThreads

/// A reason why a tap did not become a photo. Each has a `message`, and a `hint` about what to do next.
public enum PhotoError: ExplainedError, Hashable, Sendable {
    /// No frames are flowing.
    case notRunning
    /// The settings contradict each other, or ask for something unavailable.
    case badSettings(String, hint: String)
    /// There is no usable frame near the moment. `distance` is the time to the nearest one, if there is any.
    case noFrame(at: Timestamp, distance: Duration?)
    /// The moment, or the frame, has left the history.
    case tooOld(by: Duration)
    /// There is no frame with that id.
    case noSuchFrame(FrameID)
    /// Too many shots are in progress, or their memory is used up.
    case overloaded
    /// The client has scheduled as many taps as one client may.
    case tooManyScheduled(limit: Int)
    /// No frame at the moment can be decoded, for the given reason.
    case undecodable(String)
    /// The frame at the moment cannot be decoded, for the given reason, and the nearest that can is too far away.
    case noneDecodes(String, distance: Duration)
    /// The photo's picture file cannot be decoded.
    case notDecoded(StillError)
    /// The frames cannot be merged, or the picture cannot be encoded, for the given reason.
    case unprocessed(String)
    /// This machine cannot encode pictures of that format: a library is missing, for the given reason.
    case noEncoder(StillFormat, reason: String)
    /// Effects cannot be drawn on this machine, for the given reason.
    case noEffects(String, hint: String)
    /// A picture of that size exceeds the given limit.
    case tooLarge(FrameSize, limit: String)
    /// Making the photo takes more memory than available, both in bytes.
    case tooLittleMemory(needed: Int, there: Int)
    /// The file could not be written.
    case notStored(FileError)
    /// The file its frames are in cannot be read.
    case unreadable(FrameFileError)
    /// The library could not store the photo or its frames.
    case notKept(LibraryError)
    /// The camera is unplugged, and the moment is after that.
    case cameraAway
    /// Another program uses the camera. Frames from before that may be there all the same.
    case cameraBusy(CameraError)
    /// The stream ended before the frames arrived; nil if it simply came to its end.
    case streamEnded(CameraError?)
    /// The shot was cancelled.
    case cancelled
}

extension PhotoError {
    /// The problem in one line, without a full stop.
    public var message: String {
        switch self {
        case .notRunning: "the session is not running"
        case .badSettings(let words, _): words
        case .noFrame(_, let distance?):
            "no usable frame at the moment: the nearest is \(distance.inWords) away"
        case .noFrame(_, nil): "no usable frame at the moment"
        case .tooOld(let age): "the moment is \(age.inWords) older than the history"
        case .noSuchFrame(let id): "no frame \(id)"
        case .overloaded: "too many shots are in progress"
        case .tooManyScheduled(let limit): "\(limit) pictures of future moments are already scheduled"
        case .undecodable(let reason): "the frame at the moment cannot be decoded: \(reason)"
        case .noneDecodes(let reason, let distance):
            "the frame at the moment cannot be decoded: \(reason); the nearest that can is "
                + "\(distance.inWords) away"
        case .notDecoded(let error): error.message
        case .unprocessed(let reason): "no picture can be made: \(reason)"
        case .noEncoder(let format, let reason):
            "this machine cannot make \(format.rawValue) pictures: \(reason)"
        case .noEffects(let reason, _): "effects: \(reason)"
        case .tooLarge(let size, let limit): "a picture of \(size) is too large: \(limit)"
        case .tooLittleMemory(let needed, let there):
            "the photo needs \(needed >> 20) MiB of memory, and \(there >> 20) MiB are available"
        case .notStored(let error): error.message
        case .unreadable(let error): error.message
        case .notKept(let error): error.message
        case .cameraAway: "the camera is unplugged"
        case .cameraBusy(let error): error.message
        case .streamEnded(let error?): error.message
        case .streamEnded(nil): "the stream ended before the photo's frames arrived"
        case .cancelled: "the shot was cancelled"
        }
    }

    /// What to do next, in one line.
    public var hint: String {
        switch self {
        case .notRunning: "start the session, and check its events"
        case .badSettings(_, let hint): hint
        case .noFrame: "choose a moment since the session's first frame, or try again once frames flow"
        case .tooOld, .noSuchFrame:
            "keep more history (SessionOptions.history), or take photos less often or at a lower quality"
        case .overloaded:
            "wait until the session is ready; SessionOptions.memory allows more, and a lower quality needs less"
        case .tooManyScheduled: "wait until one of them is taken, and try again"
        case .undecodable, .noneDecodes: "choose another moment"
        case .notDecoded(.unavailable):
            "install libheif with an HEVC decoder (Debian's packages libheif1 and, where it exists, libheif-plugin-libde265)"
        case .notDecoded(let error): error.hint
        case .unprocessed: "choose quality single, pixel format MJPG or YUYV, or another size"
        case .noEncoder:
            "install libheif with an HEVC encoder (Debian's package libheif1), or choose format jpeg or png"
        case .noEffects(_, let hint): hint
        case .tooLarge(let size, _):
            FrameFormat(pixelFormat: .yuyv, size: size).problem(for: .jpeg) == nil
                ? "choose format jpeg or png, or record at a smaller size" : "record at a smaller size"
        case .tooLittleMemory: "choose fewer frames, a lower quality, or format jpeg"
        case .notStored(let error): error.hint
        case .unreadable(let error): error.hint
        case .notKept(let error): error.hint
        case .cameraAway: "plug it in again; it is waited for"
        case .cameraBusy: "end that program; the camera is waited for"
        case .streamEnded(let error?): error.hint
        case .streamEnded(nil): "choose an earlier moment, or fewer frames after it"
        case .cancelled: "nothing was written"
        }
    }

    /// The error's name in JSON. It never changes.
    public var code: String {
        switch self {
        case .notRunning: "not-running"
        case .badSettings: "bad-settings"
        case .noFrame: "no-frame"
        case .tooOld: "too-old"
        case .noSuchFrame: "no-such-frame"
        case .overloaded: "overloaded"
        case .tooManyScheduled: "too-many-scheduled"
        case .undecodable: "undecodable"
        case .noneDecodes: "no-frame"
        case .notDecoded(.unavailable): "no-decoder"
        case .notDecoded: "undecodable"
        case .unprocessed: "unprocessed"
        case .noEncoder: "no-encoder"
        case .noEffects: "effects-missing"
        case .tooLarge: "too-large"
        case .tooLittleMemory: "too-little-memory"
        case .notStored(let error): error.code
        case .unreadable(let error): error.code
        case .notKept(let error): error.code
        case .cameraAway: "camera-away"
        case .cameraBusy: "camera-busy"
        case .streamEnded(let error?): error.code
        case .streamEnded(nil): "stream-ended"
        case .cancelled: "cancelled"
        }
    }

    /// The exit status for a program that fails with this error, as in `sysexits.h`.
    package var exitStatus: Int32 {
        switch self {
        case .badSettings: 64
        case .notDecoded(.unavailable): 69  // EX_UNAVAILABLE
        case .notDecoded(.noMemory): 71  // EX_OSERR
        case .noFrame, .tooOld, .noSuchFrame, .undecodable, .noneDecodes, .notDecoded: 65
        case .notRunning, .cameraAway, .cameraBusy, .noEncoder, .noEffects: 69  // EX_UNAVAILABLE
        case .tooLarge: 65
        case .unprocessed: 70
        case .tooLittleMemory: 71  // EX_OSERR
        case .notStored(.failed(_, _, let errno)) where [1, 13, 30].contains(errno): 73  // EPERM, EACCES, EROFS
        case .notStored(let error): error.exitStatus
        case .unreadable(let error): error.exitStatus
        case .streamEnded(let error?): error.exitStatus
        case .notKept(let error): error.exitStatus
        case .streamEnded(nil): 65
        case .overloaded, .tooManyScheduled: 75  // EX_TEMPFAIL
        case .cancelled: 130
        }
    }
}

extension Duration {
    /// Rounded, for people. It does not overflow, even for the longest span there is: a tap may ask for the end of
    /// time.
    fileprivate var inWords: String {
        let milliseconds = nanoseconds / 1_000_000 + nanoseconds % 1_000_000 / 500_000
        return milliseconds < 10_000 ? "\(milliseconds) ms" : "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
    }
}
