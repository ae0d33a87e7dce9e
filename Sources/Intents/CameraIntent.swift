// SPDX-License-Identifier: MIT
// Another camera, or another format of the same one.

/// A camera to go on with, and the format wanted of it.
public struct CameraIntent: Hashable, Sendable {
    /// Which camera.
    public var id = ""
    /// The name of a pixel format.
    public var format: String?
    /// The width of pictures, if the height is named, too.
    public var width: Int?
    /// The height of pictures, if the width is named, too.
    public var height: Int?
    /// Frames per second.
    public var rate: Double?

    /// No camera yet.
    public init() {}
}

extension CameraIntent: Intent {
    package static let name = "Camera"
    package static let about =
        "A camera to go on with. What is left out of the format is chosen for it."
    package static let example = #"{"id":"usb-046d_0825-1","format":"MJPG","width":1280,"height":720,"fps":30}"#

    package static let fields: [IntentField<Self>] = [
        .required("id", \.id, .text(1...256), about: "one of the ids that the list of cameras has"),
        .optional("format", \.format, .text(1...16), about: "a pixel format of the camera, such as MJPG"),
        .optional("width", \.width, .whole(1...16384), about: "the width of its frames"),
        .optional("height", \.height, .whole(1...16384), about: "the height of its frames"),
        .optional("fps", \.rate, .number(0.001...1000), about: "how many frames a second"),
    ]

    package var conflict: IntentFault? {
        guard (width == nil) != (height == nil) else { return nil }
        return IntentFault("\"width\" and \"height\" belong together", hint: "give both, or neither")
    }
}
