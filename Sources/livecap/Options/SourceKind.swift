// SPDX-License-Identifier: MIT
// The kind of source, for hints that depend on it.

import LiveCapture

enum SourceKind: Hashable, Sendable {
    case camera, file, scene
    /// The frames kept for a photo of a library.
    case photo

    /// What to do about a shot that failed; nil if that is the same for every source.
    func hint(_ error: PhotoError) -> String? {
        switch (error, self) {
        case (.noFrame, .camera), (.tooOld, .camera), (.noSuchFrame, .camera):
            "--ring keeps more history; a longer --interval, or a lower --quality, leaves time to make pictures"
        case (.noFrame, .file), (.tooOld, .file), (.noSuchFrame, .file):
            "'livecap info FILE' lists a file's times; a time without a unit is in seconds"
        case (.noFrame, .photo), (.tooOld, .photo), (.noSuchFrame, .photo):
            "only a few frames around the photo's moment are kept; 'livecap library show ID' lists them"
        case (.undecodable, .photo), (.noneDecodes, .photo):
            "take another --quality or moment; 'livecap library verify' finds damaged frames"
        case (.noFrame, .scene), (.tooOld, .scene), (.noSuchFrame, .scene):
            "a scene's moments count from its first frame at --pace fast, else from now; frames=N ends it"
        case (.undecodable, .scene), (.noneDecodes, .scene): "take another moment, or a scene without damage=N"
        case (.undecodable, .camera), (.noneDecodes, .camera): "take another moment; another --format may do better"
        default: nil
        }
    }

    /// What to do if no frame came at all.
    var noFrameHint: String {
        switch self {
        case .camera: "take another --format, or another USB port"
        case .file, .photo: "'livecap info FILE' may show why"
        case .scene: "'livecap shoot --help' lists what a scene may be told"
        }
    }
}
