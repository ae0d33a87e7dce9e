// SPDX-License-Identifier: MIT
// The words for each error: a message, a hint about what to do next, a name for programs, and an exit status.

import Files
import FrameFiles
import Frames
import Glibc
import Threads

extension CameraError {
    /// A one-line description of the failure, without a full stop.
    public var message: String {
        switch self {
        case .noSuchDevice("auto", _): "no camera found"
        case .noSuchDevice(let name, _): "no camera called '\(name)'"
        case .notACamera(let path, let detail): "\(path) is no camera: \(detail)"
        case .permissionDenied(let path, _): "\(path) may not be opened"
        case .busy(let path, let holder?): "\(path) is in use by \(holder)"
        case .busy(let path, nil): "\(path) is in use by another program"
        case .unsupported(let asked, _): "the source does not deliver \(asked)"
        case .notSupported(let path, let detail): "\(path) cannot be used: \(detail)"
        case .noBandwidth(let path, let format): "the USB bus has no room for \(format) from \(path)"
        case .noSignal(let path): "there is no signal at the input of \(path)"
        case .disconnected(let path): "the camera at \(path) has gone away"
        case .stalled(let path, let after): "no frame came from \(path) for \(after.inWords)"
        case .streamFailed(let path, let call, let errno):
            "the stream of \(path) broke off: \(call): \(words(for: errno))"
        case .driver(let path, let call, let errno): "the driver of \(path) failed: \(call): \(words(for: errno))"
        case .noMemory(let bytes): "the system has no \(bytes.mebibytes) MiB of memory for the frames"
        case .shortage(let shortage): shortage.message
        case .file(let error): error.message
        case .badSettings(let detail, _): detail
        }
    }

    /// A one-line suggestion of what to do next.
    public var hint: String {
        switch self {
        case .noSuchDevice(_, let available) where available.isEmpty:
            "plug one in, or go without: '--synthetic tripod' makes frames up, '--replay FILE' plays recorded ones"
        case .noSuchDevice(_, let available): "there is \(available.joined(separator: ", "))"
        case .notACamera: "'livecap devices' lists the cameras there are"
        case .permissionDenied(_, let group?) where group != "root":
            "'sudo usermod -aG \(group) $USER' lets you, after logging in again"
        case .permissionDenied: "ask whoever looks after this machine for the right to open it"
        case .busy: "end that program, or name another camera with --device"
        case .unsupported(_, let offered) where offered.isEmpty: "it offers nothing that can be used"
        case .unsupported(_, let offered): "nearest: \(offered.joined(separator: "; "))"
        case .notSupported: "'livecap devices' lists what else there is"
        case .noBandwidth: "take a smaller --size, a lower --fps or --format MJPG, or another USB port"
        case .noSignal: "look at the cable, and whether the device at its other end is on"
        case .disconnected: "plug it in again; what was recorded until then is kept"
        case .stalled: "plug it in again; a lower --fps or another USB port may help"
        case .streamFailed: "plug it in again; 'dmesg' may tell what happened"
        case .driver: "'dmesg' may tell more; another --format may do better"
        case .noMemory: "ask for less history with --ring, or for a smaller --size"
        case .shortage(let shortage): shortage.hint
        case .file(let error): error.hint
        case .badSettings(_, let hint): hint
        }
    }

    /// The error's name in JSON: words joined by hyphens. These names are stable.
    public var code: String {
        switch self {
        case .noSuchDevice: "no-such-device"
        case .notACamera: "not-a-camera"
        case .permissionDenied: "permission-denied"
        case .busy: "busy"
        case .unsupported: "unsupported"
        case .notSupported: "not-supported"
        case .noBandwidth: "no-bandwidth"
        case .noSignal: "no-signal"
        case .disconnected: "disconnected"
        case .stalled: "stalled"
        case .streamFailed: "stream-failed"
        case .driver: "driver"
        case .noMemory: "no-memory"
        case .shortage: "system-shortage"
        case .file(let error): error.code
        case .badSettings: "bad-settings"
        }
    }

    /// The program's exit status, from `sysexits.h`.
    public var exitStatus: Int32 {
        switch self {
        case .badSettings: 64  // EX_USAGE
        case .noSuchDevice, .notACamera, .busy, .unsupported, .notSupported, .noBandwidth, .noSignal,
            .disconnected:
            69
        case .noMemory, .shortage: 71  // EX_OSERR
        case .permissionDenied: 77  // EX_NOPERM
        case .stalled, .streamFailed, .driver: 74  // EX_IOERR
        case .file(let error): error.exitStatus
        }
    }
}

/// The system's message for an errno.
private func words(for errno: Int32) -> String { String(cString: strerror(errno)) }

extension TimeSpan {
    /// "1.5 s", "80 ms".
    fileprivate var inWords: String {
        milliseconds < 1000 ? "\(nanoseconds / 1_000_000) ms" : "\((seconds * 10).rounded() / 10) s"
    }
}

extension CameraError {
    /// Runs `body`, turning its `SystemShortage` into a `CameraError`.
    package static func wrapping<Result>(_ body: () throws(SystemShortage) -> Result) throws(CameraError) -> Result {
        do throws(SystemShortage) { return try body() } catch { throw .shortage(error) }
    }

    /// Runs `body`, which reads the file that is replayed, turning its error into a `CameraError`.
    package static func wrapping<Result>(_ body: () throws(FrameFileError) -> Result) throws(CameraError) -> Result {
        do throws(FrameFileError) { return try body() } catch { throw .file(error) }
    }
}
