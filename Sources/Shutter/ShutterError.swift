// SPDX-License-Identifier: MIT
// The errors that prevent a shutter from being created.

import LivecapThreads

/// Why a shutter could not be created, in terms a user can act on.
public enum ShutterError: ExplainedError, Hashable, Sendable {
    /// Nothing exists at the path.
    case noSuchDevice(path: String)
    /// The file at the path does not send key presses.
    case notAButton(path: String, detail: String)
    /// The device has none of the requested keys.
    case noSuchKey(path: String, keys: [String])
    /// Permission to open the device is missing. `group` is the group that has it, if known.
    case permissionDenied(path: String, group: String?)
    /// Another program has grabbed the device.
    case busy(path: String)
    /// Another program is listening at the socket.
    case socketInUse(path: String)
    /// No program is listening at the socket.
    case nobodyListens(path: String)
    /// The program at the socket does not answer, or has ended meanwhile.
    case noAnswer(path: String)
    /// Something that is not ours to replace already has the socket's name.
    case notASocket(path: String)
    /// The path is too long for a socket.
    case pathTooLong(String, limit: Int)
    /// Other users could replace the socket.
    case unsafeDirectory(path: String, detail: String)
    /// The process has another `SignalShutter` that is not closed.
    case signalsInUse
    /// A system call failed in a way that no other case describes.
    case failed(String, call: String, errno: Int32)
}
