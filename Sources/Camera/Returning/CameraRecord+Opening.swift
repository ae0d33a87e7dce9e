// SPDX-License-Identifier: MIT
// Opens a camera so that it may be unplugged and come back.

import LivecapFrames

extension CameraRecord {
    /// Why opening the camera like this would fail, as far as can be known without opening it to stream; nil if it
    /// would succeed. Blocks.
    package func refusal(
        of request: FormatRequest, controls settings: [ControlSetting] = [], profile: String? = nil,
        decoding isDecoded: (PixelFormat) -> Bool = { _ in true }
    ) -> CameraError? {
        if let trouble { return trouble }
        if !supports(request) {
            // A camera that scales to any size lists a size only if it is asked for it.
            let offered = (try? V4L2Device(path: path).offers(at: request.size)) ?? offers
            guard request.choose(from: offered) != nil else {
                return .unsupported(asked: request.description, offered: request.alternatives(among: offers))
            }
        }
        // Compressed video needs FFmpeg, unless it is passed on as it is.
        if let chosen = request.choose(from: offers)?.offer.pixelFormat, chosen.isVideo, isDecoded(chosen) {
            do throws(CameraError) { _ = try VideoLibrary(for: chosen) } catch { return error }
        }
        if let profile, let all = ControlProfiles.standard?.read(), all.settings(profile, of: identity) == nil {
            return .control(.noProfile(profile, available: all.names(of: identity)))
        }
        return controls.refusal(of: settings).map { .control($0) }
    }

    /// Opens the camera, and sets the format nearest the request, and its controls. One that the user has not named may
    /// be replaced by another while it is connected, if the policy is `next`. Only with `canSwitchOff` can it be
    /// switched off while nothing needs it. Compressed video is decoded if `isDecoded` holds for its format.
    /// - Throws: why it cannot be used.
    package func open(
        _ request: FormatRequest, onUnplug policy: UnplugPolicy, isNamed: Bool = true, canSwitchOff: Bool = false,
        controls settings: [ControlSetting] = [], profile: String? = nil,
        decoding isDecoded: (PixelFormat) -> Bool = { _ in true }
    ) throws(CameraError) -> sending any FrameSource {
        let source = try camera(
            request, onUnplug: policy, isNamed: isNamed, canSwitchOff: canSwitchOff, controls: settings,
            profile: profile)
        let format = source.description.format.pixelFormat
        guard format.isVideo, isDecoded(format) else { return source }
        return try DecodedSource(source, askForKeyFrame: { V4L2Device.askForKeyFrame(of: $0) })
    }

    /// The camera, whose frames are as it delivers them.
    private func camera(
        _ request: FormatRequest, onUnplug policy: UnplugPolicy, isNamed: Bool, canSwitchOff: Bool,
        controls settings: [ControlSetting], profile: String?
    ) throws(CameraError) -> sending any FrameSource {
        if let trouble { throw trouble }
        let profiles = ControlProfiles.standard?.read() ?? ControlProfiles.Content()
        let kept = profiles.settings(profile ?? ControlProfiles.usual, of: identity)
        if let profile, kept == nil {
            throw .control(.noProfile(profile, available: profiles.names(of: identity)))
        }
        let controls = ControlMemory(preferences: kept ?? [], demands: settings)
        let camera = try V4L2Camera(
            path: path, identity: identity, request: request, transport: nil, controls: controls)
        let rotation = RotationCoordinator(camera: self)
        if case .end = policy, !canSwitchOff {
            camera.rotation = rotation
            return camera
        }
        let (identity, description) = (identity, camera.description)
        // A camera may be another one's twin, in another port: what it delivers decides whether it fits.
        let exactly = FormatRequest(
            pixelFormat: request.pixelFormat ?? (camera.converter == nil ? description.format.pixelFormat : nil),
            size: description.format.size, rate: description.rate)
        let succession: any Succession
        let hold = CameraHold()
        switch policy {
        case .wait, .end:
            succession = SameSource(among: CameraDirectory().devices) { transport throws(CameraError) in
                guard let path = CameraDirectory().path(of: identity) else {
                    throw .noSuchDevice(identity, available: [])
                }
                return try V4L2Camera(
                    path: path, identity: identity, request: exactly, transport: transport, controls: controls)
            }
        case .next:
            succession = NextCamera(
                after: identity, home: isNamed ? identity : nil, exactly, try CameraWatch(CameraDirectory()),
                [identity: controls], hold: hold,
                newMemory: { identity in
                    let kept = profiles.settings(profile ?? ControlProfiles.usual, of: identity) ?? []
                    return ControlMemory(preferences: kept + settings)
                }
            ) { path, identity, request, controls, transport throws(CameraError) in
                try V4L2Camera(
                    path: path, identity: identity, request: request, transport: transport, controls: controls)
            }
        }
        return ReturningSource(camera, onUnplug: policy, rotation: rotation, hold: hold, succession)
    }
}
