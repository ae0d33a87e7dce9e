// SPDX-License-Identifier: MIT
// What can keep a shutter from being made, each with what to do next.

/// Why there is no shutter, in a way a user can act on.
public enum ShutterError: Error, Hashable, Sendable {
    /// There is nothing at the path.
    case noSuchDevice(path: String)
    /// What is at the path sends no key presses.
    case notAButton(path: String, detail: String)
    /// The device has none of the keys asked for.
    case noSuchKey(path: String, keys: [String])
    /// The device may not be opened; the group that may, where it is known.
    case permissionDenied(path: String, group: String?)
    /// Another program has taken the device for itself.
    case busy(path: String)
    /// Another program listens at the socket.
    case socketInUse(path: String)
    /// Something that is not ours to replace has the socket's name.
    case notASocket(path: String)
    /// A socket's path has no room for so many bytes.
    case pathTooLong(String, most: Int)
    /// Others could take the socket's place.
    case unsafeDirectory(path: String, detail: String)
    /// A system call failed in a way with no better name.
    case failed(String, call: String, errno: Int32)
}
