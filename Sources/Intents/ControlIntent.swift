// SPDX-License-Identifier: MIT
// A control of a camera, such as its brightness, and the value it is to have.

/// A control to be set.
public struct ControlIntent: Hashable, Sendable {
    /// Which one.
    public var key = ""
    /// Its value, as it is written.
    public var value = ""

    /// No control yet.
    public init() {}
}

extension ControlIntent: Intent {
    package static let name = "Control"
    package static let about = "A control of the camera, and the value it is to have."
    package static let example = #"{"key":"brightness","value":12}"#

    package static let fields: [IntentField<Self>] = [
        .required("key", \.key, .text(1...256), about: "one of the keys that the list of controls has"),
        .required(
            "value", \.value, .setting, about: "a number; the name of an item of a menu; true or false for a switch"),
    ]
}
