// SPDX-License-Identifier: MIT
// The pictures of a photo, each better than the last, as they become available.

import LivecapThreads

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
///
/// A session of this program that finishes the library's photos makes a final that is waited for at once, even while it
/// takes other photos; of several, the one first that was asked for first.
public struct LibraryImages: AsyncSequence, Sendable {
    package let library: PhotoLibrary
    let id: PhotoID
    let allowsSecondary: Bool

    /// Iterates over the pictures.
    public func makeAsyncIterator() -> Iterator { Iterator(images: self) }

    /// The state of one iteration.
    public struct Iterator: AsyncIteratorProtocol {
        private let images: LibraryImages
        package var library: PhotoLibrary { images.library }
        /// The picture to look for next; nil at the end.
        private var wanted: LibraryImage.Kind? = .degraded

        fileprivate init(images: LibraryImages) { self.images = images }

        /// The next picture; nil after the final, after an error, and if the task is cancelled.
        /// - Throws: `noSuchPhoto`, `unfinishable` if the final cannot be made, and what is wrong with the library.
        public mutating func next(
            isolation: isolated (any Actor)? = #isolation
        ) async throws(LibraryError) -> LibraryImage? {
            let (images, changes) = (images, images.library.changes)
            var asking: (any AnyObject & Sendable)?
            var watching: CatalogueWatch?
            defer { withExtendedLifetime((asking, watching)) {} }
            while let kind = wanted {
                wanted = nil
                let seen = changes.count
                let found = try await onThread(named: "library") { () throws(LibraryError) in try images.look(for: kind)
                }
                switch found {
                case .there(let image):
                    wanted = images.kind(after: kind)
                    return image
                case .missing:
                    wanted = images.kind(after: kind)
                case .awaited:
                    asking = asking ?? images.library.demand.ask(for: images.id)
                    if watching == nil { watching = try changes.watch() }
                    guard await changes.wait(after: seen) else { return nil }
                    wanted = kind
                }
            }
            return nil
        }
    }

    private enum Finding {
        case there(LibraryImage), missing, awaited
    }

    private func kind(after kind: LibraryImage.Kind) -> LibraryImage.Kind? {
        switch kind {
        case .degraded: allowsSecondary ? .secondary : .final
        case .secondary: .final
        case .final: nil
        }
    }

    /// Reads a picture from the disk, if the library has it.
    private func look(for kind: LibraryImage.Kind) throws(LibraryError) -> Finding {
        let photo = try library.photo(id)
        switch kind {
        case .degraded:
            guard let thumbnail = try library.thumbnail(of: id) else { return .missing }
            return .there(LibraryImage(kind: kind, photo: photo, bytes: thumbnail))
        case .secondary:
            guard photo.isProxy else { return .missing }
            do throws(LibraryError) {
                return .there(try library.image(kind, photo))
            } catch {
                // The photo was finished meanwhile, and its proxy removed.
                guard case .missing = error, try !library.photo(id).isProxy else { throw error }
                return .missing
            }
        case .final:
            switch photo.state {
            case .finished: return .there(try library.image(kind, photo))
            case .failed(let reason): throw .unfinishable(id, reason: reason)
            case .deferred: return .awaited
            }
        }
    }
}

extension PhotoLibrary {
    /// The pictures of a photo as they become available: degraded, secondary, final. The secondary one, the proxy in
    /// full size, is only delivered if `allowsSecondaryDegraded` is true: a program may not want to show two pictures
    /// that differ slightly.
    public func images(of id: PhotoID, allowsSecondaryDegraded: Bool = false) -> LibraryImages {
        LibraryImages(library: self, id: id, allowsSecondary: allowsSecondaryDegraded)
    }

    fileprivate func image(_ kind: LibraryImage.Kind, _ photo: LibraryPhoto) throws(LibraryError) -> LibraryImage {
        do throws(LibraryError) {
            return LibraryImage(kind: kind, photo: photo, bytes: try bytes(of: photo.file))
        } catch {
            // A movie was just added to it.
            let now = try self.photo(photo.id)
            guard error.isLossOfFile, now.file != photo.file, now.file.place == photo.file.place else { throw error }
            return LibraryImage(kind: kind, photo: now, bytes: try bytes(of: now.file))
        }
    }
}
