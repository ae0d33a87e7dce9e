// SPDX-License-Identifier: MIT
// Why there is no sound.

import Glibc
import LivecapThreads

/// Sound cannot be captured.
public enum SoundError: ExplainedError, Hashable, Sendable {
    /// ALSA's library is not installed.
    case noLibrary(detail: String)
    /// PipeWire's library is not installed.
    case noPipeWire(detail: String)
    /// PipeWire does not run for this user.
    case pipeWireNotRunning(detail: String)
    /// PipeWire does not connect livecap with this source.
    case notConnected(String)
    /// PipeWire ended, through which this source was heard.
    case pipeWireEnded(String)
    /// There is no microphone at all.
    case noMicrophone
    /// No microphone has that name, and ALSA has no such device; with those there are.
    case noSuchMicrophone(String, available: [String])
    /// Several microphones have that name.
    case ambiguousName(String, [String])
    /// Another program uses it.
    case busy(String, user: String?)
    /// This user may not use it.
    case noPermission(String)
    /// It was unplugged.
    case disconnected(String)
    /// It could not be opened or started, for another reason.
    case failed(String, call: String, errno: Int32)
    /// The source of the pictures has a clock of its own, so sound of now does not belong to them.
    case otherClock
    /// The system has no thread left.
    case shortage(SystemShortage)

    /// A one-line description of the failure, without a full stop.
    public var message: String {
        switch self {
        case .noLibrary(let detail): "ALSA's library cannot be loaded: \(detail)"
        case .noPipeWire(let detail): "PipeWire's library cannot be loaded: \(detail)"
        case .pipeWireNotRunning(let detail): "PipeWire does not run: \(detail)"
        case .notConnected(let name): "PipeWire does not connect \(name)"
        case .pipeWireEnded(let name): "PipeWire has ended, and with it the sound of \(name)"
        case .noMicrophone: "no microphone is connected"
        case .noSuchMicrophone(let name, _):
            Self.plugin(name) == nil ? "no microphone is named '\(name)'" : "ALSA has no device '\(name)'"
        case .ambiguousName(let name, _): "several microphones are named '\(name)'"
        case .busy(let name, let user): "\(name) is in use\(user.map { " by \($0)" } ?? "")"
        case .noPermission(let name): "no permission to use \(name)"
        case .disconnected(let name): "\(name) was unplugged"
        case .failed(let name, let call, let errno): "\(name): \(call): \(Self.words(errno))"
        case .otherClock:
            "a recording, or a scene at the fast pace, has a clock of its own, to which no microphone fits"
        case .shortage(let shortage): shortage.message
        }
    }

    /// A one-line suggestion of what to do next.
    public var hint: String {
        switch self {
        case .noLibrary: "install it: 'sudo apt install libasound2'"
        case .noPipeWire: "install it: 'sudo apt install libpipewire-0.3-0'"
        case .pipeWireNotRunning: "start it, and its session manager"
        case .notConnected: "start its session manager, such as wireplumber"
        case .pipeWireEnded: "start it again"
        case .noMicrophone: "connect one"
        case .noSuchMicrophone(let name, let available):
            if let package = Self.plugin(name) {
                "install ALSA's plugin for it: 'sudo apt install \(package)'"
            } else {
                available.isEmpty
                    ? "no microphone is connected" : "there are: \(available.joined(separator: ", "))"
            }
        case .ambiguousName(_, let names): "name one of them: \(names.joined(separator: ", "))"
        case .busy: "end that program, or share the microphone with it through PipeWire"
        case .noPermission: "join the group audio: 'sudo usermod -aG audio $USER', then log in again"
        case .disconnected: "connect it again"
        case .failed: "choose another one"
        case .otherClock: "use a camera"
        case .shortage(let shortage): shortage.hint
        }
    }

    /// The Debian package of the plugin with which ALSA has a device of this name; nil if none makes it.
    package static func plugin(_ device: String) -> String? {
        switch device.prefix(while: { $0 != ":" }) {
        case "pipewire": "pipewire-alsa"
        case "pulse": "libasound2-plugins"
        default: nil
        }
    }

    /// The error's name in JSON: words joined by hyphens. These names are stable.
    public var code: String {
        switch self {
        case .noLibrary: "no-alsa"
        case .noPipeWire: "no-pipewire"
        case .pipeWireNotRunning: "pipewire-not-running"
        case .notConnected: "microphone-not-connected"
        case .noMicrophone, .noSuchMicrophone: "no-such-microphone"
        case .ambiguousName: "ambiguous-name"
        case .busy: "microphone-busy"
        case .noPermission: "no-permission"
        case .disconnected, .pipeWireEnded: "microphone-gone"
        case .failed: "microphone-failed"
        case .otherClock: "bad-settings"
        case .shortage: "system-shortage"
        }
    }

    /// The program's exit status, from `sysexits.h`.
    package var exitStatus: Int32 {
        switch self {
        case .otherClock: 64  // EX_USAGE
        case .noLibrary, .noPipeWire, .pipeWireNotRunning, .notConnected, .pipeWireEnded, .noMicrophone,
            .noSuchMicrophone, .ambiguousName, .busy, .disconnected:
            69  // EX_UNAVAILABLE
        case .shortage: 71  // EX_OSERR
        case .failed: 74  // EX_IOERR
        case .noPermission: 77  // EX_NOPERM
        }
    }

    /// The error for a failed call on a microphone.
    static func of(_ name: String, call: String, errno: Int32, user: String? = nil) -> SoundError {
        switch errno {
        case EBUSY, EAGAIN: .busy(name, user: user)
        case EACCES, EPERM: .noPermission(name)
        case ENODEV, ENXIO: .disconnected(name)
        default: .failed(name, call: call, errno: errno)
        }
    }

    private static func words(_ errno: Int32) -> String { String(cString: strerror(errno)) }
}
