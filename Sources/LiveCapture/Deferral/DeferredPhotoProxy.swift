// SPDX-License-Identifier: MIT
// A quick picture of a moment whose final is made later.

import LivecapDeveloping
import LivecapPhotoStorage

/// A quick picture of a moment whose final photo is made later. Both the proxy and the frames for the final are durable
/// by the time it is delivered.
public struct DeferredPhotoProxy: Hashable, Codable, Sendable {
    /// The photo in the library. Its final will replace the proxy there.
    public let id: PhotoID
    /// The proxy and its provenance: the reference frame alone, lightly denoised, as JPEG.
    public internal(set) var photo: Photo
}
