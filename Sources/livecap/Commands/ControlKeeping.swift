// SPDX-License-Identifier: MIT
// `livecap controls --apply-at-plug`: sets cameras as they were kept, as soon as they are plugged in, for all programs.

import Camera
import Glibc
import LivecapIntents

enum ControlKeeping {
    /// Goes on until a signal. Cameras that are there at the beginning count as plugged in.
    static func run(_ profile: String, _ profiles: ControlProfiles, _ console: inout Console) throws(Failure) -> Int32 {
        let interruption = try Interruption()
        let discovery = try attempt { () throws(CameraError) in try CameraDiscovery(CameraDirectory()) }
        var changes = try attempt { () throws(CameraError) in try PolledCameraChanges(discovery) }
        let event = changes.event
        interruption.onSignal { event.raise() }
        var arrivals = CameraArrivals()
        var noted: String?
        var hasNoted = false
        while true {
            // Before anything is looked at, so that nothing is missed.
            event.clear()
            if interruption.signal != nil { return interruption.exitStatus }
            while let change = changes.next() {
                guard let camera = arrivals.arrived(change) else { continue }
                // What was saved meanwhile counts.
                let kept = profiles.read()
                if let notice = kept.notice, notice != noted { Console.note("note: \(notice)") }
                noted = kept.notice
                guard let settings = kept.settings(profile, of: camera.identity), !settings.isEmpty else { continue }
                try apply(settings, profile, to: camera, &console)
            }
            try console.flush()
            if !hasNoted, let notice = changes.notice {
                Console.note("note: \(notice)")
                hasNoted = true
            }
            var polled = pollfd(fd: event.descriptor, events: Int16(POLLIN), revents: 0)
            poll(&polled, 1, -1)
        }
    }

    /// A camera that cannot be set is reported, and the others are still set.
    private static func apply(
        _ settings: [ControlSetting], _ profile: String, to camera: CameraRecord, _ console: inout Console
    ) throws(Failure) {
        let leftOut: [ControlSetting]
        do throws(CameraError) { leftOut = try ControlNode(camera.path).setPossible(settings) } catch {
            return Console.note("note: \(camera.name) is not set as '\(profile)': \(error.message)")
        }
        let count = settings.count - leftOut.count
        if console.writesJSON {
            try console.print(
                .object([
                    ("event", "applied"), ("path", .string(camera.path)), ("id", .string(camera.identity)),
                    ("profile", .string(profile)), ("controls", JSON(count)),
                    ("leftOut", .array(leftOut.map { .string("\($0.name)") })),
                ]))
        } else {
            try console.print("\(camera.path)  \(camera.name): \(counted(count, "control")) set as '\(profile)'")
        }
        for setting in leftOut { Console.note("note: \(camera.name): \(setting) could not be set") }
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
