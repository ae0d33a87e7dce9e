// SPDX-License-Identifier: MIT
// A D-Bus of a test's own, with a fake accelerometer.

import Foundation
import Glibc
import Testing

/// A private bus.
final class PrivateBus {
    private let daemon = Process()
    let address: String
    let folder: URL

    /// Whether this machine has what it takes.
    static let isThere = FileManager.default.isExecutableFile(atPath: "/usr/bin/dbus-daemon")

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "bus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let output = Pipe()
        daemon.executableURL = URL(filePath: "/usr/bin/dbus-daemon")
        daemon.arguments = ["--session", "--nofork", "--print-address=1", "--address=unix:path=\(folder.path)/bus"]
        daemon.standardOutput = output
        try daemon.run()
        address = try line(of: output)
    }

    deinit {
        // Threads of a pool block all other signals, and children inherit that.
        kill(daemon.processIdentifier, SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }
}

/// iio-sensor-proxy, as `Tests/Support/FakeSensor` plays it.
final class FakeSensor {
    private let process = Process()
    private let input = Pipe()

    init(on bus: PrivateBus) throws {
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Support/FakeSensor/FakeSensor.c").path
        let program = bus.folder.appending(path: "sensor").path
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/bin/sh")
        compiler.arguments = ["-c", "exec cc -o '\(program)' '\(source)' -l:libsystemd.so.0"]
        // `waitUntilExit` may miss the end of a process when others end at the same time.
        let compiled = DispatchSemaphore(value: 0)
        compiler.terminationHandler = { _ in compiled.signal() }
        try compiler.run()
        compiled.wait()
        try #require(compiler.terminationStatus == 0)
        let output = Pipe()
        process.executableURL = URL(filePath: program)
        process.arguments = [bus.address]
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        try #require(try line(of: output) == "ready")
    }

    deinit { try? input.fileHandleForWriting.close() }

    /// Turns the device, such that this side is up; "none" takes the accelerometer away.
    func turn(_ side: String) throws { try input.fileHandleForWriting.write(contentsOf: Data("\(side)\n".utf8)) }
}

private func line(of pipe: Pipe) throws -> String {
    var bytes: [UInt8] = []
    while let byte = try pipe.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
        bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
}
