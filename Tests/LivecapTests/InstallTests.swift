// SPDX-License-Identifier: MIT
// `make install` puts the program and its files in place, and `make uninstall` leaves nothing.

import Foundation
import LivecapProcesses
import Testing

@Suite struct InstallTests {
    private let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "scripts/install").path

    /// Runs the script and returns its exit status.
    private func install(_ arguments: [String], _ environment: [String: String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: script)
        process.arguments = arguments
        let inherited = ProcessInfo.processInfo.environment.filter { $0.key == "ASAN_OPTIONS" }
        process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"].merging(inherited) { $1 }.merging(environment) {
            $1
        }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.awaitEnd()
        return process.terminationStatus
    }

    private func files(_ folder: String) -> [String] {
        let names = FileManager.default.subpaths(atPath: folder) ?? []
        return names.filter { name in
            var isFolder: ObjCBool = false
            let path = folder + "/" + name
            return !FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) || !isFolder.boolValue
        }.sorted()
    }

    @Test func theProgramItsManualAndCompletionsAreInstalledAndRemoved() throws {
        let scratch = try Scratch()
        let root = scratch.path("root")
        let environment = ["DESTDIR": root, "PREFIX": "/usr", "LIVECAP_PROGRAM": RunningLivecap.path]
        #expect(try install([], environment) == 0)
        let found = files(root).filter { !$0.hasSuffix(".so") }
        #expect(
            found == [
                "usr/bin/livecap", "usr/include/livecap-share.h", "usr/lib/livecap/livecap",
                "usr/lib/livecap/livecap-bench", "usr/lib/livecap/livecap-window",
                "usr/lib/systemd/system/livecap.service", "usr/lib/systemd/system/livecap.socket",
                "usr/share/applications/livecap.desktop",
                "usr/share/bash-completion/completions/livecap",
                "usr/share/fish/vendor_completions.d/livecap.fish",
                "usr/share/icons/hicolor/scalable/apps/livecap.svg", "usr/share/livecap/intents.json",
                "usr/share/man/man1/livecap.1",
                "usr/share/zsh/site-functions/_livecap",
            ])
        // The installed command runs the program, and the Swift libraries it needs are installed beside
        // it.
        let ran = try livecap("version", shell: "exec '\(root)/usr/bin/livecap' version")
        #expect(ran.status == 0)
        #expect(ran.output == (try livecap("version")).output)
        #expect(FileManager.default.fileExists(atPath: root + "/usr/lib/livecap/libswiftCore.so"))
        // `livecap bench` finds the benchmarks beside the program that the link leads to.
        let unknown = try livecap(
            "bench", shell: "exec '\(root)/usr/bin/livecap' bench capture --only nothing-like-it")
        #expect(unknown.errors.contains("ring.publish"), "\(unknown.errors)")
        let manual = try String(contentsOfFile: root + "/usr/share/man/man1/livecap.1", encoding: .utf8)
        #expect(manual == (try livecap("man")).output)
        let schema = try String(contentsOfFile: root + "/usr/share/livecap/intents.json", encoding: .utf8)
        #expect(schema == (try livecap("schema")).output)
        let entry = try String(contentsOfFile: root + "/usr/share/applications/livecap.desktop", encoding: .utf8)
        #expect(entry.contains("\nExec=/usr/lib/livecap/livecap-window\n"))

        #expect(try install(["--uninstall"], environment) == 0)
        #expect(files(root) == [])
    }

    @Test func aProgramThatIsNotBuiltIsNamed() throws {
        let scratch = try Scratch()
        let environment = ["DESTDIR": scratch.path("root"), "LIVECAP_PROGRAM": scratch.path("livecap")]
        #expect(try install([], environment) == 66)
        #expect(files(scratch.path("root")) == [])
    }
}
