// SPDX-License-Identifier: MIT
// How pages show frames.

import LiveCapture
import LivecapFrames
import LivecapPictures

/// How frames are shown in pages: as photos show them.
struct PageView: Sendable {
    /// What makes them upright, however the camera is mounted; nil for what the session knows of that.
    var mount: CameraMount?
    /// The date that is drawn into them; nil for none.
    var date: DateFormat?

    /// As the camera is mounted, without a date.
    init() {}

    /// As photos with these settings.
    init(_ photos: PhotoSettings) {
        mount = photos.mount
        date = photos.date
    }

    /// How pictures are made of a session's frames now. Those that `areUpright` are turned here; all others are turned
    /// by the page, and mirrored if people see themselves, and the date is upright then.
    func pictures(of session: CaptureSession, areUpright: Bool) -> PictureView {
        let mount = mount ?? session.rotation?.mount ?? .upright
        if areUpright { return PictureView(mount: mount, date: date.map { PictureDate($0) }) }
        guard let date else { return .whole }
        let isMirrored = session.rotation?.isPreviewMirrored ?? false
        return PictureView(date: PictureDate(date, shownAs: isMirrored ? mount.mirroredAfter : mount))
    }
}
