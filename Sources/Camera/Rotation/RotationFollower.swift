// SPDX-License-Identifier: MIT
// The thread that follows a camera's mount and the device's accelerometer.

import Glibc
import LivecapCSensorBus
import LivecapFiles
import LivecapThreads

/// What is known of a camera's rotation, for any number of readers.
final class RotationState: Sendable {
    struct Content: Sendable {
        var mount: CameraMount
        /// The turn that makes pictures level if the camera is mounted upright in its device.
        var device = RotationAngle.none
        var display = RotationAngle.none
        var notice: String?

        var captureAngle: RotationAngle { mount.angle + device }
        var previewAngle: RotationAngle { captureAngle - display }
    }

    private let content: Guarded<Content>
    /// Rung after each change.
    let bell = AsyncBell()

    init(_ mount: CameraMount) { content = Guarded(Content(mount: mount)) }

    var now: Content { content.withLock { $0 } }

    func update(_ body: (inout Content) -> Void) {
        content.withLock { body(&$0) }
        bell.ring()
    }
}

/// Starts and stops the thread.
final class RotationFollower: Sendable {
    /// The accelerometer of a camera that turns with its device.
    struct Sensor: Sendable {
        /// The bus's address; nil for the system's.
        let bus: String?
        /// Whether the camera looks at the user, as most that are built in: the device seems to turn the other way.
        let facesUser: Bool
    }

    private let state: RotationState
    private let camera: String
    private let mounts: CameraMounts?
    private let sensor: Sensor?
    private let thread = Guarded<WakeEvent?>(nil)

    init(_ state: RotationState, camera: String, mounts: CameraMounts?, sensor: Sensor?) {
        self.state = state
        self.camera = camera
        self.mounts = mounts
        self.sensor = sensor
    }

    /// Follows from now on. Has no effect if it does already.
    func start() {
        thread.withLock { running in
            guard running == nil else { return }
            do throws(SystemShortage) {
                let stop = try WakeEvent()
                let (state, camera, mounts, sensor) = (state, camera, mounts, sensor)
                try SystemThread(name: "rotation") {
                    Self.run(state, camera: camera, mounts: mounts, sensor: sensor, until: stop)
                }.detach()
                running = stop
            } catch { state.update { $0.notice = error.message } }
        }
    }

    func stop() { thread.withLock { $0?.raise() } }

    private static func run(
        _ state: RotationState, camera: String, mounts: CameraMounts?, sensor: Sensor?, until stop: WakeEvent
    ) {
        var folders = FolderWatch()
        if let mounts { _ = folders.add(mounts.folder) }
        var bus = sensor.map { SensorBus($0) } ?? SensorBus()
        bus.read(into: state)
        // Again, now that changes are noticed.
        readMount(of: camera, mounts, into: state)
        while true {
            // Again after each look, which may have received more than its answer.
            while bus.takeChange() { bus.read(into: state) }
            var polled = [
                pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: folders.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: bus.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&polled, 3, -1) >= 0 else { continue }
            if polled[0].revents != 0 { return }
            if !folders.changes().isEmpty { readMount(of: camera, mounts, into: state) }
        }
    }

    private static func readMount(of camera: String, _ mounts: CameraMounts?, into state: RotationState) {
        guard let mount = mounts?.read().mount(of: camera), mount != state.now.mount else { return }
        state.update { $0.mount = mount }
    }
}

/// The connection to the accelerometer. One thread makes it and uses it.
private struct SensorBus: ~Copyable {
    private var connection: OpaquePointer?
    private var notice: String?
    private let facesUser: Bool

    /// No connection, because the camera does not turn with its device.
    init() { facesUser = true }

    init(_ sensor: RotationFollower.Sensor) {
        facesUser = sensor.facesUser
        (connection, notice) = Self.explained { why, room in
            if let bus = sensor.bus { lc_sensor_open(bus, why, room) } else { lc_sensor_open(nil, why, room) }
        }
    }

    deinit { if let connection { lc_sensor_close(connection) } }

    /// -1 without a connection, which poll ignores.
    var descriptor: Int32 { connection.map { lc_sensor_descriptor($0) } ?? -1 }

    /// Takes what has come. Returns whether the orientation may be another one.
    mutating func takeChange() -> Bool {
        guard let connection else { return false }
        let result = lc_sensor_process(connection)
        guard result < 0 else { return result > 0 }
        lc_sensor_close(connection)
        (self.connection, notice) = (nil, "the connection to D-Bus was lost")
        return true
    }

    /// Reads the orientation. Without one, the device counts as upright.
    func read(into state: RotationState) {
        var (angle, notice) = (RotationAngle?.some(.none), notice)
        if let connection {
            let (side, why) = Self.explained { why, room -> String? in
                withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
                    guard lc_sensor_read(connection, text.baseAddress!, text.count, why, room) == 0 else { return nil }
                    return String(cString: text.baseAddress!)
                }
            }
            notice = why
            if let side { angle = turn(side) }
        }
        // Lying flat, it says nothing; the last orientation then stays.
        state.update { content in
            (content.device, content.notice) = (angle ?? content.device, notice)
        }
    }

    /// The turn of pictures, for a device of which this side is up; nil if it is not known.
    private func turn(_ side: String) -> RotationAngle? {
        switch side {
        case "normal": RotationAngle.none
        // The device was turned clockwise, as its user sees it. So was a camera that looks the same way, and its
        // pictures must follow; to one that looks at the user, it was turned the other way.
        case "left-up": facesUser ? .threeQuarters : .quarter
        case "right-up": facesUser ? .quarter : .threeQuarters
        case "bottom-up": .half
        default: nil
        }
    }

    /// Calls `body` with room for words about a failure, and returns them if it fails.
    private static func explained<Result>(
        _ body: (UnsafeMutablePointer<CChar>, Int) -> Result?
    ) -> (Result?, String?) {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { why in
            let result = body(why.baseAddress!, why.count)
            return (result, result == nil ? String(cString: why.baseAddress!) : nil)
        }
    }
}
