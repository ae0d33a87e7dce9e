// SPDX-License-Identifier: MIT
// Cameras shared with other processes: the driver writes into the shared memory, and readers live through an unplug.

import Foundation
import FrameRing
import Glibc
import LivecapCShare
import LivecapFrames
import Testing

@testable import Camera

extension DeviceLab {
    @Suite("shared cameras")
    struct SharedCameraTests {
        @Test("raw frames: the driver writes into the memory that readers map", arguments: [Lab.webcam, "usb"])
        func userPointer(camera: String) throws {
            let usb = camera == "usb" ? try LabCamera("serial=SN1") : nil
            let size = FrameSize(width: 320, height: usb == nil ? 180 : 240)
            let stream = try LabStream(usb?.path ?? camera, size: size, isShared: true)
            defer { stream.loop.stop() }
            var share = livecap_share()
            share.socket = -1
            try #require(livecap_share_map(&share, try #require(stream.ring.memory.file).descriptor) == 0)
            defer { livecap_share_close(&share) }
            try stream.follow(2 * stream.ring.slotCount) { lease in
                var frame = livecap_frame()
                let found = livecap_share_next(&share, lease.metadata.id.counter, &frame)
                #expect(found == 0 && frame.record.counter == lease.metadata.id.counter)
                #expect(frame.record.byte_count == UInt64(lease.metadata.byteCount))
                let isSame = lease.withBytes { bytes in
                    bytes.withUnsafeBytes { memcmp($0.baseAddress!, frame.bytes, $0.count) == 0 }
                }
                #expect(isSame, "a reader sees other bytes than a lease")
            }
            #expect(stream.ring.statistics.bytesCopied == 0)
        }

        @Test("readers of `livecap share` go on when the camera is back")
        func replugged() throws {
            let camera = try LabCamera("serial=SN1")
            let folder = try TemporaryFolder()
            let socket = folder.path("s")
            let livecap = try Livecap.start(
                ["share", "--device", camera.path, "--format", "YUYV", "--size", "320x240", "--fps", "15"]
                    + ["--socket", socket])
            try LabBus.wait("the socket") { access(socket, F_OK) == 0 }
            let program = URL(filePath: Livecap.program).deletingLastPathComponent().appending(path: "share-reader")
                .path
            let reader = try RunningProgram(program, [socket])
            func frames() -> [Substring] { reader.output.split(separator: "\n") }
            try LabBus.wait("ten frames") { frames().count >= 10 }
            try camera.unplug()
            let before = frames().count
            try camera.plug(into: 2)
            try LabBus.wait("ten more") { frames().count >= before + 10 }
            livecap.signal(SIGINT)
            #expect(try livecap.finish().status == 0)
            #expect(try reader.finish().status == 0)
            let counters = frames().compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
            #expect(zip(counters, counters.dropFirst()).allSatisfy { $0 < $1 })
        }

        @Test("shoot, record and movie use the camera that a run has, its past, too, and live through an unplug")
        func attached() throws {
            let camera = try LabCamera("serial=SN1")
            let folder = try TemporaryFolder()
            let host = try Livecap.start(
                ["run", "--device", camera.path, "--on-unplug", "wait", "--format", "YUYV", "--size", "320x240"]
                    + ["--fps", "15", "--ring", "3s", "--no-socket", "-o", folder.path("photos") + "/"])
            try LabBus.wait("the words that it is armed") { host.errors.contains("takes a picture") }
            let recording = try Livecap.start(["record", "--device", camera.path, "-o", folder.path("a.lcap")])
            let movie = try Livecap.start(
                ["movie", "--device", camera.path, "--sound", "none", "-o", folder.path("a.mkv")])
            for program in [recording, movie] {
                try LabBus.wait("whose frames it uses") { program.errors.contains("using the frames of livecap run") }
            }
            func bytes(_ name: String) -> Int {
                (try? FileManager.default.attributesOfItem(atPath: folder.path(name))[.size]) as? Int ?? 0
            }
            // A second of frames of 150 kB.
            try LabBus.wait("a second of recording") { bytes("a.lcap") > 15 * 150_000 }
            let shot = try Livecap.start(
                ["shoot", "--device", camera.path, "--at", "-1s", "-o", folder.path("a.jpg")]
            ).finish()
            #expect(shot.status == 0, "\(shot.errors)")
            #expect(try ShotObject.all(in: shot.output).first?.file != nil)
            try camera.unplug()
            let before = bytes("a.lcap")
            try camera.plug(into: 2)
            try LabBus.wait("another second of it") { bytes("a.lcap") > before + 15 * 150_000 }
            for program in [recording, movie, host] {
                program.signal(SIGINT)
                let outcome = try program.finish()
                #expect(outcome.status == 0, "\(outcome.errors)")
            }
            let report = try Livecap.info(folder.path("a.lcap"))
            #expect(report.isWhole && report.frames ?? 0 > 30, "\(report)")
        }

        @Test("a camera takes no pictures for --loopback")
        func loopback() throws {
            let folder = try TemporaryFolder()
            let outcome = try Livecap.start(
                ["share", "--synthetic", "tripod:prerender=1", "--size", "64x48", "--loopback", Lab.webcam]
                    + ["--socket", folder.path("s")]
            ).finish()
            #expect(outcome.status == 69 && outcome.output.contains("not-an-output"), "\(outcome)")
        }
    }
}
