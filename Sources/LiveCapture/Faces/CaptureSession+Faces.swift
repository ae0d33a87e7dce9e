// SPDX-License-Identifier: MIT
// Exposure and focus that follow faces, as programs use them.

import LivecapFrames

extension CaptureSession {
    /// Has exposure and focus follow the faces that were found in a frame of this session. To be called for every frame
    /// that is looked at, also if it shows no face.
    ///
    /// While faces are seen and the camera's mode is automatic, a camera with a region of interest looks at the largest
    /// of them. Of others, exposure and gain are set by how bright all of them are, and focus stays the camera's.
    /// Whatever is set is put back once no face has been seen for a second, and at each end. An exposure that is set by
    /// hand is left alone. What begins and ends is an event.
    ///
    /// Returns at once. Has no effect unless the source is a camera.
    public func follow(_ facts: FrameFacts) { faces.follow(facts, run) }

    /// Whether the session decides if the exposure follows faces (default: true): if they are clearly too dark or too
    /// bright.
    public var automaticallyAdjustsFaceDrivenAutoExposureEnabled: Bool {
        get { faces.switches.exposure.isAutomatic }
        set { faces.change { $0.exposure.isAutomatic = newValue } }
    }

    /// Whether the exposure follows faces now. Setting it says whether it does whenever faces are seen, and takes the
    /// decision from the session: `automaticallyAdjustsFaceDrivenAutoExposureEnabled` becomes false.
    public var isFaceDrivenAutoExposureEnabled: Bool {
        get { faces.switches.exposure.isAutomatic ? faces.isExposing : faces.switches.exposure.isOn }
        set { faces.change { $0.exposure = .init(isAutomatic: false, isOn: newValue) } }
    }

    /// Whether the session decides if the focus follows faces (default: true): if the camera can look at them.
    public var automaticallyAdjustsFaceDrivenAutoFocusEnabled: Bool {
        get { faces.switches.focus.isAutomatic }
        set { faces.change { $0.focus.isAutomatic = newValue } }
    }

    /// Whether the focus follows faces now. Setting it says whether it may, and takes the decision from the session:
    /// `automaticallyAdjustsFaceDrivenAutoFocusEnabled` becomes false.
    public var isFaceDrivenAutoFocusEnabled: Bool {
        get { faces.switches.focus.isAutomatic ? faces.isFocusing : faces.switches.focus.isOn }
        set { faces.change { $0.focus = .init(isAutomatic: false, isOn: newValue) } }
    }
}
