// SPDX-License-Identifier: MIT
// The errors of virtual cameras.

import Glibc
import LivecapThreads

/// Why a virtual camera cannot be made, or shows nothing any more.
public enum VirtualCameraError: ExplainedError, Hashable, Sendable {
    /// libpipewire is not installed, or too old.
    case noPipeWire(detail: String)
    /// PipeWire does not run for this user.
    case notRunning(detail: String)
    /// The path is no video device that takes pictures.
    case notAnOutput(path: String, detail: String)
    /// The device keeps another format.
    case refused(path: String, asked: String, kept: String)
    /// Frames of this pixel format cannot be converted.
    case unsuitable(String)
    /// Who was to show the pictures has gone.
    case gone(String)
    /// A system call failed in a way that no other case describes.
    case failed(String, call: String, errno: Int32)

    /// A one-line description of the failure, without a full stop.
    public var message: String {
        switch self {
        case .noPipeWire(let detail): "libpipewire cannot be loaded: \(detail)"
        // What libpipewire says if there is no daemon means another machine to most people.
        case .notRunning(let detail) where detail == String(cString: strerror(EHOSTDOWN)):
            "the PipeWire daemon is not running for this user"
        case .notRunning(let detail): "the PipeWire daemon of this user cannot be reached: \(detail)"
        case .notAnOutput(let path, let detail): "\(path) does not take pictures: \(detail)"
        case .refused(let path, let asked, let kept): "\(path) does not take \(asked): it keeps \(kept)"
        case .unsuitable(let format): "\(format) frames cannot be converted for other programs"
        case .gone(let name): "\(name) has gone"
        case .failed(let what, let call, let errno): "\(what): \(call): \(String(cString: strerror(errno)))"
        }
    }

    /// A one-line suggestion of what to do next.
    public var hint: String {
        switch self {
        case .noPipeWire: "install it: 'sudo apt install pipewire'"
        case .notRunning: "start it, and with it a session manager such as wireplumber"
        case .notAnOutput: "the kernel module v4l2loopback makes such devices"
        case .refused: "end the programs that use it, or choose that size"
        case .unsuitable: "choose another format of the camera, such as YUYV or MJPG"
        case .gone: "start it, then livecap again"
        case .failed(_, "open", ENOENT): "the kernel module v4l2loopback makes such devices"
        case .failed(_, _, EACCES), .failed(_, _, EPERM): "check its permissions: 'sudo usermod -aG video $USER'"
        case .failed(_, _, EBUSY): "end the program that uses it"
        case .failed: "'dmesg' may show more"
        }
    }

    /// The error's name in JSON: words joined by hyphens. These names are stable.
    public var code: String {
        switch self {
        case .noPipeWire: "no-pipewire"
        case .notRunning: "pipewire-not-running"
        case .notAnOutput: "not-an-output"
        case .refused: "format-refused"
        case .unsuitable: "unsuitable-format"
        case .gone: "virtual-camera-gone"
        case .failed: "virtual-camera-failed"
        }
    }

    /// The program's exit status, from `sysexits.h`.
    package var exitStatus: Int32 {
        switch self {
        case .noPipeWire, .notRunning, .notAnOutput, .refused, .unsuitable, .gone: 69  // EX_UNAVAILABLE
        case .failed(_, _, EACCES), .failed(_, _, EPERM): 77  // EX_NOPERM
        case .failed: 74  // EX_IOERR
        }
    }
}
