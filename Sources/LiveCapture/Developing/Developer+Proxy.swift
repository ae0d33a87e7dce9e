// SPDX-License-Identifier: MIT
// The quick picture in the place of a photo that is made later.

extension PhotoRequest {
    /// A quick picture of the same moment: its reference alone, lightly denoised, as JPEG.
    var proxy: PhotoRequest {
        var request = self
        request.quality = .speed
        request.frames = [nearest]
        request.settings.format = .jpeg
        request.settings.depth = nil
        if settings.format != .jpeg { request.settings.encodeQuality = nil }
        return request
    }
}
