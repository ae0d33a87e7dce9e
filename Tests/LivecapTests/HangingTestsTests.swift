// SPDX-License-Identifier: MIT
// Tests that hang, or leave programs behind, end all the same, and say what they waited for.

import Foundation
import LivecapProcesses
import Testing

@Suite struct HangingTestsTests {
    /// Runs a command as `scripts/tests` does. A second of silence is enough to give it up.
    private func run(_ command: String) throws -> (wasStuck: Bool, stacks: String) {
        let scratch = try Scratch()
        let scripts = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "scripts").path
        let words = Pipe()
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "python3", "-B", "-c",
            """
            import sys
            sys.path.insert(0, sys.argv[1])
            from test_events import Run
            run = Run("hanging", ["sh", "-c", sys.argv[2]])
            for line in run.lines(): pass
            print(run.was_stuck)
            """, scripts, command,
        ]
        process.environment = ProcessInfo.processInfo.environment.merging(["LIVECAP_STUCK": "1"]) { $1 }
        process.currentDirectoryURL = URL(filePath: scratch.path("."))
        process.standardOutput = words
        try process.run()
        let said = try String(decoding: words.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.awaitEnd()
        let stacks = try? String(contentsOfFile: scratch.path(".build/tests/hanging.stacks"), encoding: .utf8)
        return (said == "True\n", stacks ?? "")
    }

    @Test func testsThatSayNothingAreEndedAndItIsKnownWhere() throws {
        let (wasStuck, stacks) = try run("echo begun; sleep 1000000 & sleep 1000001")
        #expect(wasStuck)
        #expect(stacks.contains("== sleep 1000000") && stacks.contains("== sleep 1000001"), "\(stacks)")
    }

    @Test func aProgramThatCrashedTestsLeaveBehindIsEndedWithThem() throws {
        let (wasStuck, stacks) = try run("echo begun; sleep 1000000 & exit 1")
        #expect(!wasStuck && stacks.isEmpty)
    }
}
