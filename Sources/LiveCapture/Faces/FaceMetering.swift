// SPDX-License-Identifier: MIT
// Makes a camera's exposure and focus follow faces, and puts it back as it was.

import Camera
import LivecapFrames

/// What is set of one camera while faces are seen, frame by frame. A value with no thread: its methods block while the
/// camera answers.
///
/// Where the camera has a region of interest, it looks at the largest face by itself. Otherwise a `FaceExposureLoop`
/// sets exposure and gain, as long as the camera's mode was automatic before; focus then stays as it is, because a
/// search for it would show in every picture. Whatever was set is put back at each end.
struct FaceMetering {
    private struct Loop {
        var loop: FaceExposureLoop
        let controls: ExposureControls
        /// What the camera made of the last setting: it may round.
        var answer: Int64?
        var gainAnswer: Int64?
    }

    /// Faces that are only a little off are left to the camera, if the session decides.
    private static let clearlyOff = 2 * FaceExposureLoop.deadBand
    /// Measured frames for which they must be.
    private static let lasting = 5
    /// How much a face must move or grow, as a share of its size, before the region follows.
    private static let move: Float = 0.2

    private var camera: any FaceControls
    private let size: FrameSize
    private let interval: Duration
    private var lastFace: Timestamp?
    private var frames = 0
    private var off = 0
    /// What the camera offers; nil before the first face.
    private var offered: (region: RegionOfInterest?, isLookedAt: Bool)?
    private var looked: PictureBox?
    private var loop: Loop?
    private var isExposing = false
    private var isFocusing = false
    private var isBlocked = false
    private var switches = FaceSwitches()
    /// What a camera has to be put back from that did not answer.
    private var debt: Loop?
    /// When it may be tried again to begin.
    private var retry: Timestamp?
    /// Whether the last frame led to a setting.
    private(set) var hasSet = false

    /// For a camera whose frames have that size, and arrive at that interval.
    init(_ camera: any FaceControls, size: FrameSize, interval: Duration) {
        self.camera = camera
        self.size = size
        self.interval = interval
    }

    /// What follows faces now.
    var isActive: (exposure: Bool, focus: Bool) { (isExposing, isFocusing) }
    /// Whether a camera that is away has to be put back.
    var isOwing: Bool { debt != nil }
    /// Whether no face has been seen for a second, and nothing is left to be put back.
    func isIdle(at time: Timestamp) -> Bool {
        debt == nil && !isExposing && !isFocusing
            && (lastFace.map { time - $0 >= FaceExposureLoop.patience } ?? true)
    }

    /// Takes in a frame and the faces in it. `level` measures their brightness. Returns what has changed.
    mutating func frame(
        at time: Timestamp, _ faces: [FaceFacts], _ switches: FaceSwitches, level: ([FaceFacts]) -> Double?
    ) -> [SessionEvent] {
        hasSet = false
        frames += 1
        if !faces.isEmpty { lastFace = time }
        guard let lastFace, time - lastFace < FaceExposureLoop.patience else { return end(.noFace) }
        if switches != self.switches { offered?.isLookedAt = false }
        self.switches = switches
        var events: [SessionEvent] = []
        if !switches.exposure.allows { events += endExposure(.switchedOff) }
        if !switches.focus.allows { events += endFocus(.switchedOff) }
        guard let largest = faces.first, !isBlocked else { return events }
        do throws(CameraError) {
            events += try look(at: largest.box, switches)
            guard switches.exposure.allows, loop != nil || !isExposing else { return events }
            events += try expose(at: time, isChosen: !switches.exposure.isAutomatic) { level(faces) }
        } catch {
            if case .disconnected = error { return events + end(.cameraAway) }
            events += end(.refused)
            isBlocked = true
        }
        return events
    }

    /// Ends all of it, and puts the camera back. Returns what has changed.
    mutating func end(_ reason: FaceFollowingEnd) -> [SessionEvent] {
        let events = endExposure(reason) + endFocus(reason)
        offered = nil
        looked = nil
        retry = nil
        off = 0
        isBlocked = false
        return events
    }

