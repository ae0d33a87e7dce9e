// SPDX-License-Identifier: MIT
// Limits of the system: if one is too low, the program ends with a specific error.

import Glibc
import Testing

@Suite struct LimitTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    /// From too little address space for a second thread to almost enough for a photo, in kilobytes.
    /// Sanitizers need more than that themselves.
    @Test(.enabled(if: getenv("LIVECAP_SANITIZER") == nil), arguments: [120_000, 160_000, 200_000, 300_000])
    func tooFewAddressesAreSaid(kilobytes: Int) throws {
        let outcome = try livecap(
            "shoot", "--synthetic", "tripod:frames=9", "--pace", "fast", "--size", "320x240", "--at", "100ms", "-o",
            files.path("a.jpg"), "--json", shell: "ulimit -c 0; ulimit -v \(kilobytes); exec \"$@\"")
        #expect([0, 71].contains(outcome.status), "\(outcome.status): \(outcome.errors.prefix(500))")
        if outcome.status == 71 { #expect(try outcome.object["hint"] != nil) }
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

private enum Limits {
    /// The command that runs a program as a user without other processes.
    static func asOther(_ number: Int) -> String {
        let user = 20_000 + (Int(getpid()) * 16 + number) % 40_000
        return "setpriv --reuid \(user) --regid \(user) --clear-groups"
    }

    static let canLimitThreads: Bool =
        isInstalled("prlimit") && isInstalled("setpriv")
        && (try? livecap("version", shell: "exec prlimit --nproc=64 \(asOther(0)) \"$@\""))?.status == 0
}
