// SPDX-License-Identifier: MIT
// Limits of the system: if one is too low, the program ends with a specific error.

import Glibc
import LivecapFiles
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

    /// From too few threads to enough for every command. The limit does not apply to root, so each run has another user.
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