    /// Goes on with the same camera after an absence. A session then sets it as it was last seen, which may be what was
    /// set here: that is put back. To be called when nothing follows faces.
    mutating func goOn(with camera: any FaceControls) {
        self.camera = camera
        if let debt, answers(debt), !isSetByHand(debt) { putBack(debt) }
        debt = nil
    }

    // MARK: The region of interest

    private mutating func look(
        at box: PictureBox, _ switches: FaceSwitches
    ) throws(CameraError) -> [SessionEvent] {
        if offered == nil { offered = (try camera.region(), false) }
        guard var region = offered?.region, let isLookedAt = offered?.isLookedAt else { return [] }
        if !isLookedAt {
            offered?.isLookedAt = true
            let controls = try camera.controls()
            var events: [SessionEvent] = []
            if !isExposing, switches.exposure.allows, region.possible.contains(.exposure), controls.exposureIsAutomatic
            {
                isExposing = true
                events.append(.faceDrivenExposure(.following(.regionOfInterest)))
            }
            if !isFocusing, switches.focus.allows, region.possible.contains(.focus), controls.focusIsAutomatic {
                isFocusing = true
                events.append(.faceDrivenFocus(.following(.regionOfInterest)))
            }
            guard !events.isEmpty else { return [] }
            try set(&region, to: box)
            return events
        }
        if (isExposing && loop == nil) || isFocusing, looked.map({ box.hasMoved(from: $0, by: Self.move) }) ?? true {
            try set(&region, to: box)
        }
        return []
    }

    private mutating func set(_ region: inout RegionOfInterest, to box: PictureBox) throws(CameraError) {
        region.area = region.area(of: box, inPicturesOf: size)
        if isExposing && loop == nil { region.functions.insert(.exposure) }
        if isFocusing { region.functions.insert(.focus) }
        try camera.set(region)
        looked = box
    }

    /// Makes the region what it is to be for what still follows faces: what it was, if nothing does.
    private func putRegionBack() {
        guard var region = offered?.region else { return }
        if (isExposing && loop == nil) || isFocusing, let looked {
            region.area = region.area(of: looked, inPicturesOf: size)
            if isExposing && loop == nil { region.functions.insert(.exposure) }
            if isFocusing { region.functions.insert(.focus) }
        }
        try? camera.set(region)
    }

    // MARK: The loop

    private mutating func expose(
        at time: Timestamp, isChosen: Bool, _ level: () -> Double?
    ) throws(CameraError) -> [SessionEvent] {
        guard var running = loop else {
            guard retry.map({ time >= $0 }) ?? true, isChosen || isOff(level) else { return [] }
            return try begin(at: time)
        }
        guard case .set(let setting) = running.loop.frame(at: time, hasFaces: true, level: level) else {
            loop = running
            return []
        }
        guard !isSetByHand(running) else {
            let events = endExposure(.setByHand)
            isBlocked = true
            return events
        }
        hasSet = true
        try make(setting, &running)
        loop = running
        return []
    }

    /// Whether faces are clearly too dark or too bright, for some frames.
    private mutating func isOff(_ level: () -> Double?) -> Bool {
        guard frames % 2 == 0, let level = level() else { return false }
        off = (level - FaceExposureLoop.target).magnitude > Self.clearlyOff ? off + 1 : 0
        return off >= Self.lasting
    }

    private mutating func begin(at time: Timestamp) throws(CameraError) -> [SessionEvent] {
        off = 0
        retry = time + FaceExposureLoop.patience
        guard let controls = ExposureControls(try camera.controls()), let dial = controls.exposureDial(interval) else {
            return []
        }
        var running = Loop(loop: FaceExposureLoop(exposure: dial, gain: controls.gainDial), controls: controls)
        // From here on, an error puts it back.
        loop = running
        isExposing = true
        try camera.set(controls.mode, to: controls.manual)
        // Some cameras go back to the exposure that was last set by hand.
        try make(running.loop.setting, &running)
        loop = running
        hasSet = true
        return [.faceDrivenExposure(.following(.loop))]
    }

