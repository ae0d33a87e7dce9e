// SPDX-License-Identifier: MIT
// The kind of source, for hints that depend on it.

enum SourceKind: Hashable, Sendable {
    case camera, file, scene
    /// The frames kept for a photo of a library.
    case photo
}
