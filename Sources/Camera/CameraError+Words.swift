// SPDX-License-Identifier: MIT
// The words for each error: a message, a hint about what to do next, a name for programs, and an exit status.

import Frames
import Glibc
import Threads

extension String {
    /// Whether something exists at the path: procfs and sysfs refuse new files as if their folders were missing.
    fileprivate var isThere: Bool { access(self, F_OK) == 0 }
}

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
        case .noMemory(let bytes): "the system has no \(bytes.inMebibytes) of memory for the frames"
        case .shortage(let shortage): shortage.message
        case .noSuchFile(let path): "no such file: \(path)"
        case .badFile(let path, let detail, _): "\(path): \(detail)"
        case .wrongSize(let path, let byteCount, _): "\(path): \(byteCount) bytes are no whole number of such frames"
        case .fileError(let path, _, EEXIST): "\(path) is there already"
        case .fileError(let path, _, ENOENT) where path.folder.isThere: "nothing can be made in \(path.folder)"
        case .fileError(let path, _, ENOENT): "there is no folder \(path.folder) for \(path)"
        case .fileError(let path, _, ENOTDIR): "\(path.folder) is not a folder"
        case .fileError(let path, _, ENAMETOOLONG): "\(path): the name is too long"
        case .fileError(let path, let call, let errno): "\(path): \(call): \(words(for: errno))"
        case .interrupted: "given up before it was done"
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
        case .noSuchFile: "look at the spelling"
        case .badFile(_, _, let hint): hint
        case .wrongSize(_, _, let fits) where fits.isEmpty: "look at --size and --input-format"
        case .wrongSize(_, _, let fits):
            "these would fit: \(fits.map { "--size \($0)" }.joined(separator: ", "))"
        case .fileError(_, _, ENOSPC), .fileError(_, _, EDQUOT): "make room on the disk, or write to another one"
        case .fileError(_, _, EFBIG): "files may not grow that large here: see 'ulimit -f'"
        case .fileError(_, _, EACCES), .fileError(_, _, EPERM), .fileError(_, _, EROFS):
            "look at the rights of the file and its folder, or take another place"
        case .fileError(_, _, EEXIST): "--overwrite replaces it; or take another name"
        case .fileError(_, _, EISDIR): "name a file in it"
        case .fileError(let path, _, ENOENT) where path.folder.isThere: "write elsewhere"
        case .fileError(let path, _, ENOENT): "make it with 'mkdir -p \(path.folder)', or write elsewhere"
        case .fileError(_, _, ENOTDIR): "write elsewhere"
        case .fileError(_, _, ENAMETOOLONG):
            "take a shorter one: most disks allow 255 bytes, a picture's number included"
        case .fileError(_, _, EMFILE), .fileError(_, _, ENFILE): SystemShortage.descriptorHint
        case .fileError: "look at the file's folder and its disk"
        case .interrupted: "nothing was written"
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
        case .noSuchFile: "no-such-file"
        case .badFile: "bad-file"
        case .wrongSize: "wrong-size"
        case .fileError: "file-error"
        case .interrupted: "interrupted"
        case .badSettings: "bad-settings"
        }
    }

    /// The program's exit status, from `sysexits.h`.
    public var exitStatus: Int32 {
        switch self {
        case .badSettings: 64  // EX_USAGE
        case .badFile, .wrongSize: 65  // EX_DATAERR
        case .noSuchFile: 66  // EX_NOINPUT
        case .noSuchDevice, .notACamera, .busy, .unsupported, .notSupported, .noBandwidth, .noSignal,
            .disconnected:
            69
        case .noMemory, .shortage, .fileError(_, _, EMFILE), .fileError(_, _, ENFILE): 71  // EX_OSERR
        case .fileError(_, _, EEXIST), .fileError(_, _, EISDIR), .fileError(_, _, ENOENT), .fileError(_, _, ENOTDIR),
            .fileError(_, _, ENAMETOOLONG):
            73
        case .interrupted: 75  // EX_TEMPFAIL
        case .fileError(_, _, EACCES), .fileError(_, _, EPERM), .permissionDenied: 77  // EX_NOPERM
        case .stalled, .streamFailed, .driver, .fileError: 74  // EX_IOERR
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

extension Int {
    /// "512 MiB".
    fileprivate var inMebibytes: String { "\((self + (1 << 20) - 1) >> 20) MiB" }
}

extension String {
    /// The folder that contains the file a path names.
    fileprivate var folder: String {
        var path = self[...]
        while path.count > 1, path.last == "/" { path.removeLast() }
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

extension CameraError {
    /// Runs `body`, turning its `SystemShortage` into a `CameraError`.
    package static func wrapping<Result>(_ body: () throws(SystemShortage) -> Result) throws(CameraError) -> Result {
        do throws(SystemShortage) { return try body() } catch { throw .shortage(error) }
    }
}
