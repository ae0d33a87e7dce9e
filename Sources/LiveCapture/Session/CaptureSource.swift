// SPDX-License-Identifier: MIT
// Where a session's frames come from: a camera, a recording or a made-up scene.

import Camera
import FrameRing
import Frames

/// Where a session's frames come from.
public enum CaptureSource: Sendable {
    /// A camera by its node, id or name; "auto" is the preferred one.
    case camera(String = "auto", FormatRequest = FormatRequest())
    /// A recording, or another file of frames.
    case replay(String, ImportSettings = ImportSettings(), Pace = .realtime)
    /// A made-up scene.
    case synthetic(
        SyntheticSettings, pixelFormat: PixelFormat = .yuyv, size: FrameSize = FrameSize(width: 1280, height: 720),
        rate: FrameRate = FrameRate(30), Pace = .realtime)

    /// How fast it runs; nil for cameras, which have a pace of their own.
    public var pace: Pace? {
        switch self {
        case .camera: nil
        case .replay(_, _, let pace), .synthetic(_, _, _, _, let pace): pace
        }
    }

    /// Opens it. At the fast pace, it waits for those who join `gate`.
    public func open(_ gate: FollowerGate) throws(CameraError) -> sending any FrameSource {
        switch self {
        case .camera(let name, let request):
            let camera = try CameraDirectory().camera(named: name)
            if let trouble = camera.trouble { throw trouble }
            return try V4L2Camera(path: camera.path, identity: camera.identity, request: request)
        case .replay(let path, let settings, let pace):
            return ReplayCamera(try openFrameFile(path, settings), pace: pace, gate: gate)
        case .synthetic(let settings, let pixelFormat, let size, let rate, let pace):
            return try SyntheticCamera(
                settings, pixelFormat: pixelFormat, size: size, rate: rate, pace: pace, gate: gate)
        }
    }
}
