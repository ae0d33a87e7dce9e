// SPDX-License-Identifier: MIT
// Limits of the system: if one is too low, the program ends with a specific error.

import Foundation
import Glibc
import LivecapFiles
import LivecapPatience
import Testing

@Suite struct LimitTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    /// From just enough address space to print the version to enough for every photo, in additional kilobytes.
    /// Sanitizers need more than that themselves.
    @Test(
        .enabled(if: getenv("LIVECAP_SANITIZER") == nil), arguments: [0, 24_000, 64_000, 1_000_000],
        ["shoot", "run", "record", "develop", "develop quality", "develop heic"])
    func tooLittleAddressSpaceIsReported(more: Int, command: String) throws {
        let scene = ["--synthetic", "tripod:frames=9", "--size", "64x48", "--pace", "fast"]
        let output = files.path(command == "record" ? "a.lcap" : "a.jpg")
        var line = [command, "-o", output, "--json"]
        switch command {
        case "shoot": line += scene + ["--at", "100ms"]
        case "record": line += scene
        case "run": line += scene + ["--no-socket"]
        default:
            line = ["develop", try files.rawFrames(16), "-o", files.path("a"), "--json"] + Scratch.rawOptions
            line += command.hasSuffix("heic") ? ["--format", "heic"] : []
            line += command.hasSuffix("quality") ? ["--quality", "quality"] : []
        }
        let limit = Limits.leastAddresses + more
        let outcome = try RunningLivecap(
            line, shell: "ulimit -c 0; ulimit -v \(limit); echo | exec \"$@\""
        ).finish()
        let expected: [Int32] = more == 0 ? [71] : more == 1_000_000 ? [0] : [0, 71]
        #expect(expected.contains(outcome.status), "\(outcome.status): \(outcome.errors.prefix(500))")
        if outcome.status == 71 { #expect(try outcome.object["hint"] != nil) }
    }

    /// From enough for the frames alone to enough for what is remembered of them.
    @Test(
        "A live fusion without memory says so", .enabled(if: getenv("LIVECAP_SANITIZER") == nil),
        arguments: (6...14).map { $0 * 10_000 })
    func liveFusionWithoutMemory(more: Int) throws {
        let outcome = try RunningLivecap(
            [
                "live", "--synthetic", "tripod:frames=3,prerender=2", "--size", "1280x720", "--pace", "fast", "-o",
                files.path("a.y4m"),
            ], shell: "ulimit -c 0; ulimit -v \(Limits.leastAddresses + more); exec \"$@\""
        ).finish()
        #expect([0, 71].contains(outcome.status), "\(outcome.status): \(outcome.errors.prefix(500))")
        if outcome.status == 71 { #expect(outcome.errors.contains("hint:"), "\(outcome.errors)") }
    }

    /// Another process may have the address space that this one lacks.
    @Test(.enabled(if: getenv("LIVECAP_SANITIZER") == nil)) func aPhotoThatLacksAddressesIsStillToBeFinished() throws {
        let library = ["--library", files.path("library")]
        let scene = ["--synthetic", "tripod:frames=9", "--size", "64x48", "--pace", "fast"]
        try #require(RunningLivecap(["shoot", "--defer", "required"] + scene + library).finish().status == 0)
        let limited = try RunningLivecap(
            ["library", "finish"] + library,
            shell: "ulimit -c 0; ulimit -v \(Limits.leastAddresses + 40_000); exec \"$@\""
        ).finish()
        #expect(limited.status > 0 && limited.errors.contains("memory"), "\(limited.status): \(limited.errors)")
        let finished = try RunningLivecap(["library", "finish"] + library).finish()
        #expect(finished.status == 0 && finished.output.contains("1"), "\(finished.output) \(finished.errors)")
    }

    /// From too few threads to enough for every command. The limit does not apply to root, so each run has another
    /// user.
    @Test(
        .enabled(if: Limits.canLimitThreads, "needs root, setpriv, prlimit, and a build that others can run"),
        arguments: 2...11, ["shoot", "library", "run"])
    func tooFewThreadsAreSaid(count: Int, command: String) throws {
        chmod(files.path("."), 0o777)
        let scene = ["--synthetic", "tripod:frames=12", "--size", "64x48", "--threads", "2"]
        let line =
            switch command {
            case "run": ["run", "--no-socket", "--pace", "fast", "-o", files.path("out") + "/"]
            case "library": ["shoot", "--pace", "fast", "--library", files.path("library")]
            default: ["shoot", "--pace", "fast", "-o", files.path("a.jpg")]
            }
        let outcome = try RunningLivecap(
            line + scene, shell: "echo | exec prlimit --nproc=\(count) \(Limits.asOther(count)) \"$@\""
        ).finish()
        #expect([0, 71].contains(outcome.status), "\(outcome.status): \(outcome.errors.prefix(500))")
        if outcome.status == 71 { #expect(outcome.errors.contains("ulimit -u"), "\(outcome.errors)") }
    }

    /// A soft limit is raised. A hard one can only be raised with privileges, and is reported if it is too low.
    @Test("Small stacks are raised or reported", arguments: [64, 256, 1024], ["-S -s", "-s"])
    func smallStacks(kilobytes: Int, option: String) throws {
        let scene = ["--synthetic", "tripod:frames=9", "--size", "64x48", "--pace", "fast"]
        let outcome = try RunningLivecap(
            ["shoot", "-o", files.path("a.jpg")] + scene,
            shell: "ulimit -c 0; ulimit \(option) \(kilobytes); exec \"$@\""
        ).finish()
        if outcome.status == 71, option == "-s", kilobytes < 512 {
            #expect(outcome.errors.contains("ulimit -s") && files.names.isEmpty, "\(outcome.errors)")
        } else {
            #expect(outcome.status == 0 && files.names == ["a.jpg"], "\(outcome.status): \(outcome.errors.prefix(500))")
        }
    }

    /// The limit of a running program can be lowered from outside.
    @Test(
        "A photo for which addresses ran out fails alone",
        .enabled(if: getenv("LIVECAP_SANITIZER") == nil && isInstalled("prlimit"), "needs prlimit"))
    func addressesThatAreTakenAway() throws {
        let program = try RunningLivecap([
            "run", "--no-socket", "--synthetic", "tripod", "--size", "640x480", "--json", "-o",
            files.path("out") + "/",
        ])
        func limit(_ soft: String) throws {
            try #require(try run("prlimit", ["--pid", "\(program.id)", "--as=\(soft):"]) == 0)
        }
        try eventually("the words that it is armed") { program.errors.contains("takes a picture") }
        try limit("\(program.addressBytes + 6 << 20)")
        program.signal(SIGUSR1)
        try eventually("a failure") { program.output.contains("too-little-memory") }
        try limit("unlimited")
        program.signal(SIGUSR1)
        try eventually("a photo") { program.output.contains("referenceId") }
        program.signal(SIGINT)
        let outcome = program.finish()
        #expect(outcome.status == 71, "\(outcome.status): \(outcome.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.path("out")).count == 1)
    }

    @Test(arguments: [4, 5, 6, 8, 10]) func tooFewDescriptorsAreSaid(count: Int) throws {
        let outcome = try livecap(
            "run", "--no-socket", "--synthetic", "tripod:frames=9", "--size", "64x48", "-o", files.path("a.jpg"),
            shell: "ulimit -c 0; ulimit -n \(count); exec \"$@\"")
        #expect(
            outcome.status == 0 || outcome.status > 0 && outcome.errors.contains("hint:"),
            "\(outcome.status): \(outcome.errors.prefix(500))")
    }
}

/// Limits under which the program starts.
enum Limits {
    /// The least address space, in kilobytes, that the program starts with.
    static let leastAddresses: Int =
        stride(from: 40_000, to: 400_000, by: 4_000).first { kilobytes in
            let outcome = try? livecap("version", shell: "ulimit -c 0; ulimit -v \(kilobytes); exec \"$@\"")
            return outcome?.status == 0
        } ?? 400_000

    /// The command that runs a program as a user without other processes.
    static func asOther(_ number: Int) -> String {
        let user = 20_000 + (Int(getpid()) * 16 + number) % 40_000
        return "setpriv --reuid \(user) --regid \(user) --clear-groups"
    }

    static let canLimitThreads: Bool =
        isInstalled("prlimit") && isInstalled("setpriv")
        && (try? livecap("version", shell: "exec prlimit --nproc=64 \(asOther(0)) \"$@\""))?.status == 0
}
