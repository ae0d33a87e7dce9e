// SPDX-License-Identifier: MIT
// Cameras and controls that people ask for while a session runs.

import Camera

extension CaptureSession {
    /// Goes on with the camera of that identity, which `history` keeps as chosen, as `CaptureSource.next` says. Blocks.
    package func goOn(
        with camera: String, _ format: FormatRequest, keptIn history: CameraHistory?
    ) throws(SessionError) {
        let before = source.identity
        // Whatever else a camera can be named by, such as a path, would be opened to see whether it is one.
        guard camera == before || CameraDirectory().has(camera) else {
            throw .source(.noSuchDevice(camera, available: []))
        }
        let next = chosenSource?.next(camera, isSame: camera == before, format) ?? .camera(camera, format)
        try replaceSource(next)
        guard camera != before, let chosen = try? CameraDirectory().camera(named: camera) else { return }
        // Whether it can be kept does not change which camera it is.
        try? history?.choose(chosen)
    }

    /// The controls of the current camera; nil if the source is none. Blocks.
    package func cameraControls() throws(CameraError) -> [CameraControl]? { try controlNode()?.controls() }

    /// Sets a control of the current camera, and returns all of them as they are then; nil if the source is none.
    /// Blocks.
    package func set(_ setting: ControlSetting) throws(CameraError) -> [CameraControl]? {
        guard let node = try controlNode() else { return nil }
        try node.check([setting], afterReset: false)
        return try node.set([setting])
    }

    func controlNode() throws(CameraError) -> ControlNode? {
        guard rotation != nil else { return nil }
        return try ControlNode(CameraDirectory().camera(named: source.identity).path)
    }
}

extension CaptureSource {
    /// The source that goes on from this one with a camera and a format. What was asked of this one stays in force as
    /// far as it concerns the next. A camera that stays keeps its controls and profile, and its format if none is
    /// named.
    func next(_ camera: String, isSame: Bool, _ format: FormatRequest) -> CaptureSource {
        guard case .camera(_, let asked, let policy, let controls, let profile) = self else {
            return .camera(camera, format)
        }
        guard isSame else { return .camera(camera, format, onUnplug: policy) }
        return .camera(
            camera, format == FormatRequest() ? asked : format, onUnplug: policy, controls: controls, profile: profile)
    }
}
