// SPDX-License-Identifier: MIT
// `make` targets name the Debian packages that they install and upgrade, before they do.

import Foundation
import LivecapProcesses
import Testing

/// The script runs with an apt-get, a dpkg-query and a swift that only act as such.
@Suite struct PackagesTests {
    private let scratch: Scratch
    private let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "scripts/packages").path

    init() throws {
        scratch = try Scratch()
        try program("id", "echo 0")
        try program("swift", "echo 'Swift version 6.2 (swift-6.2-RELEASE)'")
        // Nothing is installed.
        try program("dpkg-query", "exit 1")
        try program(
            "apt-get",
            """
            echo "$*" >>'\(scratch.path("calls"))'
            case "$*" in
            *" -s "*)
                echo 'Inst spin (6.5 Debian:12 [amd64])'
                echo 'Inst libc6 [2.36-9] (2.36-10 Debian:12 [amd64])'
                echo 'Inst systemd [252.1] (252.2 Debian:12 [amd64]) []'
                echo 'Remv oldlib [1.0]'
                echo 'Conf spin (6.5 Debian:12 [amd64])' ;;
            esac
            """)
    }

    private func program(_ name: String, _ body: String) throws {
        try scratch.write(Array("#!/bin/sh\n\(body)\n".utf8), to: name)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: scratch.path(name))
    }

    /// Runs the script, on a terminal if something is typed there. Returns its status, and what it said.
    private func packages(_ words: String..., typing answer: String? = nil) throws -> (status: Int32, said: String) {
        let process = Process()
        process.executableURL = URL(filePath: script)
        process.arguments = words
        process.environment = ["PATH": "\(scratch.path(".")):/usr/bin:/bin"]
        process.standardOutput = FileHandle.nullDevice
        let terminal = try answer.map { _ in try PseudoTerminal() }
        if let terminal, let answer {
            let inner = try #require(FileHandle(forUpdatingAtPath: terminal.path))
            (process.standardInput, process.standardError) = (inner, inner)
            try process.run()
            try inner.close()
            terminal.type(answer)
            let said = terminal.readToEnd()
            process.awaitEnd()
            return (process.terminationStatus, said)
        }
        process.standardInput = FileHandle.nullDevice
        try scratch.write([], to: "said")
        process.standardError = FileHandle(forWritingAtPath: scratch.path("said"))
        try process.run()
        process.awaitEnd()
        return (process.terminationStatus, scratch.text("said"))
    }

    /// Whether apt-get was asked to install something.
    private var hasInstalled: Bool { scratch.text("calls").contains("install -y") }

    private func expectNames(_ said: String) {
        let lines = said.split(whereSeparator: \.isNewline).map(String.init)
        for (verb, names) in [("install 1", "spin"), ("upgrade 2", "libc6 systemd"), ("remove 1", "oldlib")] {
            let after = lines.drop { !$0.contains("will \(verb) ") }.dropFirst()
            #expect(after.first?.trimmingCharacters(in: .whitespaces) == names, "\(said)")
        }
    }

    @Test("Without a terminal, changes are named and made", arguments: ["install", "require"])
    func unattended(action: String) throws {
        let (status, said) = try packages(action, "model")
        #expect(status == 0 && hasInstalled, "\(said)")
        expectNames(said)
    }

    @Test("On a terminal, a plain Enter or yes lets changes be made", arguments: ["\n", "y\n"])
    func agreed(answer: String) throws {
        let (status, said) = try packages("install", "model", typing: answer)
        #expect(status == 0 && hasInstalled, "\(said)")
        expectNames(said)
    }

    @Test("On a terminal, no leaves everything as it is", arguments: ["n\n", "\u{4}"])
    func refused(answer: String) throws {
        let (status, said) = try packages("install", "model", typing: answer)
        #expect(status == 69 && !hasInstalled && said.contains("nothing was changed"), "\(said)")
        expectNames(said)
    }

    @Test("What is there is not asked about") func nothingMissing() throws {
        try program("dpkg-query", "shift 3; for name; do echo \"installed $name\"; done")
        #expect(try packages("require", "model").status == 0)
        #expect(try packages("check").status == 0)
        #expect(scratch.text("calls").isEmpty)
    }

    @Test("What is missing is named by a check") func missing() throws {
        let (status, said) = try packages("check", "model")
        #expect(status == 69 && said.contains("gcc libc6-dev spin") && !hasInstalled, "\(said)")
    }

    @Test("A Swift that is too old is refused after its own packages are there") func oldSwift() throws {
        try program("swift", "echo 'Swift version 5.10 (swift-5.10-RELEASE)'")
        let (status, said) = try packages("require")
        #expect(status == 69 && hasInstalled && said.contains("6.2 or newer; found 5.10"), "\(said)")
    }

    @Test("A plan that apt-get refuses changes nothing") func impossible() throws {
        try program("apt-get", "case \"$*\" in *' -s '*) echo 'E: no such package' >&2; exit 100 ;; esac")
        let (status, said) = try packages("install", "model")
        #expect(status == 69 && said.contains("cannot install"), "\(said)")
    }
}
