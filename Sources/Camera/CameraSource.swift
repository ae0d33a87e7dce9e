// SPDX-License-Identifier: MIT
// A source that is a camera, as far as the capture has to know.

/// A source that is a camera of this machine.
package protocol CameraSource: FrameSource {
    /// What to turn its pictures by; nil if nothing is known of it.
    var rotation: RotationCoordinator? { get }
    /// What its profile says, but the camera does not accept.
    var settingsLeftOut: [ControlSetting] { get }
    /// What it failed to be set to, although it was asked several times.
    var settingsFailed: [ControlSetting] { get }
    /// Whether its privacy switch was closed when it was opened.
    var isSuspended: Bool { get }
    /// Whether nobody has to wait for its exposure to settle, because it has been running for a while.
    var hasSettled: Bool { get }
}

extension CameraSource {
    /// None of sources that are not set.
    package var settingsFailed: [ControlSetting] { [] }
    /// False for sources that are no cameras with such a switch.
    package var isSuspended: Bool { false }
    /// False for those that have just been opened.
    package var hasSettled: Bool { false }
}

extension V4L2Camera: CameraSource {}
extension ReturningSource: CameraSource {}
