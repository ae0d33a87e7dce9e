// SPDX-License-Identifier: MIT
// Where the pictures of a virtual camera go.

import LivecapFrames

/// Whether programs take pictures.
enum PictureDemand: Hashable, Sendable {
    /// Nobody does for now.
    case none
    /// Somebody does, or that is not known.
    case some
    /// Nobody will again.
    case never(VirtualCameraError)
}

/// Takes the pictures of a virtual camera.
protocol PictureSink: AnyObject, Sendable {
    /// Calls `body` with the demand of now, and whenever it changes, one call after the other. To be called once;
    /// `body` must not wait.
    func onDemand(_ body: @escaping @Sendable (PictureDemand) -> Void)
    /// Shows a YUYV picture of the agreed size, taken at `time`. Used by one thread.
    /// - Throws: why it shows nothing any more; it is not called again then.
    func show(_ pixels: UnsafeRawBufferPointer, at time: Timestamp) throws(VirtualCameraError)
}
