// SPDX-License-Identifier: MIT
// The words for each error: a message, a hint about what to do next, a name for programs, and an exit status.

import Glibc
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapThreads

extension CameraError {
    /// A one-line description of the failure, without a full stop.
    public var message: String {
        switch self {
        case .noSuchDevice("auto", _): "no camera found"
        case .noSuchDevice("livecap", _): "no livecap is running that has such a camera"
        case .noSuchDevice(let name, _): "no camera called '\(name)'"
        case .ambiguousName(let name, let cameras): "'\(name)' is the name of \(cameras.count) cameras"
        case .notACamera(let path, let detail): "\(path) is not a camera: \(detail)"
        case .permissionDenied(let path, _): "no permission to open \(path)"
        case .busy(let path, let holder?): "\(path) is in use by \(holder)"
        case .busy(let path, nil): "\(path) is in use by another program"
        case .heldOtherwise(let host, let asked, let has): "\(host) has the camera, with \(has) instead of \(asked)"
        case .hostSilent(let hosts):
            "no frames can be read from \(hosts.joined(separator: " or "))"
        case .hostEnded(let host, isChanged: true): "\(host) has another camera or format now"
        case .hostEnded(let host, isChanged: false): "\(host) has ended, and its frames with it"
        case .unsupported(let asked, _): "the source does not deliver \(asked)"
        case .noDecoder(let format, let detail): "\(format) frames need FFmpeg's libraries to be decoded: \(detail)"
        case .notSupported(let path, let detail): "\(path) cannot be used: \(detail)"
        case .noBandwidth(let path, let format): "the USB bus has no room for \(format) from \(path)"
        case .noSignal(let path): "no signal at the input of \(path)"
        case .disconnected(let path): "the camera at \(path) was disconnected"
        case .stalled(let path, let after): "no frame came from \(path) for \(after.inWords)"
        case .streamFailed(let path, let call, let errno):
            "the stream of \(path) failed: \(call): \(words(for: errno))"
        case .driver(let path, let call, let errno): "the driver of \(path) failed: \(call): \(words(for: errno))"
        case .sourceFailed(let name, let reason): "the source \(name) failed: \(reason)"
        case .noMemory(let bytes): "not enough memory for the frames: \(bytes.mebibytes) MiB needed"
        case .shortage(let shortage): shortage.message
        case .file(let error): error.message
        case .tooLittleMemory(let given, let size, _):
            "\(given < 1 << 20 ? "\(given) bytes" : "\(given >> 20) MiB") of memory are not enough for photos of \(size)"
        case .control(let error): error.message
        case .badSettings(let detail, _): detail
        }
    }

    /// A one-line suggestion of what to do next.
    public var hint: String {
        switch self {
        case .noSuchDevice(_, let available) where available.isEmpty:
            "connect one, or use a synthetic scene or a recording"
        case .noSuchDevice(_, let available): "available: \(available.joined(separator: ", "))"
        case .ambiguousName(_, let cameras): "name one by its identity: \(cameras.joined(separator: ", "))"
        case .notACamera: "choose a camera that CameraDirectory lists"
        case .permissionDenied(_, let group?) where group != "root":
            "'sudo usermod -aG \(group) $USER' grants it from your next login on"
        case .permissionDenied: "ask the administrator for permission to open it"
        case .busy: "end that program, or choose another camera"
        case .heldOtherwise: "take the frames as they are, or end that program"
        case .hostSilent:
            "it hangs, is of another version, or has as many readers as it serves: end some of those, or end it"
        case .hostEnded(_, isChanged: true): "run the command again to use its frames"
        case .hostEnded(_, isChanged: false): "run the command again to use the camera itself"
        case .unsupported(_, let offered) where offered.isEmpty: "the source offers no usable format"
        case .unsupported(_, let offered): "nearest: \(offered.joined(separator: "; "))"
        case .noDecoder:
            "install the libraries of FFmpeg 5 to 9 (on Debian and Ubuntu 'sudo apt install ffmpeg'), or choose "
                + "another format of the camera, such as MJPG or YUYV"
        case .notSupported: "choose another camera that CameraDirectory lists"
        case .noBandwidth: "choose a smaller size, a lower rate, MJPG, or another USB port"
        case .noSignal: "check the cable, and that the device at its other end is switched on"
        case .disconnected: "reconnect it"
        case .stalled: "reconnect it; a lower rate or another USB port may help"
        case .streamFailed: "reconnect it; 'dmesg' may show what happened"
        case .driver: "'dmesg' may show more; another pixel format may work"
        case .sourceFailed: "start it again once the reason is gone"
        case .noMemory: "keep less history, or choose a smaller size"
        case .shortage(let shortage): shortage.hint
        case .file(let error): error.hint
        case .tooLittleMemory(_, _, let needed):
            "allow \(needed.mebibytes) MiB (SessionOptions.memory), or choose a smaller size"
        case .control(let error): error.hint
        case .badSettings(_, let hint): hint
        }
    }

    /// The error's name in JSON: words joined by hyphens. These names are stable.
    public var code: String {
        switch self {
        case .noSuchDevice: "no-such-device"
        case .ambiguousName: "ambiguous-name"
        case .notACamera: "not-a-camera"
        case .permissionDenied: "permission-denied"
        case .busy: "busy"
        case .heldOtherwise: "held-otherwise"
        case .hostSilent: "host-silent"
        case .hostEnded: "host-ended"
        case .unsupported: "unsupported"
        case .noDecoder: "no-ffmpeg"
        case .notSupported: "not-supported"
        case .noBandwidth: "no-bandwidth"
        case .noSignal: "no-signal"
        case .disconnected: "disconnected"
        case .stalled: "stalled"
        case .streamFailed: "stream-failed"
        case .driver: "driver"
        case .sourceFailed: "source-failed"
        case .noMemory: "no-memory"
        case .shortage: "system-shortage"
        case .file(let error): error.code
        case .control(let error): error.code
        case .tooLittleMemory, .badSettings: "bad-settings"
        }
    }

    /// The program's exit status, from `sysexits.h`.
    package var exitStatus: Int32 {
        switch self {
        case .control(.refused): 74  // EX_IOERR
        case .tooLittleMemory, .badSettings, .control: 64  // EX_USAGE
        case .noSuchDevice, .ambiguousName, .notACamera, .busy, .unsupported, .notSupported, .noBandwidth, .noSignal,
            .disconnected, .heldOtherwise, .hostSilent, .hostEnded, .noDecoder:
            69
        case .noMemory, .shortage: 71  // EX_OSERR
        case .permissionDenied: 77  // EX_NOPERM
        case .stalled, .streamFailed, .driver, .sourceFailed: 74  // EX_IOERR
        case .file(let error): error.exitStatus
        }
    }
}

/// The system's message for an errno.
private func words(for errno: Int32) -> String { String(cString: strerror(errno)) }

extension Duration {
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
