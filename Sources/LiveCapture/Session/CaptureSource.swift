// SPDX-License-Identifier: MIT
// The source of a session's frames: a camera, a recording or a synthetic scene.

import Camera
import FrameRing
import Glibc
import LivecapFrameFiles
import LivecapFrames

/// The source of a session's frames.
public enum CaptureSource: Sendable {
    /// A camera, selected by its node, id or name; "auto" selects the preferred one. If it is unplugged, the policy
    /// says what becomes of the session. Its controls are set before the first frame: by the profile of that name that
    /// the user has kept for it (default: the profile "default", if there is one), and then by `controls`; others stay
    /// as they are.
    case camera(
        String = "auto", FormatRequest = FormatRequest(), onUnplug: UnplugPolicy = .wait(),
        controls: [ControlSetting] = [], profile: String? = nil)
    /// A recording, or another file of frames.
    case replay(String, ImportSettings = ImportSettings(), Pace = .realtime)
    /// A synthetic scene.
    case synthetic(
        SyntheticSettings, pixelFormat: PixelFormat = .yuyv, size: FrameSize = FrameSize(width: 1280, height: 720),
        rate: FrameRate = FrameRate(30), Pace = .realtime)

    /// A source of your own, for example a `PacedSource`. The closure makes it, each time the session opens its source.
    /// The session throws what it throws: a `CameraError` as it is, any other error as `sourceFailed`.
    case custom(@Sendable () throws -> sending any FrameSource)

    /// The pace at which frames are delivered; nil for cameras, which have their own.
    public var pace: Pace? {
        switch self {
        case .camera, .custom: nil
        case .replay(_, _, let pace), .synthetic(_, _, _, _, let pace): pace
        }
    }

    /// The same source; if it is a scene at the real-time pace, one that begins at that time, so that several scenes
    /// that begin together show the same at the same time, and of another size if one is given.
    package func beginning(at time: Timestamp?, size other: FrameSize? = nil) -> CaptureSource {
        guard let time, case .synthetic(let settings, let pixelFormat, let size, let rate, .realtime) = self else {
            return self
        }
        return .custom {
            try SyntheticCamera(settings, pixelFormat: pixelFormat, size: other ?? size, rate: rate, beginning: time)
        }
    }

    /// Why opening the source would fail, as far as can be known without starting it; nil if it would succeed.
    /// Blocks. Pipes are not read, and custom sources not made.
    func refusal() -> CameraError? {
        do throws(CameraError) {
            switch self {
            case .camera(let name, let request, _, let controls, let profile):
                return try CameraDirectory().camera(named: name).refusal(
                    of: request, controls: controls, profile: profile)
            case .replay(let path, let settings, _):
                var status = stat()
                if path == "-" || stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO { return nil }
                let file = try CameraError.wrapping { () throws(FrameFileError) in
                    try openFrameFile(path, settings)
                }
                _ = try pictures(of: file)
            case .synthetic(var settings, let pixelFormat, let size, let rate, let pace):
                // Drawing frames is not needed to know whether they can be drawn.
                settings.prerenderedFrames = 0
                _ = try SyntheticCamera(settings, pixelFormat: pixelFormat, size: size, rate: rate, pace: pace)
            case .custom: break
            }
            return nil
        } catch { return error }
    }

    /// Opens the source. At the fast pace, it waits for the followers that join `gate`. If it is a pipe, reads it to
    /// its end, or throws `interrupted` as soon as `isUnwanted` returns true. With `canSwitchOff`, a session can switch
    /// the source off (`SessionOptions.idleOff`). A camera that another program uses is tried again for as long as
    /// `mayTryAgain`, which may wait, returns true. H.264 and HEVC are decoded where `isDecoded` holds for the format;
    /// other frames stay as they are.
    package func open(
        _ gate: FollowerGate, canSwitchOff: Bool = false, whileBusy mayTryAgain: (CameraError) -> Bool = { _ in false },
        decoding isDecoded: (PixelFormat) -> Bool = { _ in true }, unless isUnwanted: () -> Bool = { false }
    ) throws(CameraError) -> sending any FrameSource {
        switch self {
        case .camera(let name, let request, let policy, let controls, let profile):
            while true {
                do throws(CameraError) {
                    return try CameraDirectory().camera(named: name).open(
                        request, onUnplug: policy, isNamed: name != "auto", canSwitchOff: canSwitchOff,
                        controls: controls, profile: profile, decoding: isDecoded)
                } catch {
                    guard case .busy = error, mayTryAgain(error) else { throw error }
                }
            }
        case .replay(let path, let settings, let pace):
            let file = try CameraError.wrapping { () throws(FrameFileError) in
                try openFrameFile(path, settings, unless: isUnwanted)
            }
            return ReplayCamera(try pictures(of: file, where: isDecoded), pace: pace, gate: gate)
        case .synthetic(let settings, let pixelFormat, let size, let rate, let pace):
            @Sendable func make() throws(CameraError) -> sending SyntheticCamera {
                try SyntheticCamera(
                    settings, pixelFormat: pixelFormat, size: size, rate: rate, pace: pace, gate: gate)
            }
            return canSwitchOff && pace == .realtime ? try SyntheticCamera.switchable(make) : try make()
        case .custom(let make):
            do {
                return try make()
            } catch {
                throw error as? CameraError ?? .sourceFailed(name: "of your own", reason: "\(error)")
            }
        }
    }
}
