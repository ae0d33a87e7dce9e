// SPDX-License-Identifier: MIT
// `livecap share` where the system lacks something: descriptors, memory, or a seal of newer kernels.

import Foundation
import Glibc
import LivecapCShare
import LivecapPatience
import Shutter
import Testing

@Suite(.timeLimit(.usual)) struct ShareShortageTests {
    private let files: Scratch
    private var socket: String { files.path("s") }

    init() throws { files = try Scratch() }

    private func share(_ options: String..., size: String = "64x48", shell: String) throws -> RunningLivecap {
        try RunningLivecap(
            ["share", "--synthetic", "tripod:prerender=4", "--size", size, "--format", "GREY", "--socket", socket]
                + ["--json"] + options, shell: shell)
    }

    /// livecap itself needs about half of its descriptors. As many readers as there are descriptors are too many.
    @Test func readersWaitForDescriptors() throws {
        let limit = 16
        let livecap = try share(shell: "ulimit -n \(limit); exec \"$@\"")
        try eventually("the beginning") { livecap.output.hasSuffix("\n") }
        var readers = try (0..<limit).map { _ in try ConnectedReader(socket) }
        try eventually("the shortage") { livecap.descriptors.isSuperset(of: 0..<limit) }
        // Those who came first are served, and frames go on.
        try readers[0].receiveRing()
        try readers[0].receiveFrame()
        // The socket stays readable, but its thread sleeps. One that spins never gives up the processor by itself.
        let naps = livecap.naps(of: "share socket")
        try eventually("naps") { livecap.naps(of: "share socket") >= naps + 3 }
        try readers[0].receiveFrame()
        #expect(livecap.descriptors.isSuperset(of: 0..<limit) && !readers[limit - 1].hasMessage)
        // Others leave, and the last one takes its turn.
        readers.removeFirst(limit - 1)
        try readers[0].receiveRing()
        try readers[0].receiveFrame()
        livecap.signal(SIGINT)
        let outcome = livecap.finish()
        #expect(outcome.status == 0)
        #expect(try outcome.objects.last?["readers"] as? Int == limit)
    }

    /// The history alone is larger than what the limit leaves to it. Sanitizers need more themselves.
    @Test(.enabled(if: getenv("LIVECAP_SANITIZER") == nil)) func tooLittleMemoryIsReportedBeforeAnyFrame() throws {
        let outcome = try share(
            "--ring", "25s", size: "640x480",
            shell: "ulimit -c 0; ulimit -v \(Limits.leastAddresses + 100_000); exec \"$@\""
        ).finish()
        #expect(outcome.status == 71, "\(outcome.errors)")
        #expect(try outcome.object["code"] as? String == "no-memory")
        #expect(!FileManager.default.fileExists(atPath: socket))
    }

    @Test func anOldKernelIsReportedBeforeAnyFrame() throws {
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Support/OldKernel/old-kernel.c").path
        let program = files.path("old-kernel")
        try #require(run("cc", ["-o", program, source]) == 0)
        let outcome = try share(shell: "exec '\(program)' \"$@\"").finish()
        #expect(outcome.status == 71, "\(outcome.errors)")
        #expect(try outcome.object["code"] as? String == "no-memory")
        #expect(!FileManager.default.fileExists(atPath: socket))
    }
}

/// A reader in this process, which has connected and perhaps not been accepted yet.
private final class ConnectedReader {
    private var share = livecap_share()

    init(_ path: String) throws {
        let result = livecap_share_connect(&share, path)
        try #require(result == 0, "\(String(cString: strerror(-result)))")
    }

    deinit { livecap_share_close(&share) }

    /// Whether livecap has sent it something that it has not received yet.
    var hasMessage: Bool { hasMessage(within: 0) }

    private func hasMessage(within milliseconds: Int32) -> Bool {
        var polled = [pollfd(share.socket)]
        polled.wait(milliseconds: milliseconds)
        return polled[0].isReadable
    }

    /// Waits for the ring.
    func receiveRing() throws {
        try #require(hasMessage(within: Patience.milliseconds))
        try #require(livecap_share_next_ring(&share) == 0)
    }

    /// Waits for a frame that has not been taken yet.
    func receiveFrame() throws {
        let next = livecap_share_next_counter(&share)
        try #require(livecap_share_wait(&share, next, Patience.milliseconds) == 1)
    }
}
