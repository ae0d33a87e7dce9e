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

    @Test(arguments: [4, 5]) func tooFewDescriptorsAreSaid(count: Int) throws {
        let outcome = try livecap(
            "run", "--no-socket", "--synthetic", "tripod:frames=9", "--size", "64x48", "-o", files.path("a.jpg"),
            shell: "ulimit -c 0; ulimit -n \(count); exec \"$@\"")
        #expect(
            outcome.status > 0 && outcome.errors.contains("hint:"), "\(outcome.status): \(outcome.errors.prefix(500))")
    }
}
