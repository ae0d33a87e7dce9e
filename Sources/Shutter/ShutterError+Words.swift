// SPDX-License-Identifier: MIT
// The words for each error: a message, a hint about what to do next, a name for programs, and an exit status.

import Glibc
import LivecapFiles

extension ShutterError {
    /// A one-line description of the failure, without a full stop.
    public var message: String {
        switch self {
        case .noSuchDevice(let path): "no input device at \(path)"
        case .notAButton(let path, let detail): "\(path) sends no key presses: \(detail)"
        case .noSuchKey(let path, let keys): "\(path) has no \(keys.joined(separator: " or "))"
        case .permissionDenied(let path, _): "no permission to open \(path)"
        case .busy(let path): "another program has exclusive use of \(path)"
        case .socketInUse(let path): "another program is listening at \(path)"
        case .nobodyListens(let path): "no livecap is listening at \(path)"
        case .noAnswer(let path): "the program that listens at \(path) does not answer"
        case .notASocket(let path): "\(path) exists and is not a socket of yours"
        case .pathTooLong(let path, let limit): "a socket's path is limited to \(limit) bytes, and '\(path)' has more"
        case .unsafeDirectory(let path, let detail): "\(path) is not a safe place for a socket: \(detail)"
        case .signalsInUse: "another shutter of this process takes its signals"
        case .failed(let what, let call, let errno): "\(what): \(call): \(String(cString: strerror(errno)))"
        }
    }

    /// A one-line suggestion of what to do next.
    public var hint: String {
        switch self {
        case .noSuchDevice: "'ls -l /dev/input/by-id' lists the connected devices"
        case .notAButton: "use a keyboard, a remote shutter or a mouse; 'ls -l /dev/input/by-id' lists them"
        case .noSuchKey: "'evtest' shows a device's keys"
        case .permissionDenied(_, let group?) where group != "root":
            "'sudo usermod -aG \(group) $USER' grants it from your next login on"
        case .permissionDenied:
            "input devices usually belong to the group 'input'; ask the administrator to add you to it"
        case .busy: "end that program, or name another device"
        case .socketInUse: "end that program, or choose another path"
        case .nobodyListens: "start one, or name the socket of one that runs"
        case .noAnswer: "look whether it still runs, and try again"
        case .notASocket: "remove it, or choose another path"
        case .pathTooLong: "choose a shorter path"
        case .unsafeDirectory: "make it your own directory with mode 700, or choose a path elsewhere"
        case .signalsInUse: "close that shutter first, or let several tasks read its events"
        case .failed(_, _, EMFILE), .failed(_, _, ENFILE): "too many open files: see 'ulimit -n'"
        case .failed(_, _, EAGAIN), .failed(_, _, ENOMEM):
            "end other programs, or raise 'ulimit -u' or 'ulimit -v'"
        case .failed(_, _, ENOENT): "create the directory first"
        case .failed(_, _, EACCES), .failed(_, _, EPERM), .failed(_, _, EROFS):
            "check its permissions, or choose another place"
        case .failed: "'dmesg' may show more"
        }
    }

    /// The error's name in JSON: words joined by hyphens. These names are stable.
    public var code: String {
        switch self {
        case .noSuchDevice: "no-such-device"
        case .notAButton: "not-a-button"
        case .noSuchKey: "no-such-key"
        case .permissionDenied: "permission-denied"
        case .busy: "busy"
        case .socketInUse: "socket-in-use"
        case .nobodyListens: "nobody-listens"
        case .noAnswer: "no-answer"
        case .notASocket: "not-a-socket"
        case .pathTooLong: "path-too-long"
        case .unsafeDirectory: "unsafe-directory"
        case .signalsInUse: "signals-in-use"
        case .failed: "shutter-failed"
        }
    }

    /// The program's exit status, from `sysexits.h`.
    package var exitStatus: Int32 {
        switch self {
        case .pathTooLong, .noSuchKey: 64  // EX_USAGE
        case .noSuchDevice, .notAButton, .busy, .socketInUse, .signalsInUse: 69  // EX_UNAVAILABLE
        case .nobodyListens, .noAnswer: 69
        case .notASocket, .failed(_, _, ENOENT): 73  // EX_CANTCREAT
        case .permissionDenied, .unsafeDirectory, .failed(_, _, EACCES), .failed(_, _, EPERM): 77  // EX_NOPERM
        case .failed(_, _, EMFILE), .failed(_, _, ENFILE), .failed(_, _, ENOMEM), .failed(_, _, EAGAIN): 71  // EX_OSERR
        case .failed: 74  // EX_IOERR
        }
    }
}
