// SPDX-License-Identifier: MIT
// `livecap controls --apply-at-plug`: sets cameras as they were kept, as soon as they are plugged in, for all programs.

import Camera
import Glibc
import LivecapIntents

/// Sets cameras as they arrive, and goes on trying what one of them fails at, while it answers others.
struct ControlKeeping {
    private let profile: String
    private let profiles: ControlProfiles
    private var arrivals = CameraArrivals()
    private var noted: String?
    /// Cameras that are being set, by their nodes.
    private var tasks: [String: Task] = [:]

    private struct Task {
        let camera: CameraRecord
        let settings: [ControlSetting]
        var controls: PluggedControls
    }

    private init(_ profile: String, _ profiles: ControlProfiles) {
        self.profile = profile
        self.profiles = profiles
    }

    /// Goes on until a signal. Cameras that are there at the beginning count as plugged in.
    static func run(_ profile: String, _ profiles: ControlProfiles, _ console: inout Console) throws(Failure) -> Int32 {
        let interruption = try Interruption()
        let discovery = try attempt { () throws(CameraError) in try CameraDiscovery(CameraDirectory()) }
        var changes = try attempt { () throws(CameraError) in try PolledCameraChanges(discovery) }
        let event = changes.event
        interruption.onSignal { event.raise() }
        var keeping = ControlKeeping(profile, profiles)
        var hasNoted = false
        while true {
            // Before anything is looked at, so that nothing is missed.
            event.clear()
            if interruption.signal != nil { return interruption.exitStatus }
            while let change = changes.next() { keeping.note(change) }
            try keeping.apply(&console)
            try console.flush()
            if !hasNoted, let notice = changes.notice {
                Console.note("note: \(notice)")
                hasNoted = true
            }
            var polled = pollfd(fd: event.descriptor, events: Int16(POLLIN), revents: 0)
            poll(&polled, 1, keeping.pause)
        }
    }

    private mutating func note(_ change: CameraChange) {
        if case .removed = change { tasks[change.camera.path] = nil }
        guard let camera = arrivals.arrived(change) else { return }
        // What was saved meanwhile counts.
        let kept = profiles.read()
        if let notice = kept.notice, notice != noted { Console.note("note: \(notice)") }
        noted = kept.notice
        guard let settings = kept.settings(profile, of: camera.identity), !settings.isEmpty else { return }
        do throws(CameraError) {
            let controls = try PluggedControls(settings, at: camera.path)
            tasks[camera.path] = Task(camera: camera, settings: settings, controls: controls)
        } catch {
            leave(camera, because: error)
        }
    }

    /// The milliseconds until a camera is to be tried again; -1 if none is.
    private var pause: Int32 {
        guard let due = tasks.values.compactMap(\.controls.due).min() else { return -1 }
        return Int32(clamping: max(0, (due - .now).nanoseconds + 999_999) / 1_000_000)
    }

    /// Tries what is due, and reports the cameras that are done.
    private mutating func apply(_ console: inout Console) throws(Failure) {
        for (path, var task) in tasks.sorted(by: { $0.key < $1.key }) {
            guard task.controls.due.map({ $0 <= .now }) ?? true else { continue }
            do throws(CameraError) { try task.controls.run() } catch {
                tasks[path] = nil
                leave(task.camera, because: error)
                continue
            }
            tasks[path] = task.controls.due == nil ? nil : task
            if task.controls.due == nil { try report(task, &console) }
        }
    }

    /// A camera that cannot be set is reported, and the others are still set.
    private func leave(_ camera: CameraRecord, because error: CameraError) {
        Console.note("note: \(camera.name) is not set as '\(profile)': \(error.message)")
    }

    private func report(_ task: Task, _ console: inout Console) throws(Failure) {
        let (camera, refused, failed) = (task.camera, task.controls.refused, task.controls.failed)
        let count = max(0, task.settings.count - refused.count - failed.count)
        if console.writesJSON {
            try console.print(
                .object([
                    ("event", "applied"), ("path", .string(camera.path)), ("id", .string(camera.identity)),
                    ("profile", .string(profile)), ("controls", JSON(count)),
                    ("leftOut", .array(refused.map { .string("\($0.name)") })),
                    ("failed", .array(failed.map { .string("\($0.name)") })),
                ]))
        } else {
            try console.print("\(camera.path)  \(camera.name): \(counted(count, "control")) set as '\(profile)'")
        }
        for setting in refused { Console.note("note: \(camera.name): \(setting) could not be set") }
        for setting in failed {
            Console.note(
                "note: \(camera.name): \(setting) is not set: the camera failed at it several times")
        }
    }
}

/// Which changes of cameras mean that one is new, or can be opened for the first time.
struct CameraArrivals {
    /// The nodes of cameras that have arrived.
    private var paths: Set<String> = []

    /// The camera, if it has just arrived.
    mutating func arrived(_ change: CameraChange) -> CameraRecord? {
        let camera = change.camera
        if case .removed = change {
            paths.remove(camera.path)
            return nil
        }
        // One whose node cannot be opened yet is announced again once it can be.
        guard camera.trouble == nil else {
            paths.remove(camera.path)
            return nil
        }
        return paths.insert(camera.path).inserted ? camera : nil
    }
}
