// SPDX-License-Identifier: MIT
// Opens a camera so that it may be unplugged and come back.

import LivecapFrames

extension CameraRecord {
    /// Opens the camera, and sets the format nearest the request, and its controls. One that the user has not named may be
    /// replaced by another while it is connected, if the policy is `next`.
    /// - Throws: why it cannot be used.
    package func open(
        _ request: FormatRequest, onUnplug policy: UnplugPolicy, isNamed: Bool = true,
        controls settings: [ControlSetting] = []
    ) throws(CameraError) -> sending any FrameSource {
        if let trouble { throw trouble }
        let controls = ControlMemory(settings)
        let camera = try V4L2Camera(
            path: path, identity: identity, request: request, transport: nil, controls: controls)
        let (identity, description) = (identity, camera.description)
        // A camera may be another one's twin, in another port: what it delivers decides whether it fits.
        let exactly = FormatRequest(
            pixelFormat: request.pixelFormat ?? (camera.converter == nil ? description.format.pixelFormat : nil),
            size: description.format.size, rate: description.rate)
        switch policy {
        case .end: return camera
        case .wait(let limit):
            let same = SameSource { transport throws(CameraError) in
                guard let path = CameraDirectory().path(of: identity) else {
                    throw .noSuchDevice(identity, available: [])
                }
                return try V4L2Camera(
                    path: path, identity: identity, request: exactly, transport: transport, controls: controls)
            }
            return ReturningSource(camera, limit: limit, same)
        case .next(let limit):
            let next = NextCamera(
                after: identity, home: isNamed ? identity : nil, exactly, try CameraWatch(CameraDirectory()), controls,
                settings
            ) { path, identity, request, controls, transport throws(CameraError) in
                try V4L2Camera(
                    path: path, identity: identity, request: request, transport: transport, controls: controls)
            }
            return ReturningSource(camera, limit: limit, next)
        }
    }
}
