// SPDX-License-Identifier: MIT
// A command run after each picture (`--hook`): it receives the picture and its report, and delays nothing.

import Foundation
import Glibc
import LivecapFiles
import LivecapPatience
import Testing

@Suite(.timeLimit(.usual)) struct HookTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    private func shoot(_ hook: String, _ options: String..., shell: String? = nil) throws -> RunningLivecap {
        try RunningLivecap(
            [
                "shoot", "--synthetic", "tripod", "--size", "64x48", "--format", "YUYV", "--quality", "single",
                "--json",
                "--pace", "fast", "-o", files.path("out") + "/", "--hook", hook,
            ] + options, shell: shell)
    }

    @Test func eachPictureIsHandedOver() throws {
        let outcome = try shoot(
            "echo \"$1|$LIVECAP_FILE|$LIVECAP_JSON\" >> '\(files.path("log"))'", "--count", "3", "--interval", "100ms"
        ).finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let pictures = try outcome.objects.compactMap { $0["file"] as? String }
        let lines = files.text("log").split(separator: "\n").map { $0.split(separator: "|").map(String.init) }
        try #require(pictures.count == 3 && lines.count == 3)
        #expect(Set(lines.map { $0[0] }) == Set(pictures) && lines.allSatisfy { $0[0] == $0[1] })
        for line in lines {
            let facts = try JSONSerialization.jsonObject(with: Data(line[2].utf8)) as? [String: Any]
            #expect(facts?["file"] as? String == line[0])
        }
    }

    @Test func itGetsTheNamesBytes() throws {
        let folder = files.path("latin")
        // 0351 is an e with an acute accent in Latin-1.
        let outcome = try RunningLivecap(
            ["shoot", "--synthetic", "tripod", "--size", "64x48", "--pace", "fast", "--quality", "single"],
            shell: "mkdir '\(folder)'; export MINE=\"$(printf 'a\\351')\"; "
                + "\"$@\" -o \"$(printf '\(folder)/caf\\351.jpg')\" --hook "
                + "'cmp \"$1\" \"$LIVECAP_FILE\" && printf %s \"$MINE\" > \(files.path("mine"))'"
        ).finish()
        #expect(outcome.status == 0 && !outcome.errors.contains("hook"), "\(outcome.errors)")
        #expect(try files.bytes("mine") == [0x61, 0xE9])
    }

    @Test(arguments: [("exit 3", "status 3"), ("kill -9 $$", "signal 9")])
    func howItEndedIsSaidAndThePictureStays(hook: String, words: String) throws {
        let outcome = try shoot(hook).finish()
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
        #expect(try outcome.object["file"] != nil)
    }

    @Test func itInheritsNothingAndPrintsNothingAmongResults() throws {
        let outcome = try shoot(
            // The shell lists its descriptors before it redirects anything, for which it would make copies. 3 is the
            // folder it reads.
            "echo printed; cd /proc/$$/fd; set -- *; echo $* > '\(files.path("fds"))'; "
                + "grep -E 'SigBlk|SigIgn' /proc/self/status > '\(files.path("signals"))'",
            shell: "trap '' USR2; exec 9</dev/null; exec \"$@\""
        ).finish()
        #expect(try outcome.objects.count == 1)
        #expect(outcome.errors.contains("printed"))
        #expect(files.text("fds") == "0 1 2 3\n")
        let masks = files.text("signals").split(separator: "\n").map { $0.drop { $0 != "\t" }.dropFirst() }
        #expect(
            masks.count == 2 && masks.allSatisfy { UInt64($0, radix: 16).map { $0 & 0x7FFF_FFFF } == 0 }, "\(masks)")
    }

    /// Further pictures are taken while the hook of the first still runs, and after Ctrl-C the program waits for all
    /// hooks.
    @Test func itHoldsNobodyUpAndTheEndWaitsForIt() throws {
        let (gate, done) = (files.path("gate"), files.path("done"))
        try #require(mkfifo(gate, 0o600) == 0)
        let program = try RunningLivecap([
            "run", "--synthetic", "tripod", "--size", "64x48", "--quality", "single", "--json", "--no-socket", "-o",
            files.path("out") + "/", "--hook", "head -c 1 '\(gate)' > /dev/null; echo x >> '\(done)'",
        ])
        try eventually("the words that it is armed") { program.errors.contains("takes a picture") }
        for count in 1...3 {
            program.signal(SIGUSR1)
            try eventually("picture \(count)") { program.output.split(separator: "\n").count == count }
        }
        program.signal(SIGINT)
        try eventually("the last words") { program.errors.contains("3 pictures") }
        #expect(files.text("done") == "")
        // Each hook reads one byte.
        let writer = try #require(FileHandle(forUpdatingAtPath: gate))
        try writer.write(contentsOf: Data("123".utf8))
        let outcome = program.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(files.text("done") == "x\nx\nx\n")
        try writer.close()
    }
}
