// SPDX-License-Identifier: MIT
// A USB bus of the lab: the program lab-camera, whose cameras the kernel's own uvcvideo drives.

import Foundation
import LivecapFrames
import Testing

/// A running lab-camera (`Tests/LabCamera`). Its cameras are unplugged when the last user of the bus is gone.
final class LabBus {
    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())
    private let ended = DispatchSemaphore(value: 0)

    /// Starts the program, without any camera.
    init() throws {
        let program = try #require(ProcessInfo.processInfo.environment["LIVECAP_LAB_CAMERA"])
        process.executableURL = URL(filePath: program)
        process.standardInput = input
        process.standardOutput = output
        let ended = ended
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
    }

    deinit {
        // It inherits a mask that blocks other signals.
        kill(process.processIdentifier, SIGKILL)
        ended.wait()
        // The next test must not find nodes of this one's cameras.
        try? Self.wait("every camera is gone") { Self.links.isEmpty }
    }

    /// Sends a command (`Tests/LabCamera/commands.c`); returns the answer's words after "ok".
    @discardableResult
    func command(_ words: String...) throws -> [Substring] {
        let line = words.filter { !$0.isEmpty }.joined(separator: " ")
        try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
        var answer: [UInt8] = [], byte: UInt8 = 0
        while read(output.fileHandleForReading.fileDescriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") {
            answer.append(byte)
        }
        let parts = String(decoding: answer, as: UTF8.self).split(separator: " ")
        guard parts.first == "ok" else { throw LabStream.Missing("\(line): \(parts)") }
        return Array(parts.dropFirst())
    }

    /// Waits for at most 20 s until `isTrue`.
    static func wait(_ what: String, every milliseconds: UInt32 = 20, until isTrue: () throws -> Bool) throws {
        for _ in 0..<20_000 / milliseconds {
            if try isTrue() { return }
            usleep(milliseconds * 1000)
        }
        throw LabStream.Missing("waited for 20 s: \(what)")
    }

    private static let folder = "/dev/v4l/by-path"

    /// udev's link to the camera in a port. The kernel has several hosts of 15 ports.
    static func link(port: Int) -> String {
        "\(folder)/platform-vhci_hcd.\(port / 15)-usb-0:\(port % 15 + 1):1.0-video-index0"
    }

    private static var links: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.contains("vhci") }
    }
}

/// A USB camera of the lab.
final class LabCamera {
    /// Faults by the program's names (`Tests/LabCamera/faults.c`).
    enum Fault: String {
        case noTables = "no-tables"
        case truncated, corrupt, empty
        /// The packets' error bit is set.
        case marked
        /// A JPEG's header claims half of the height.
        case wrongSize = "wrong-size"
        case frozenID = "frozen-id"
        case stall, skip
        /// Frames come at the rate `value`.
        case slow
        case resetTime = "reset-time"
        /// The stream is cut off within a frame; after a pause, the frame id and the camera's clock begin at zero.
        case restart
        /// Frames have the size with that number (1: 160x120, 2: 320x240, ...), not the one that was committed.
        case otherSize = "other-size"
        /// Frames are YUYV where MJPEG was committed, and the reverse.
        case otherFormat = "other-format"
        /// The size with that number is granted, whatever was asked for.
        case otherGrant = "other-grant"
        case refuseCommit = "refuse-commit"
        case refuseSetting = "refuse-setting"
        case hangControl = "hang-control"
        /// Setting a control is refused.
        case refuseControl = "refuse-control"
        /// No request is answered.
        case silent
        /// The microphone delivers nothing, without an error.
        case deaf
    }

    let bus: LabBus
    /// The camera's name on its bus.
    let name: String
    private(set) var port: Int
    /// The video node; empty while it is not plugged in.
    private(set) var path = ""

    /// Adds a camera and plugs it in. `settings` are those of the program's command `add`.
    init(on bus: LabBus? = nil, name: String = "camera", port: Int = 0, _ settings: String...) throws {
        self.bus = try bus ?? LabBus()
        self.name = name
        self.port = port
        try self.bus.command("add", name, settings.joined(separator: " "))
        try plug()
    }

    /// Plugs the camera in, and waits until its node can be used.
    func plug(into port: Int? = nil) throws {
        self.port = port ?? self.port
        try bus.command("plug", name, "port=\(self.port)")
        let link = LabBus.link(port: self.port)
        try LabBus.wait("\(name) has a node", every: 2) { FileManager.default.fileExists(atPath: link) }
        path = URL(filePath: link).resolvingSymlinksInPath().path
    }

    /// Unplugs the camera now, and waits until its node is gone.
    func unplug() throws {
        try bus.command("unplug", name)
        try waitUntilGone()
    }

    /// Lets the camera unplug itself in its frame `number`, when at least `percent` of it has been sent.
    func unplug(at number: Int, percent: Int = 0) throws {
        try bus.command("unplug", name, "at=\(number)", "percent=\(percent)")
    }

    func waitUntilGone() throws {
        let link = LabBus.link(port: port)
        try LabBus.wait("\(name) is gone") { !FileManager.default.fileExists(atPath: link) }
        path = ""
    }

    /// Begins a fault, now or with the frame `number`. It lasts for `count` frames or requests, or until `clear`. With
    /// `every`, only frames whose numbers it divides have it.
    func fault(_ fault: Fault, at number: Int? = nil, count: Int? = nil, every: Int? = nil, value: Int? = nil) throws {
        let options = [("at", number), ("count", count), ("every", every), ("value", value)]
        let words = options.compactMap { option in option.1.map { "\(option.0)=\($0)" } }
        try bus.command("fault", name, fault.rawValue, words.joined(separator: " "))
    }

    /// When the camera was last unplugged, by its own account.
    func unplugged() throws -> Timestamp {
        Timestamp(nanoseconds: Int64(try #require(state()["unplugged"])))
    }

    /// Ends all faults.
    func clear() throws { try bus.command("clear", name) }

    /// The camera's counters and controls by name, such as "number", "plugs" and "brightness".
    func state() throws -> [String: Int] {
        let pairs = try bus.command("state", name).map { $0.split(separator: "=") }
        return Dictionary(uniqueKeysWithValues: pairs.map { (String($0[0]), Int($0[1])!) })
    }
}
