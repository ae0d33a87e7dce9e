// SPDX-License-Identifier: MIT
// An open node whose controls are read and set, by calls that block.

/// What `CameraControls` does, for callers that may block.
package final class ControlNode: Sendable {
    let device: V4L2Device
    var path: String { device.path }

    /// Opens the camera at a node.
    package init(_ path: String) throws(CameraError) {
        device = try V4L2Device(path: path)
        _ = try device.capabilities()
    }

    /// All controls as they are now.
    package func controls() throws(CameraError) -> [CameraControl] { try device.controls() }

    /// Throws if a setting is impossible now, or after a reset.
    package func check(_ settings: [ControlSetting], afterReset: Bool) throws(CameraError) {
        let controls = try afterReset ? controls().afterReset : controls()
        if let error = controls.refusal(of: settings) { throw .control(error) }
    }

    /// Sets controls, and returns all of them as they are then.
    package func set(_ settings: [ControlSetting]) throws(CameraError) -> [CameraControl] {
        try device.apply(settings)
        return try controls()
    }

    /// Sets every control to its default, and returns all of them as they are then.
    package func reset() throws(CameraError) -> [CameraControl] {
        try device.reset(try controls())
        return try controls()
    }
}
