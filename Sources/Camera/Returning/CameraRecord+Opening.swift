// SPDX-License-Identifier: MIT
// Opens a camera so that it may be unplugged and come back.

import LivecapFrames

extension CameraRecord {
    /// Opens the camera, and sets the format nearest the request.
    /// - Throws: why it cannot be used.
    package func open(
        _ request: FormatRequest, onUnplug policy: UnplugPolicy
    ) throws(CameraError) -> sending any FrameSource {
        if let trouble { throw trouble }
        let controls = ControlMemory()
        let camera = try V4L2Camera(
            path: path, identity: identity, request: request, transport: nil, controls: controls)
        guard case .wait(let limit) = policy else { return camera }
        let (identity, description) = (identity, camera.description)
        // A camera may be another one's twin, in another port: what it delivers decides whether it fits.
        let exactly = FormatRequest(
            pixelFormat: request.pixelFormat ?? (camera.converter == nil ? description.format.pixelFormat : nil),
            size: description.format.size, rate: description.rate)
        return ReturningSource(camera, limit: limit) { transport throws(CameraError) in
            guard let path = CameraDirectory().path(of: identity) else {
                throw .noSuchDevice(identity, available: [])
            }
            return try V4L2Camera(
                path: path, identity: identity, request: exactly, transport: transport, controls: controls)
        }
    }
}
