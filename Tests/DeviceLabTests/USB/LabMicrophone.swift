// SPDX-License-Identifier: MIT
// The microphone of a lab camera: where the kernel has it, and how its driver lets go of it while the camera stays.

import Foundation
import LivecapSound
import Testing

/// The microphone in a USB camera of the lab, as long as the camera is plugged in.
struct LabMicrophone {
    /// As livecap lists it.
    let microphone: Microphone
    /// The names of its interfaces on the bus: control, samples.
    private let interfaces: [String]

    /// Waits until the camera's microphone is there.
    init(of camera: LabCamera) throws {
        let node = URL(filePath: camera.path).lastPathComponent
        let device = URL(filePath: "/sys/class/video4linux/\(node)/device").resolvingSymlinksInPath()
            .deletingLastPathComponent()
        var found: Microphone?
        try LabBus.wait("\(camera.name) has a microphone") {
            found = Microphones().all().first { $0.place == device.path }
            return found != nil
        }
        microphone = try #require(found)
        interfaces = [2, 3].map { "\(device.lastPathComponent):1.\($0)" }
    }

    private static let driver = "/sys/bus/usb/drivers/snd-usb-audio"

    /// Takes the microphone away from its driver: its card goes, as if it were unplugged alone.
    func disconnect() throws {
        for interface in interfaces.reversed() { try Self.write(interface, to: "unbind") }
        try LabBus.wait("the microphone is gone") { !Microphones().all().contains(microphone) }
    }

    /// Gives it back.
    func connect() throws { try Self.write(interfaces[0], to: "bind") }

    private static func write(_ interface: String, to file: String) throws {
        let outcome = try Lab.run("sh", ["-c", "echo \(interface) >\(driver)/\(file)"])
        try #require(outcome.status == 0, "\(file) \(interface): \(outcome.errors)")
    }
}
