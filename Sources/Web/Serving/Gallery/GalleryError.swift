// SPDX-License-Identifier: MIT
// Why a gallery cannot be made.

import LivecapFiles
import LivecapPhotoStorage
import LivecapThreads

/// Why a gallery cannot be made, or a photo not be added to it.
package enum GalleryError: ExplainedError, Hashable, Sendable {
    /// The file has a name that a gallery needs, and is not a gallery's.
    case foreign(String)
    /// Another program adds photos to the gallery.
    case busy(String)
    /// A file cannot be written.
    case file(FileError)
    /// A photo cannot be read.
    case library(LibraryError)

    package var message: String {
        switch self {
        case .foreign(let path): "\(path) is not part of a gallery"
        case .busy(let path): "the gallery \(path) is being changed by another program"
        case .file(let error): error.message
        case .library(let error): error.message
        }
    }

    package var hint: String {
        switch self {
        case .foreign: "name an empty or new folder, or one that an earlier export has made a gallery"
        case .busy: "try again once it has ended"
        case .file(let error): error.hint
        case .library(let error): error.hint
        }
    }

    /// A name for programs.
    package var code: String {
        switch self {
        case .foreign: "not-a-gallery"
        case .busy: "gallery-busy"
        case .file(let error): error.code
        case .library(let error): error.code
        }
    }

    /// The exit status of a program that ends with it, as in sysexits.h.
    package var exitStatus: Int32 {
        switch self {
        case .foreign: 73
        case .busy: 75
        case .file(let error): error.exitStatus
        case .library(let error): error.exitStatus
        }
    }
}
