// SPDX-License-Identifier: MIT
// A quick picture of a moment whose photo is made later.

import PhotoLibrary

/// A quick picture of a moment whose photo is made later. Both it and the frames the photo will be made of are on the disk.
public struct DeferredPhotoProxy: Sendable {
    /// The photo in the library, where its final will take the proxy's place.
    public let id: PhotoID
    /// The proxy, and its account of itself: the reference frame alone, lightly denoised, as JPEG.
    public internal(set) var photo: Photo
}
