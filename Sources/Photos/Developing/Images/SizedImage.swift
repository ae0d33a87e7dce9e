// SPDX-License-Identifier: MIT
// Pictures of a library's photos in the size that a program shows.

import LivecapFrames
import LivecapIntents
import LivecapPhotoStorage
import LivecapStills
import LivecapThreads

/// A picture of a photo in the size that was asked for.
public struct SizedImage: Hashable, Sendable {
    /// Of which of the photo's pictures it was made.
    public let kind: LibraryImage.Kind
    /// The photo.
    public let photo: LibraryPhoto
    /// The picture's size and format, which says how its bytes are laid out.
    public let format: FrameFormat
    /// The picture: a file if the format is JPEG, and else samples.
    public let bytes: [UInt8]

    /// Whether a better one follows.
    public var isDegraded: Bool { kind != .final }
}

/// The pictures of a photo in a size, each better than the last, as `LibraryImages` delivers their files. A thumbnail
/// is not enlarged, so the first picture may be smaller than the others.
public struct SizedImages: AsyncSequence, Sendable {
    fileprivate let images: LibraryImages
    fileprivate let settings: ImageSettings

    /// Iterates over the pictures.
    public func makeAsyncIterator() -> Iterator { Iterator(images: images.makeAsyncIterator(), settings: settings) }

    /// The state of one iteration.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var images: LibraryImages.Iterator
        fileprivate let settings: ImageSettings

        /// The next picture; nil after the final, after an error, and if the task is cancelled.
        /// - Throws: `notKept` for what `LibraryImages` throws, `notDecoded` if the file cannot be decoded, and
        ///   `badSettings` for a size or a quality that no picture has.
        public mutating func next(isolation: isolated (any Actor)? = #isolation) async throws(PhotoError) -> SizedImage?
        {
            let image: LibraryImage?
            do throws(LibraryError) { image = try await images.next() } catch { throw .notKept(error) }
            guard let image else { return nil }
            let (settings, library) = (settings, images.library)
            return try await onThread(named: "library") { () throws(PhotoError) in
                try library.sized(image.kind, image.photo, file: image.bytes, settings)
            }
        }
    }
}

extension PhotoLibrary {
    /// The pictures of a photo in a size, as they become available: degraded, secondary, final. The secondary one is
    /// only delivered if `allowsSecondaryDegraded` is true.
    ///
    /// ```swift
    /// for try await image in library.images(of: id, ImageSettings(size: cell, mode: .fill, format: .rgb24)) {
    ///     show(image.bytes, image.format.size)
    /// }
    /// ```
    public func images(
        of id: PhotoID, _ settings: ImageSettings, allowsSecondaryDegraded: Bool = false
    ) -> SizedImages {
        SizedImages(images: images(of: id, allowsSecondaryDegraded: allowsSecondaryDegraded), settings: settings)
    }

    /// A picture of the photo's current file, final or proxy.
    /// - Throws: as `SizedImages`, and if the file is missing or damaged.
    public func image(of id: PhotoID, _ settings: ImageSettings) async throws(PhotoError) -> SizedImage {
        try await onThread(named: "library") { () throws(PhotoError) in try self.image(of: id, settings) }
    }

    /// The same. Blocks.
    package func image(of id: PhotoID, _ settings: ImageSettings) throws(PhotoError) -> SizedImage {
        let photo: LibraryPhoto, bytes: [UInt8]
        do throws(LibraryError) { (photo, bytes) = try copy(of: id) } catch { throw .notKept(error) }
        return try sized(photo.isProxy ? .secondary : .final, photo, file: bytes, settings)
    }

    fileprivate func sized(
        _ kind: LibraryImage.Kind, _ photo: LibraryPhoto, file: [UInt8], _ settings: ImageSettings
    ) throws(PhotoError) -> SizedImage {
        let picture = try settings.picture(of: file, metadata(of: photo))
        return SizedImage(kind: kind, photo: photo, format: picture.format, bytes: picture.bytes)
    }

    /// What a picture of a photo says about it. How it was made is left to the photo's own file.
    private func metadata(of photo: LibraryPhoto) -> PhotoMetadata {
        let account = try? account(of: photo.id)
        let camera = account.flatMap { JSON(parsing: Array($0.provenance.utf8)) }?["source"]?["name"]?.text
        let request = account.flatMap { try? PhotoRequest($0.request) }
        var metadata = request?.metadata(of: camera) ?? PhotoMetadata()
        metadata.orientation = .up
        metadata.time = photo.taken
        // They belong to the file with the movie, and to the photo's own provenance.
        metadata.contentIdentifier = nil
        metadata.provenance = nil
        return metadata
    }
}
