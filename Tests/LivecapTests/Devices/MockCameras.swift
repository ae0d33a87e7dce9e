// SPDX-License-Identifier: MIT
// Mock cameras by umockdev, for the built program: plugged in, reported and unplugged on command.

import Foundation
import LivecapFiles
import Testing

/// A testbed of umockdev and the program that plays its cameras (`Tests/Support/MockCameras`).
final class MockCameras {
    private let process = Process()
    private let ended = DispatchSemaphore(value: 0)
    private let (commands, replies) = (Pipe(), Pipe())
    private let files: Scratch
    /// What `livecap` is started with to see these cameras, for a shell.
    let shell: String

    init() throws {
        files = try Scratch()
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Support/MockCameras/MockCameras.c").path
        let program = files.path("mock")
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/bin/sh")
        compiler.arguments = [
            "-c", "exec cc -o '\(program)' '\(source)' $(pkg-config --cflags --libs umockdev-1.0)",
        ]
        // `waitUntilExit` may miss the end of a process when others end at the same time.
        let compiled = DispatchSemaphore(value: 0)
        compiler.terminationHandler = { _ in compiled.signal() }
        try compiler.run()
        compiled.wait()
        try #require(compiler.terminationStatus == 0)
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["umockdev-wrapper", program]
        (process.standardInput, process.standardOutput) = (commands, replies)
        let ended = ended
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        let root = try Self.line(replies)
        shell = """
            XDG_STATE_HOME='\(files.path("state"))' UMOCKDEV_DIR='\(root)' LD_PRELOAD=libumockdev-preload.so.0 exec "$@"
            """
    }

    deinit {
        try? commands.fileHandleForWriting.close()
        ended.wait()
    }

    /// Tells it to do something, and waits until that is done.
    func command(_ words: String) throws {
        try commands.fileHandleForWriting.write(contentsOf: Data((words + "\n").utf8))
        try #require(try Self.line(replies) == "ok", "\(words)")
    }

    /// Plugs in a camera as the kernel does, and reports it as udev does.
    func plug(_ number: Int, port: String, serial: String = "-", format: String = "MJPG", name: String = "Mock Eye")
        throws
    {
        try command("plug \(number) \(port) \(serial) \(format) \(name)")
        try command("report \(number) add")
    }

    private static func line(_ pipe: Pipe) throws -> String {
        var bytes: [UInt8] = []
        while let byte = try pipe.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
