// SPDX-License-Identifier: MIT
// Which control is meant: by what it does, by its driver's name, or by V4L2's number.

/// The name of a control.
///
/// `exposure`, `gain` and the other constants mean the same on every camera and with every driver. They cover both the
/// value and the switch between automatic and manual, where V4L2 has two controls. Any other text is the driver's name,
/// however it is written ("Exposure Time, Absolute", `exposure_time_absolute`), or V4L2's number (`0x9a0902`).
public struct ControlName: Hashable, Codable, Sendable {
    /// The name as it was given.
    public let text: String

    /// The control that `text` names.
    public init(_ text: String) { self.text = text }

    /// How long each frame is exposed.
    public static let exposure = ControlName("exposure")
    /// Whether the camera may lower the frame rate to expose for longer.
    public static let exposurePriority = ControlName("exposure-priority")
    /// The amplification of the sensor's signal.
    public static let gain = ControlName("gain")
    /// The colour temperature of the light, in kelvins.
    public static let whiteBalance = ControlName("white-balance")
    /// The distance in focus, in the camera's units.
    public static let focus = ControlName("focus")
    /// The focal length, in the camera's units.
    public static let zoom = ControlName("zoom")
    /// The turn to the sides, in seconds of arc.
    public static let pan = ControlName("pan")
    /// The turn up and down, in seconds of arc.
    public static let tilt = ControlName("tilt")
    /// The opening of the lens.
    public static let iris = ControlName("iris")
    /// The brightness of the picture.
    public static let brightness = ControlName("brightness")
    /// The contrast of the picture.
    public static let contrast = ControlName("contrast")
    /// How strong colours are.
    public static let saturation = ControlName("saturation")
    /// The turn of all colours.
    public static let hue = ControlName("hue")
    /// The tone curve of the picture.
    public static let gamma = ControlName("gamma")
    /// How much the camera sharpens the picture.
    public static let sharpness = ControlName("sharpness")
    /// How much the camera exposes for what is in front of a bright background.
    public static let backlight = ControlName("backlight")
    /// The frequency of the mains, whose lamps flicker.
    public static let powerLine = ControlName("power-line")

    /// The constants, in the order in which they are listed.
    public static let common = ControlRole.all.map(\.name)
}

extension ControlName: ExpressibleByStringLiteral {
    /// The control that the literal names.
    public init(stringLiteral text: String) { self.init(text) }
}

extension ControlName: CustomStringConvertible {
    /// The name as it was given.
    public var description: String { text }
}

/// What a control does, whatever its driver calls it.
struct ControlRole: Sendable {
    /// How a value is locked and unlocked.
    struct Mode: Sendable {
        let id: CameraControl.ID
        /// The values with which the camera decides by itself, the best first.
        let automatic: [Int64]
        /// The values with which a value can be set, the best first.
        let manual: [Int64]

        /// A switch: off and on.
        static func flag(_ id: UInt32) -> Mode { Mode(id: .init(rawValue: id), automatic: [1], manual: [0]) }
    }

    let name: ControlName
    let id: CameraControl.ID
    let mode: Mode?
    /// The name as keys of controls are written.
    private let key: String

    private init(_ name: ControlName, _ id: UInt32, _ mode: Mode? = nil) {
        self.name = name
        self.id = .init(rawValue: id)
        self.mode = mode
        key = name.text.asControlKey
    }

    /// From `linux/v4l2-controls.h`. Swift does not import constants that are sums.
    static let all = [
        // Of the modes of exposure, most webcams have manual (1) and aperture priority (3), which is automatic exposure
        // for a lens of fixed aperture; fully automatic (0) and shutter priority (2) are for others.
        ControlRole(
            .exposure, 0x9A_0902, Mode(id: .init(rawValue: 0x9A_0901), automatic: [3, 0], manual: [1, 2])),
        ControlRole(.exposurePriority, 0x9A_0903),
        ControlRole(.gain, 0x98_0913, .flag(0x98_0912)),
        ControlRole(.whiteBalance, 0x98_091A, .flag(0x98_090C)),
        ControlRole(.focus, 0x9A_090A, .flag(0x9A_090C)),
        ControlRole(.zoom, 0x9A_090D),
        ControlRole(.pan, 0x9A_0908),
        ControlRole(.tilt, 0x9A_0909),
        ControlRole(.iris, 0x9A_0911),
        ControlRole(.brightness, 0x98_0900, .flag(0x98_0920)),
        ControlRole(.contrast, 0x98_0901),
        ControlRole(.saturation, 0x98_0902),
        ControlRole(.hue, 0x98_0903, .flag(0x98_0919)),
        ControlRole(.gamma, 0x98_0910),
        ControlRole(.sharpness, 0x98_091B),
        ControlRole(.backlight, 0x98_091C),
        ControlRole(.powerLine, 0x98_0918),
    ]

    /// The role of that name; nil if it is a driver's name or a number.
    static func named(_ name: ControlName) -> ControlRole? {
        let key = name.text.asControlKey
        return all.first { $0.key == key }
    }

    /// The role of exposure, whose unit is known.
    static let exposure = named(.exposure)!
    static let gain = named(.gain)!
    static let whiteBalance = named(.whiteBalance)!
    static let focus = named(.focus)!
    /// The unit of exposure: 100 microseconds.
    static let exposureUnit = Duration.microseconds(100)
}
