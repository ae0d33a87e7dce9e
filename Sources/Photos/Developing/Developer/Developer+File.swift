// SPDX-License-Identifier: MIT
// Makes a photo of a picture file in the file's own precision: there is nothing to fuse.

import Fusion
import LivecapFrames
import LivecapStills

extension Developer {
    /// Makes a photo of a picture file, which counts as `frame`, the only one of the request. `bytes`: its file if that
    /// is known already, which that of a picture is into which nothing is drawn.
    func photo(
        of request: PhotoRequest, _ frame: FrameMetadata, file: FinePicture, as bytes: [UInt8]? = nil
    ) throws(PhotoError) -> Photo {
        var photo = Photo(request, reference: frame)
        photo.size = file.size
        photo.used = [Photo.UsedFrame(frame: frame, weight: 1)]
        if let bytes {
            photo.bytes = bytes
            photo.provenance = metadata(of: photo, request).provenance
            return photo
        }
        encoder.file = file
        let picture: FusedPicture
        do throws(FusionError) { picture = try file.picture(level: level) } catch {
            throw .unprocessed(error.message)
        }
        if request.settings.drawnEffects != nil {
            guard Fuser.sides.contains(file.size.width), Fuser.sides.contains(file.size.height) else {
                throw .noEffects(
                    "they cannot be drawn into pictures of \(file.size)",
                    hint: "leave out the effects, or choose another picture")
            }
            try draw(into: picture, of: request, &photo, DevelopmentWatch())
        } else {
            let begun = Timestamp.now
            let metadata = metadata(of: photo, request)
            photo.provenance = metadata.provenance
            photo.bytes = try encoder.encode(picture, request.settings, metadata)
            photo.took(.now - begun, in: "encode")
        }
        return photo
    }
}
