// SPDX-License-Identifier: MIT
// The device lab fails if its kernel reports a fault, and only then.

import Foundation
import LivecapProcesses
import Testing

@Suite struct KernelLogTests {
    private func judge(_ log: String) throws -> (status: Int32, words: String) {
        let scratch = try Scratch()
        let file = try scratch.write([UInt8](log.utf8), to: "console.log")
        let process = Process()
        process.executableURL = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "scripts/lab/kernel-log")
        process.arguments = [file]
        let words = Pipe()
        process.standardError = words
        try process.run()
        let said = words.fileHandleForReading.readDataToEndOfFile()
        process.awaitEnd()
        return (process.terminationStatus, String(decoding: said, as: UTF8.self))
    }

    /// Messages of kernels, from lib/bug.c, mm/kasan/report.c, arch/x86/kernel/dumpstack.c, lockdep and libubsan.
    @Test(arguments: [
        "BUG: unable to handle page fault for address: ffffc90000a3f000",
        "BUG: sleeping function called from invalid context",
        "Oops: 0002 [#1] PREEMPT SMP NOPTI", "WARNING: CPU: 0 PID: 412 at drivers/media/v4l2-core/v4l2-ioctl.c:1089",
        "BUG: KASAN: slab-use-after-free in uvc_queue_cancel+0x21/0x90",
        "WARNING: possible circular locking dependency detected",
        "general protection fault, probably for non-canonical address", "Kernel panic - not syncing: Fatal exception",
        "UBSAN: array-index-out-of-bounds in drivers/media/usb/uvc/uvc_video.c:70",
    ])
    func aFaultFails(line: String) throws {
        let judged = try judge("[    1.0] vivid-000: started\n[    9.812345] \(line)\n[   10.0] on we go\n")
        #expect(judged.status == 70)
        // `scripts/tests` prints the lines that begin so.
        #expect(judged.words.contains("\ndevice-lab: [    9.812345] \(line)\n"))
    }

    @Test func whatDriversSayInPassingDoesNot() throws {
        let log = """
            [    0.000000] Linux version 6.1.0-38-amd64 (debian-kernel@lists.debian.org)
            [    2.104500] vivid: WARNING: the input has no signal
            [    3.401230] uvcvideo 1-1:1.0: Failed to set UVC probe control : -32 (exp. 26).
            [    4.000000] debugfs: Directory 'livecap' with parent '/' already present!
            """
        #expect(try judge(log).status == 0)
    }

    /// What Debian's 6.1.192 says when vivid sleeps for a time that is over, with `driver` as the one that does.
    private func wrongTimeout(in driver: String, _ more: String = "") -> String {
        """
        [  186.996799] schedule_timeout: wrong timeout value ffffffffffffffff
        [  186.996831] CPU: 0 PID: 1345 Comm: vivid-001-vid-c Tainted: G S         OE      6.1.0-56-amd64 #1
        [  186.996925] Call Trace:
        [  186.996947]  <TASK>
        [  186.997015]  schedule_timeout+0x138/0x150
        [  186.997082]  \(driver)+0x3b7/0x420
        \(more)
        [  186.997739]  </TASK>
        [  279.639673] vhci_hcd vhci_hcd.0: pdev(0) rhport(0) sockfd(4)

        """
    }

    @Test func aRaceOfVividsOwnIsNone() throws {
        #expect(try judge(wrongTimeout(in: "vivid_thread_vid_cap")).status == 0)
    }

    @Test func theSameInAnotherDriverIsOne() throws {
        #expect(try judge(wrongTimeout(in: "uvc_queue_cancel")).status == 70)
    }

    @Test func aFaultInTheMiddleOfItIsOne() throws {
        let fault = "[  186.997100] BUG: KASAN: slab-use-after-free in uvc_queue_cancel+0x21/0x90"
        #expect(try judge(wrongTimeout(in: "vivid_thread_vid_cap", fault)).status == 70)
        #expect(try judge(wrongTimeout(in: "vivid_thread_vid_cap") + fault).status == 70)
    }
}
