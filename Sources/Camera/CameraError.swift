// SPDX-License-Identifier: MIT
// What can go wrong between a user's wish and frames in the ring, each with what to do next.

import Frames
import Threads

/// A failure a user can act on. Outcomes of normal life (a lost or damaged frame, a full ring) are values, not errors.
public enum CameraError: Error, Hashable, Sendable {
    /// No camera by that name; what there is instead.
    case noSuchDevice(String, available: [String])
    /// The node exists but delivers no video (a metadata node, a sound card, a file).
    case notACamera(path: String, detail: String)
    /// The node may not be opened; the group that may, where it is known.
    case permissionDenied(path: String, group: String?)
    /// Somebody else is streaming; who, where /proc tells.
    case busy(path: String, holder: String?)
    /// The camera does not deliver what was asked for; what it does, nearest first.
    case unsupported(asked: String, offered: [String])
    /// The device works in a way livecap does not (interlaced fields, several planes, output only).
    case notSupported(path: String, detail: String)
    /// ENOSPC at stream-on: the USB bus has no room for the stream.
    case noBandwidth(path: String, format: String)
    /// A grabber has nothing at its input.
    case noSignal(path: String)
    /// The camera went away.
    case disconnected(path: String)
    /// No frame came for so long, and restarting the stream did not help.
    case stalled(path: String, after: TimeSpan)
    /// The stream failed and restarting it did not help.
    case streamFailed(path: String, call: String, errno: Int32)
    /// A call to the driver failed in a way with no better name.
    case driver(path: String, call: String, errno: Int32)
    /// The system has no thread or descriptor left.
    case shortage(SystemShortage)
    /// The ring's memory is not to be had.
    case noMemory(bytes: Int)
    /// No such file.
    case noSuchFile(String)
    /// The file is not what it should be; why.
    case badFile(String, detail: String, hint: String)
    /// A headerless file is no whole number of frames; sizes that would fit.
    case wrongSize(String, byteCount: Int, fits: [FrameSize])
    /// Reading or writing a file failed.
    case fileError(String, call: String, errno: Int32)
    /// The settings make no sense; what would.
    case badSettings(String, hint: String)
}
