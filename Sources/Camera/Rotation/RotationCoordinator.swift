// SPDX-License-Identifier: MIT
// By how much a camera's pictures must be turned to be level, followed as its device is turned.

import LivecapFiles
import LivecapFrames
import LivecapThreads

/// Follows how a camera is mounted and how its device is held, and derives the angles that make photos and previews
/// level with the horizon.
///
/// The mount is the user's word, kept per camera across launches (`livecap devices --mount`). Cameras that are built in
/// turn with their device: where it has an accelerometer, iio-sensor-proxy reports how it is held. All other cameras
/// stay as they were mounted.
///
/// ```swift
/// let rotation = RotationCoordinator(camera: camera)
/// for await angle in rotation.captureAngles { print(angle) }
/// ```
public final class RotationCoordinator: Sendable {
    /// The camera's identity.
    public let camera: String
    /// Whether a preview is mirrored by default, as people know themselves: of cameras that face the user, as those do
    /// that are built in. Photos never are for that.
    public let isPreviewMirrored: Bool
    private let name: String
    private let mounts: CameraMounts?
    private let state: RotationState
    private let follower: RotationFollower

    /// A coordinator of a camera.
    public convenience init(camera: CameraRecord) {
        self.init(
            camera: camera.identity, name: camera.name, turnsWithDevice: camera.position == .builtIn,
            mounts: .standard)
    }

    /// The same for tests, with a file and a bus of their own.
    init(
        camera: String, name: String = "", turnsWithDevice: Bool, facesUser: Bool = true, mounts: CameraMounts?,
        bus: String? = nil
    ) {
        self.camera = camera
        isPreviewMirrored = turnsWithDevice && facesUser
        self.name = name
        self.mounts = mounts
        state = RotationState(mounts?.read().mount(of: camera) ?? .upright)
        follower = RotationFollower(
            state, camera: camera, mounts: mounts, sensor: turnsWithDevice ? .init(bus: bus, facesUser: facesUser) : nil
        )
    }

    deinit { follower.stop() }

    // MARK: Angles

    /// The turn that makes a photo level: pictures are first mirrored, if the mount says so, and then turned by it.
    public var captureAngle: RotationAngle { state.now.captureAngle }

    /// The turn that makes a preview level on its display.
    public var previewAngle: RotationAngle { state.now.previewAngle }

    /// Whether pictures are mirrored before they are turned.
    public var isMirrored: Bool { state.now.mount.isMirrored }

    /// How the camera is mounted, and how photos of it are turned, both at one moment.
    package var capture: CameraMount {
        let now = state.now
        return CameraMount(angle: now.captureAngle, isMirrored: now.mount.isMirrored)
    }

    /// By how much the display's content is turned clockwise against the horizon: `none` (default) if it is upright, as
    /// on a desk, and where the desktop turns it with the device.
    public var displayAngle: RotationAngle {
        get { state.now.display }
        set { state.update { $0.display = newValue } }
    }

    /// `captureAngle` now, and whenever it is another one.
    public var captureAngles: RotationAngles {
        follow()
        return RotationAngles(state, of: \.captureAngle)
    }

    /// `previewAngle` now, and whenever it is another one.
    public var previewAngles: RotationAngles {
        follow()
        return RotationAngles(state, of: \.previewAngle)
    }

    // MARK: The mount

    /// How the camera is mounted.
    public var mount: CameraMount { state.now.mount }

    /// Keeps how the camera is mounted, for this program and all others of the user.
    ///
    /// Throws `FileError` if it cannot be kept.
    public func setMount(_ mount: CameraMount) async throws(FileError) {
        let (mounts, camera, name) = (mounts, camera, name)
        try await onThread(named: "rotation") { () throws(FileError) in try mounts?.set(mount, of: camera, name: name) }
        state.update { $0.mount = mount }
    }

    /// Why the angles do not follow the device, although the camera turns with it: there is no sensor, or no D-Bus. Nil
    /// if they do, or need not.
    public var notice: String? { state.now.notice }

    /// Follows the device and the mount from now on. The sequences do it by themselves.
    package func follow() { follower.start() }
}

/// The angles as they change. Ends when the reader's task is cancelled.
///
/// Each iteration begins with the present angle. A slow reader gets the newest, not those in between.
public struct RotationAngles: AsyncSequence, Sendable {
    /// A change is no failure, and there are no others.
    public typealias Failure = Never

    private let state: RotationState
    private let angle: @Sendable (RotationState.Content) -> RotationAngle

    init(_ state: RotationState, of angle: @escaping @Sendable (RotationState.Content) -> RotationAngle) {
        self.state = state
        self.angle = angle
    }

    /// Begins with the present angle.
    public func makeAsyncIterator() -> Iterator { Iterator(state, angle) }

    /// One reader's place.
    public struct Iterator: AsyncIteratorProtocol {
        private let state: RotationState
        private let angle: @Sendable (RotationState.Content) -> RotationAngle
        private var last: RotationAngle?

        fileprivate init(
            _ state: RotationState, _ angle: @escaping @Sendable (RotationState.Content) -> RotationAngle
        ) {
            self.state = state
            self.angle = angle
        }

        /// The next angle; nil if the task is cancelled.
        public mutating func next() async -> RotationAngle? { await next(isolation: nil) }

        /// The next angle; nil if the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> RotationAngle? {
            let found = await state.bell.first(isolation: actor) { () -> RotationAngle? in
                let now = angle(state.now)
                return now == last ? nil : now
            }
            if let found { last = found }
            return found
        }
    }
}
