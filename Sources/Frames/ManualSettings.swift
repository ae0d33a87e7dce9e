// SPDX-License-Identifier: MIT
// What a camera was set to by hand.

/// What a camera was set to by hand when it took a frame. What it decides by itself is nil, because it keeps changing.
public struct ManualSettings: Hashable, Codable, Sendable {
    /// The exposure time.
    public var exposure: Duration?
    /// The amplification of the sensor's signal, in the camera's units.
    public var gain: Int32?
    /// The colour temperature of the light, in kelvins.
    public var whiteBalance: Int32?
    /// The distance in focus, in the camera's units.
    public var focus: Int32?

    /// Creates settings; what is left out is automatic or unknown.
    public init(
        exposure: Duration? = nil, gain: Int32? = nil, whiteBalance: Int32? = nil, focus: Int32? = nil
    ) {
        self.exposure = exposure
        self.gain = gain
        self.whiteBalance = whiteBalance
        self.focus = focus
    }
}
