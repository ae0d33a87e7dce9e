// SPDX-License-Identifier: MIT
// Fills in the metadata of a photo's file that the settings leave open.

import LivecapFrames
import LivecapIntents
import LivecapStills

extension Developer {
    /// The settings' metadata with time, camera and provenance filled in. The time is included if the frames' clock is
    /// this machine's, or tied to the calendar by the recording; the cost of the work only if it is this machine's, so
    /// that developing a recording gives the same bytes every time.
    func metadata(of photo: Photo, _ request: PhotoRequest) -> PhotoMetadata {
        var metadata = request.metadata(of: source.name)
        metadata.provenance = metadata.provenance ?? provenance(of: photo, request).text
        guard metadata.time == nil, let tapped = request.wallTime else { return metadata }
        metadata.time = tapped.advanced(by: photo.reference.time - request.tap)
        return metadata
    }

    /// A photo's own account, with its source and settings.
    func provenance(of photo: Photo, _ request: PhotoRequest) -> JSON {
        .object(
            [
                ("version", 1), ("engine", JSON(request.settings.metadata.software)), ("source", source.account),
                ("settings", request.settings.account),
            ] + photo.account + (source.clock == .monotonic ? photo.costs : []))
    }
}

extension PhotoRequest {
    /// The settings' metadata, with what is known of the camera of that name.
    func metadata(of camera: String?) -> PhotoMetadata {
        var metadata = settings.metadata
        metadata.cameraModel = metadata.cameraModel ?? camera
        metadata.digitalZoom = settings.zoom?.factor
        metadata.manual = metadata.manual ?? manual
        return metadata
    }
}
