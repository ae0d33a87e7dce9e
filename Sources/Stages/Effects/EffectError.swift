// SPDX-License-Identifier: MIT
// Why effects cannot be drawn.

import Glibc
import LivecapDetection
import LivecapStills
import LivecapThreads

/// Why effects cannot be drawn.
package enum EffectError: ExplainedError, Hashable, Sendable {
    /// A net that they need cannot be used.
    case nets(NetError)
    /// The background's file cannot be read.
    case unreadable(path: String, errno: Int32)
    /// What has the background's name is a folder, a pipe or a device.
    case notAFile(path: String)
    /// The background's file is larger than any picture.
    case tooLarge(path: String)
    /// The background's file is no picture that can be decoded.
    case undecodable(path: String, StillError)
}

extension EffectError {
    package var message: String {
        switch self {
        case .nets(let error): error.message
        case .unreadable(let path, let errno):
            "the background \(path) cannot be read: \(String(cString: strerror(errno)))"
        case .notAFile(let path): "the background \(path) is not a file"
        case .tooLarge(let path):
            "the background \(path) has more than \(BackgroundFile.mostBytes >> 20) MB"
        case .undecodable(let path, let error): "the background \(path): \(error.message)"
        }
    }

    package var hint: String {
        switch self {
        case .nets(let error): error.hint
        case .unreadable(_, EACCES), .unreadable(_, EPERM): "check the permissions of the file and its folders"
        case .unreadable, .notAFile: "name a JPEG or PNG file, or a colour such as #204060"
        case .tooLarge: "save it smaller, as JPEG or PNG"
        case .undecodable(_, .noMemory): "allow more memory, or save it smaller"
        case .undecodable(_, .unavailable): "save it as JPEG or PNG"
        case .undecodable:
            "save it as JPEG or PNG, of up to \(DecodedPicture.longestSide) pixels on a side, or choose another"
        }
    }

    /// The error's name in JSON.
    package var code: String {
        if case .nets = self { Self.missingCode } else { Self.backgroundCode }
    }
    /// The name of those that say what is wrong with a background's picture.
    package static let backgroundCode = "bad-background"
    /// The name of those that say what is not installed.
    static let missingCode = "effects-missing"

    /// The exit status of a program that ends with it: `sysexits.h`.
    package var exitStatus: Int32 {
        switch self {
        case .nets: 69  // EX_UNAVAILABLE
        case .unreadable(_, EACCES), .unreadable(_, EPERM): 77  // EX_NOPERM
        case .unreadable, .notAFile: 66  // EX_NOINPUT
        case .tooLarge, .undecodable: 65  // EX_DATAERR
        }
    }
}

extension EffectSettings {
    /// Why they cannot be drawn here: a picture and nets are loaded, and let go.
    package var lack: EffectError? {
        if case .picture(let path) = background, let lack = BackgroundFile.lack(of: path) { return lack }
        guard !models.isEmpty else { return nil }
        do throws(NetError) {
            let nets = try Nets()
            for model in models { _ = try nets.open(model) }
            return nil
        } catch { return .nets(error) }
    }
}
