// SPDX-License-Identifier: MIT
// A program's need of the camera, beyond its taps.

/// Keeps the camera of a session on while it exists, although no photo is taken: a session may switch its camera off
/// when idle (`SessionOptions.idleOff`). Release it to let the camera rest.
public final class CameraUse: Sendable {
    private let desk: Desk

    init(_ desk: Desk) {
        self.desk = desk
        desk.useCamera()
    }

    deinit { desk.releaseCamera() }
}
