// SPDX-License-Identifier: MIT
// What can be set on a camera, at a glance.

/// Something that a camera can do, known from its controls.
public enum CameraFeature: String, Hashable, Codable, Sendable, CaseIterable {
    /// It exposes by itself.
    case autoExposure
    /// The time of exposure can be set.
    case exposure
    /// The gain can be set.
    case gain
    /// It balances white by itself.
    case autoWhiteBalance
    /// It focuses by itself.
    case autoFocus
    /// The focus can be set.
    case focus
    /// It zooms.
    case zoom
    /// It turns to the sides.
    case pan
    /// It turns up and down.
    case tilt

    /// The number of the control, from `linux/v4l2-controls.h`.
    fileprivate var control: UInt32 {
        switch self {
        case .autoExposure: 0x9A_0901
        case .exposure: 0x9A_0902
        case .gain: 0x98_0913
        case .autoWhiteBalance: 0x98_090C
        case .autoFocus: 0x9A_090C
        case .focus: 0x9A_090A
        case .zoom: 0x9A_090D
        case .pan: 0x9A_0908
        case .tilt: 0x9A_0909
        }
    }
}

extension CameraRecord {
    /// What the camera can do besides delivering frames.
    public var features: [CameraFeature] {
        let known = Set(controls.map(\.id.rawValue))
        return CameraFeature.allCases.filter { known.contains($0.control) }
    }
}
