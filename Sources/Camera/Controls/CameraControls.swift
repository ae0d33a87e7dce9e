// SPDX-License-Identifier: MIT
// Reads and sets the controls of a connected camera, also while another program uses it.

import LivecapThreads

/// The controls of a connected camera: exposure, gain, white balance, focus, zoom, and every other its driver lists.
///
/// ```swift
/// let controls = try await CameraControls(of: camera)
/// try await controls.set(.exposure, to: .duration(.milliseconds(10)))
/// try await controls.set(.whiteBalance, to: .automatic)
/// ```
///
/// A session or another program may stream from the camera meanwhile. Most cameras forget what is set when they are
/// unplugged; a session sets it again when its camera is back. What asks the camera throws `disconnected` once it was
/// unplugged, and is done on threads of its own.
public final class CameraControls: Sendable {
    private let node: ControlNode
    private let watch = Guarded<ControlWatch?>(nil)

    /// Opens the controls of a camera.
    /// - Throws: `noSuchDevice`, `permissionDenied`, and what the driver refuses.
    public convenience init(of camera: CameraRecord) async throws(CameraError) {
        self.init(try await onThread(named: "controls") { () throws(CameraError) in try ControlNode(camera.path) })
    }

    private init(_ node: ControlNode) { self.node = node }

    /// All controls as they are now, in the driver's order.
    /// - Throws: `disconnected`.
    public var all: [CameraControl] {
        get async throws(CameraError) {
            let node = node
            return try await onThread(named: "controls") { () throws(CameraError) in try node.controls() }
        }
    }

    /// Whether one control can be set to a value: nil if it can, or else why not. Changes nothing.
    ///
    /// The answer is for the controls as they are now. A camera may still refuse a value by itself.
    /// - Throws: `disconnected`.
    public func canSet(_ name: ControlName, to value: ControlValue) async throws(CameraError) -> ControlError? {
        try await canSet([ControlSetting(name, value)])
    }

    /// Whether `set` would accept settings together: nil if it would, or else why not. Changes nothing. One setting can
    /// make another possible, as a manual mode does.
    ///
    /// The answer is for the controls as they are now. A camera may still refuse a value by itself.
    /// - Throws: `disconnected`.
    public func canSet(_ settings: [ControlSetting]) async throws(CameraError) -> ControlError? {
        try await all.refusal(of: settings)
    }

    /// Sets one control.
    /// - Throws: `control` if the camera has no such control or it cannot have that value, and `disconnected`.
    public func set(_ name: ControlName, to value: ControlValue) async throws(CameraError) {
        _ = try await set([ControlSetting(name, value)])
    }

    /// Sets controls, and returns all of them as they are then. If any of the settings is impossible, none is made. A
    /// camera may still round a value, or refuse one by itself.
    /// - Throws: `control` if the camera has no such control or it cannot have that value, and `disconnected`.
    @discardableResult
    public func set(_ settings: [ControlSetting]) async throws(CameraError) -> [CameraControl] {
        let node = node
        return try await onThread(named: "controls") { () throws(CameraError) in try node.set(settings) }
    }

    /// Sets every control to its default, and returns them as they are then.
    /// - Throws: `disconnected`.
    @discardableResult
    public func reset() async throws(CameraError) -> [CameraControl] {
        let node = node
        return try await onThread(named: "controls") { () throws(CameraError) in try node.reset() }
    }

    /// Follows the controls: gives all of them now, and again after each change, also by other programs. Ends when the
    /// camera is unplugged or the reader's task is cancelled. A slow reader gets the newest.
    ///
    /// Drivers report what programs set. What an automatic mode does by itself, few do.
    /// - Throws: `shortage` if the system has no thread or descriptor left, and what opening the camera throws.
    public func changes() async throws(CameraError) -> ControlChanges {
        try await onThread(named: "controls") { () throws(CameraError) in
            try self.watch.withLock { watch throws(CameraError) in
                if let watch { return ControlChanges(watch: watch) }
                let begun = try ControlWatch(self.node.path)
                watch = begun
                return ControlChanges(watch: begun)
            }
        }
    }
}
