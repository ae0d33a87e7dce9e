// SPDX-License-Identifier: MIT
// The pictures of a photo, each better than the last, as they become available.

import Threads

/// One of the pictures that a request delivers.
public struct LibraryImage: Hashable, Sendable {
    /// The quality level of a picture.
    public enum Kind: String, Hashable, Codable, Sendable {
        /// A thumbnail.
        case degraded
        /// The proxy: full size, made of one frame.
        case secondary
        /// The final.
        case final
    }
    /// The quality level.
    public let kind: Kind
    /// The photo.
    public let photo: LibraryPhoto
    /// The picture file's bytes.
    public let bytes: [UInt8]

    /// Whether a better one follows.
    public var isDegraded: Bool { kind != .final }
}

/// The pictures of a photo in increasing quality: the thumbnail if there is one, the proxy while there is no final, and
/// the final, which the sequence waits for. It ends with the final, or throws if the final cannot be made.
public struct LibraryImages: AsyncSequence, Sendable {
    let library: PhotoLibrary
    let id: PhotoID
    let allowsSecondary: Bool

    /// Iterates over the pictures.
    public func makeAsyncIterator() -> Iterator { Iterator(images: self) }

    /// The state of one iteration.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Step {
            case degraded, secondary, final, end
        }
        private let images: LibraryImages
        private var step = Step.degraded

        fileprivate init(images: LibraryImages) { self.images = images }

        /// The next picture; nil after the final, and if the task is cancelled.
        public mutating func next(
            isolation: isolated (any Actor)? = #isolation
        ) async throws(LibraryError) -> LibraryImage? {
            let (library, id) = (images.library, images.id)
            while true {
                switch step {
                case .degraded:
                    step = images.allowsSecondary ? .secondary : .final
                    let photo = try library.photo(id)
                    if let thumbnail = try library.thumbnail(of: id) {
                        return LibraryImage(kind: .degraded, photo: photo, bytes: thumbnail)
                    }
                case .secondary:
                    step = .final
                    let photo = try library.photo(id)
                    guard photo.isProxy else { continue }
                    do throws(LibraryError) {
                        return try library.image(.secondary, photo)
                    } catch {
                        // The photo was finished meanwhile, and its proxy removed.
                        guard case .missing = error, try !library.photo(id).isProxy else { throw error }
                    }
                case .final:
                    let seen = library.changes.count
                    let photo = try library.photo(id)
                    switch photo.state {
                    case .finished:
                        step = .end
                        return try library.image(.final, photo)
                    case .failed(let reason):
                        step = .end
                        throw .unfinishable(id, reason: reason)
                    case .deferred:
                        guard await library.changes.wait(after: seen) else {
                            step = .end
                            return nil
                        }
                    }
                case .end: return nil
                }
            }
        }
    }
}

extension PhotoLibrary {
    /// The pictures of a photo as they become available: degraded, secondary, final. The secondary one, the proxy in
    /// full size, is only delivered if `allowSecondaryDegraded` is true: a program may not want to show two pictures
    /// that differ slightly.
    public func images(of id: PhotoID, allowSecondaryDegraded: Bool = false) -> LibraryImages {
        LibraryImages(library: self, id: id, allowsSecondary: allowSecondaryDegraded)
    }

    fileprivate func image(_ kind: LibraryImage.Kind, _ photo: LibraryPhoto) throws(LibraryError) -> LibraryImage {
        var bytes: [UInt8] = []
        try read(photo.file) { bytes.append(contentsOf: $0) }
        return LibraryImage(kind: kind, photo: photo, bytes: bytes)
    }
}
