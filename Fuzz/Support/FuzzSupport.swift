// SPDX-License-Identifier: MIT
// Shared by the fuzz targets: an input as a file, and everything that can be done with a file of frames.

import Camera
import FrameRing
import Glibc
import LivecapCFuzzer
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames

/// Runs libFuzzer with this program's arguments, then ends the program.
public func fuzz(_ body: @escaping @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt) -> Never {
    var (count, arguments) = (CommandLine.argc, Optional(CommandLine.unsafeArgv))
    exit(LLVMFuzzerRunDriver(&count, &arguments, body))
}

/// Passes a file in memory with `prefix` and `input` to `body`. The file has already been unlinked.
public func withInputFile(_ input: UnsafeRawBufferPointer, after prefix: StaticString = "", _ body: (String) -> Void) {
    var name = Array("/dev/shm/livecap-fuzz-XXXXXX".utf8CString)
    let file = mkstemp(&name)
    precondition(file >= 0, "no file in memory: errno \(errno)")
    defer { close(file) }
    unlink(name)
    write(file, prefix.utf8Start, prefix.utf8CodeUnitCount)
    write(file, input.baseAddress, input.count)
    body("/proc/self/fd/\(file)")
}

/// Opens a file of frames, reads every frame, and plays it into a ring. Errors are expected of hostile files. Traps,
/// hangs and large allocations are findings.
package func exercise(_ opening: () throws(FrameFileError) -> any FrameFile) {
    do throws(FrameFileError) {
        let file = try opening()
        // A frame larger than the input can only be an allocation requested by a hostile length.
        precondition(file.largestFrame <= 8 << 20, "a frame is no larger than its file")
        _ = try file.summary(verifying: true)
        do throws(CameraError) { try play(file) } catch { _ = (error.message, error.hint, error.code) }
    } catch {
        _ = (error.message, error.hint, error.code)
    }
}

/// Opens a dump without checking its checksums, so that mutations reach the checks after them.
package func openDumpIgnoringChecksums(_ path: String) throws(FrameFileError) -> any FrameFile {
    try DumpReader(unchecked: path)
}

private func play(_ file: any FrameFile) throws(CameraError) {
    let replay = ReplayCamera(file, pace: .fast)
    let (ring, _) = try replay.makeRing(RingCapacity(duration: .milliseconds(100), byteCap: 16 << 20))
    var producer = RingProducer(filling: ring)
    try replay.start(&producer)
    for _ in 0..<64 {
        guard try replay.step(&producer) != .ended else { break }
        guard let lease = ring.leaseNewest() else { continue }
        // An undamaged frame has all of its planes.
        let end = lease.format.planes.map(\.end).max() ?? 0
        precondition(!lease.metadata.isUsable || end <= lease.metadata.byteCount, "an undamaged frame is whole")
    }
    replay.stop()
}