    private func make(_ setting: FaceExposureLoop.Setting, _ running: inout Loop) throws(CameraError) {
        try camera.set(running.controls.exposure.id, to: setting.exposure)
        if let gain = running.controls.gain, let value = setting.gain { try camera.set(gain.id, to: value) }
        running.answer = camera.value(of: running.controls.exposure.id)
        running.gainAnswer = running.controls.gain.flatMap { camera.value(of: $0.id) }
    }

    /// Whether somebody else has set the exposure, or the gain.
    private func isSetByHand(_ running: Loop) -> Bool {
        func isOther(_ value: Int64?, than answer: Int64?) -> Bool { value != nil && answer != nil && value != answer }
        return isOther(camera.value(of: running.controls.mode), than: running.controls.manual)
            || isOther(camera.value(of: running.controls.exposure.id), than: running.answer)
            || isOther(running.controls.gain.flatMap { camera.value(of: $0.id) }, than: running.gainAnswer)
    }

    /// Whether the camera answers.
    private func answers(_ running: Loop) -> Bool { camera.value(of: running.controls.mode) != nil }

    // MARK: Ends

    private mutating func endExposure(_ reason: FaceFollowingEnd) -> [SessionEvent] {
        guard isExposing else { return [] }
        isExposing = false
        if let running = loop {
            loop = nil
            // What somebody else has set stays.
            if !answers(running) {
                debt = running
            } else if reason != .setByHand, !isSetByHand(running) {
                putBack(running)
            }
        } else {
            putRegionBack()
        }
        return [.faceDrivenExposure(.ended(reason))]
    }

    private func putBack(_ running: Loop) {
        if let gain = running.controls.gain, let value = gain.value, running.loop.setting.gain != value {
            try? camera.set(gain.id, to: value)
        }
        try? camera.set(running.controls.mode, to: running.controls.automatic)
    }

    private mutating func endFocus(_ reason: FaceFollowingEnd) -> [SessionEvent] {
        guard isFocusing else { return [] }
        isFocusing = false
        putRegionBack()
        return [.faceDrivenFocus(.ended(reason))]
    }
}

extension ExposureControls {
    /// The exposures that do not lower the rate of frames; nil if there are none.
    func exposureDial(_ interval: Duration) -> ExposureDial? {
        let longest = max(Int64(interval / Self.exposureUnit), exposure.minimum)
        let range = max(1, exposure.minimum)...max(1, exposure.minimum, min(exposure.maximum, longest))
        guard let value = exposure.value, range.count > 1 else { return nil }
        return ExposureDial(value: value, range, step: Int64(clamping: exposure.step))
    }

    /// The gains; nil if they are left alone.
    var gainDial: ExposureDial? {
        guard let gain, let value = gain.value, gain.minimum < gain.maximum else { return nil }
        return ExposureDial(value: value, gain.minimum...gain.maximum, step: Int64(clamping: gain.step))
    }
}

extension PictureBox {
    /// Whether it lies elsewhere than `other`, or has another size, by that share of its size.
    fileprivate func hasMoved(from other: PictureBox, by share: Float) -> Bool {
        let x = (origin.x + width / 2) - (other.origin.x + other.width / 2)
        let y = (origin.y + height / 2) - (other.origin.y + other.height / 2)
        return x.magnitude > share * other.width || y.magnitude > share * other.height
            || (width - other.width).magnitude > share * other.width
    }

    /// Its middle, which shows skin more than hair and what is behind.
    var inner: PictureBox {
        PictureBox(
            origin: PicturePoint(x: origin.x + 0.15 * width, y: origin.y + 0.15 * height), width: 0.7 * width,
            height: 0.7 * height)
    }
}
