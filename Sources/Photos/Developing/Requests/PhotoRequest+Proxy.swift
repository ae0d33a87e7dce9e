// SPDX-License-Identifier: MIT
// The request for the quick picture that stands in for a photo made later.

extension PhotoRequest {
    /// The request for a quick picture of the same moment: its nearest frame alone, lightly denoised, as JPEG.
    package var proxy: PhotoRequest {
        var request = self
        request.quality = .speed
        request.frames = [nearest]
        request.settings.format = .jpeg
        request.settings.depth = nil
        if settings.format != .jpeg { request.settings.encodeQuality = nil }
        return request
    }
}
