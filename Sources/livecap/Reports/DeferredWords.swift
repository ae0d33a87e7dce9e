// SPDX-License-Identifier: MIT
// Reports about deferred photos.

import LivecapIntents
import LivecapPhotoStorage

/// The outcome of a deferred photo.
struct FinalNews: Sendable {
    let id: PhotoID
    let outcome: Result<LibraryPhoto, LibraryError>

    /// The outcome as members of a JSON object.
    var members: [(String, JSON)] {
        switch outcome {
        case .success(let photo):
            [
                ("libraryId", .integer(id.number)), ("file", .string(photo.path)),
                ("bytes", JSON(photo.file.byteCount)),
                ("qualityGiven", JSON(photo.qualityGiven?.rawValue)),
            ]
        case .failure(let error):
            [
                ("libraryId", .integer(id.number)), ("error", .string(error.message)), ("code", .string(error.code)),
                ("hint", .string(Hints.hint(error))),
            ]
        }
    }

    /// The outcome in words for people.
    var words: String {
        switch outcome {
        case .success(let photo): "photo \(id) is finished: \(photo.path), \(photo.file.byteCount / 1000) kB"
        case .failure(let error): error.message
        }
    }
}

extension LibraryPhoto {
    /// A note that its proxy was edited and is kept; nil if it was not.
    var editWords: String? {
        editedProxy.map { "photo \(id) had a proxy that another program has changed: it is kept as \($0)" }
    }
}

enum DeferredWords {
    /// What to do about proxies that remain at the end.
    static func leftForLater(_ count: Int) -> String {
        "\(counted(count, "picture")) still \(count == 1 ? "a proxy" : "proxies"): 'livecap library finish' makes the "
            + (count == 1 ? "final" : "finals")
    }
}
