// SPDX-License-Identifier: MIT
// Everything that can go wrong between a user's request and frames in the ring.

import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapThreads

/// A failure that a user can act on. Outcomes of normal operation (a lost or damaged frame, a full ring) are values,
/// not errors.
public enum CameraError: ExplainedError, Hashable, Sendable {
    /// There is no camera of this name. `available` lists the cameras that exist.
    case noSuchDevice(String, available: [String])
    /// Several cameras have this name. `cameras` lists them by their identities.
    case ambiguousName(String, cameras: [String])
    /// The node exists but delivers no video (a metadata node, a sound card, a file).
    case notACamera(path: String, detail: String)
    /// Permission to open the node is missing. `group` is the group that has it, if known.
    case permissionDenied(path: String, group: String?)
    /// Another process is streaming. `holder` names it, if /proc reveals it.
    case busy(path: String, holder: String?)
    /// Another livecap, the `host`, has the camera, and delivers `has` instead of what is `asked` for.
    case heldOtherwise(host: String, asked: String, has: String)
    /// These livecaps have cameras, and do not let a command read their frames: they do not answer, or serve as many
    /// commands as they can.
    case hostSilent(hosts: [String])
    /// The livecap whose frames were read has ended or, if `isChanged`, taken another camera or format.
    case hostEnded(host: String, isChanged: Bool)
    /// The camera does not deliver the requested format. `offered` lists what it does deliver, nearest first.
    case unsupported(asked: String, offered: [String])
    /// Frames of this format need libavcodec to be decoded, and it cannot be used, for the reason given.
    case noDecoder(PixelFormat, detail: String)
    /// The device works in a way that livecap does not support (interlaced fields, several planes, output only).
    case notSupported(path: String, detail: String)
    /// ENOSPC when the stream was started: the USB bus has no bandwidth left for it.
    case noBandwidth(path: String, format: String)
    /// A video grabber has no signal at its input.
    case noSignal(path: String)
    /// The camera was disconnected.
    case disconnected(path: String)
    /// No frame arrived for the given time, and restarting the stream did not help.
    case stalled(path: String, after: Duration)
    /// The stream failed, and restarting it did not help.
    case streamFailed(path: String, call: String, errno: Int32)
    /// A driver call failed in a way that no other case describes.
    case driver(path: String, call: String, errno: Int32)
    /// A source of the program's own failed, for the given reason.
    case sourceFailed(name: String, reason: String)
    /// The system has run out of threads or descriptors.
    case shortage(SystemShortage)
    /// The ring's memory could not be allocated.
    case noMemory(bytes: Int)
    /// The file that is replayed cannot be read.
    case file(FrameFileError)
    /// The memory allowed is too small for photos of that size; both in bytes.
    case tooLittleMemory(given: Int, FrameSize, needed: Int)
    /// A control cannot be set as asked.
    case control(ControlError)
    /// The settings make no sense; `hint` says how to fix them.
    case badSettings(String, hint: String)
}
