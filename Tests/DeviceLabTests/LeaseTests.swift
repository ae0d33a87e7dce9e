// SPDX-License-Identifier: MIT
// Leases outlive the camera: their bytes do not change, and the camera can be opened again.

import FrameRing
import LivecapFrames
import Testing

@testable import Camera

extension DeviceLab {
    @Suite("leases")
    struct LeaseTests {
        // Not with mapped buffers: the driver's simulated reconnect waits until nobody maps its buffers any more.
        @Test("outlive a disconnect, and the camera opens again", arguments: [Transport.userPointer, .copied])
        func outlive(transport: Transport) throws {
            let lease = try leaseAndLose(transport)
            let bytes = lease.withBytes(copy)
            let again = try LabStream(transport: transport)
            defer { again.loop.stop() }
            try again.follow(30) { #expect($0.metadata.isUsable) }
            let kept = lease.withBytes(copy)
            #expect(kept == bytes, "bytes changed while another stream ran")
        }

        @Test("outlive the driver being unbound and bound again", arguments: Transport.allCases)
        func outliveRemoval(transport: Transport) throws {
            do {
                let stream = try LabStream(transport: transport)
                _ = try stream.metadata(5)
                guard let lease = stream.ring.leaseNewest() else { throw LabStream.Missing("no frame") }
                let bytes = lease.withBytes(copy)
                try Vivid.unbind()
                let error = try stream.failure()
                #expect(error == .disconnected(path: Lab.webcam))
                stream.loop.stop()
                try Vivid.bind()
                // The node may have another number now; its place on the bus is the same.
                let camera = try #require(CameraDirectory().cameras().first { $0.bus == "platform:vivid-000" })
                let again = try LabStream(camera.path, transport: transport)
                defer { again.loop.stop() }
                try again.follow(10) { #expect($0.metadata.isUsable) }
                let kept = lease.withBytes(copy)
                #expect(kept == bytes, "bytes changed when the driver was taken away")
            }
            // Repeat it with no lease held, so that the nodes get their original numbers again.
            try Vivid.unbind()
            try Vivid.bind()
        }

        @Test("outlive the end of a stream", arguments: Transport.allCases)
        func outliveStop(transport: Transport) throws {
            let lease: FrameLease
            do {
                let stream = try LabStream(transport: transport)
                _ = try stream.metadata(2)
                guard let newest = stream.ring.leaseNewest() else { throw LabStream.Missing("no frame") }
                lease = newest
                stream.loop.stop()
            }
            let bytes = lease.withBytes(copy)
            let again = try LabStream(transport: transport)
            defer { again.loop.stop() }
            try again.follow(10) { #expect($0.metadata.isUsable) }
            let kept = lease.withBytes(copy)
            #expect(kept == bytes, "bytes changed while another stream ran")
        }

        /// A lease on a frame of a stream that has ended because its camera disconnected.
        private func leaseAndLose(_ transport: Transport) throws -> FrameLease {
            let vivid = try Vivid()
            let stream = try LabStream(transport: transport)
            _ = try stream.metadata(5)
            guard let lease = stream.ring.leaseNewest() else { throw LabStream.Missing("no frame") }
            let bytes = lease.withBytes(copy)
            try vivid.set(.disconnect)
            let error = try stream.failure()
            #expect(error == .disconnected(path: Lab.webcam))
            stream.loop.stop()
            let kept = lease.withBytes(copy)
            #expect(kept == bytes, "bytes changed when the camera went away")
            return lease
        }

        private func copy(_ bytes: RawSpan) -> [UInt8] { bytes.withUnsafeBytes { Array($0) } }
    }
}
