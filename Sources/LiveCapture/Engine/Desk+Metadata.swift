// SPDX-License-Identifier: MIT
// What a photo's file tells of it, where the settings leave that open.

import Frames
import Glibc
import JSONText
import Stills

extension Desk {
    /// The settings' metadata with time, camera and provenance filled in; the time, and what the work cost, only where frames
    /// are of this machine's clock, so that recordings give the same bytes whenever they are developed.
    func metadata(of photo: Photo, _ shot: Shot) -> PhotoMetadata {
        var metadata = shot.settings.metadata
        metadata.cameraModel = metadata.cameraModel ?? description.name
        metadata.exposureTime = metadata.exposureTime ?? description.exposure
        metadata.provenance = metadata.provenance ?? provenance(of: photo, shot).text
        guard description.clock == .monotonic, metadata.time == nil else { return metadata }
        metadata.time = PhotoTime(wall: photo.reference.time)
        return metadata
    }

    private func provenance(of photo: Photo, _ shot: Shot) -> JSON {
        .object(
            [
                ("version", 1), ("engine", JSON(shot.settings.metadata.software)), ("source", description.account),
                ("settings", shot.settings.account),
            ] + photo.account + [("notes", .array(photo.notes.map { .string($0) }))]
                + (description.clock == .monotonic ? photo.costs : []))
    }
}

extension PhotoTime {
    /// The wall clock's time at a moment of CLOCK_MONOTONIC: `clock_gettime(2)`, `localtime_r(3)`.
    init(wall moment: Timestamp) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let present = TimeSpan(nanoseconds: Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec))
        let sinceEpoch = present + (moment - .now)
        var (seconds, local) = (time_t(sinceEpoch.nanoseconds / 1_000_000_000), tm())
        localtime_r(&seconds, &local)
        self.init(sinceEpoch: sinceEpoch, aheadOfUTC: .milliseconds(1000 * Int64(local.tm_gmtoff)))
    }
}
