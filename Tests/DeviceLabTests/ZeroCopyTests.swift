// SPDX-License-Identifier: MIT
// No frame is copied: leased bytes lie in the memory that the kernel reports as its buffers.

import Foundation
import FrameRing
import LivecapCV4L2
import LivecapFrames
import Testing

@testable import Camera

extension DeviceLab {
    @Suite("zero copy")
    struct ZeroCopyTests {
        @Test("user pointers: leased bytes are where the driver's buffer records point")
        func userPointer() throws {
            let stream = try LabStream(transport: .userPointer)
            defer { stream.loop.stop() }
            // Buffers swap places as frames pass. After two rounds of the ring the kernel has seen every slot.
            var known = Set<UInt>()
            try stream.follow(2 * stream.ring.slotCount) { _ in known.formUnion(userPointers(stream.descriptor)) }
            try stream.follow(20) { #expect(known.contains($0.address()), "a frame lies outside the driver's buffers") }
            #expect(stream.ring.statistics.bytesCopied == 0)
        }

        @Test("mapped buffers: leased bytes are in mappings of the device")
        func mapped() throws {
            let stream = try LabStream(transport: .mapped)
            defer { stream.loop.stop() }
            let mappings = try mappings(of: Lab.webcam)
            try stream.follow(20) { lease in
                let address = lease.address()
                #expect(
                    mappings.contains { $0.contains(address) },
                    "a frame at \(String(address, radix: 16)) lies outside the device's mappings \(mappings)")
            }
            #expect(stream.ring.statistics.bytesCopied == 0)
        }

        @Test("copying, by contrast, is counted, and its bytes are elsewhere")
        func copied() throws {
            let stream = try LabStream(transport: .copied)
            defer { stream.loop.stop() }
            let mappings = try mappings(of: Lab.webcam)
            try stream.follow(5) { lease in
                let address = lease.address()
                #expect(!mappings.contains { $0.contains(address) })
            }
            #expect(stream.ring.statistics.bytesCopied >= 5 * UInt64(stream.ring.format.byteCount))
        }

        @Test("the picture is the driver's with either transport", arguments: Transport.allCases)
        func picture(transport: Transport) throws {
            let vivid = try Vivid()
            defer { try? vivid.reset() }
            try vivid.set(.text, 2)
            // "100% White".
            try vivid.set(.testPattern, 6)
            let stream = try LabStream(transport: transport)
            defer { stream.loop.stop() }
            let converter = try #require(PlainConverter(stream.ring.format))
            try stream.follow(5) { lease in
                let isWhite = lease.withBytes { bytes in
                    stride(from: 0, to: LabStream.size.area, by: 97).allSatisfy { pixel in
                        let (y, x) = pixel.quotientAndRemainder(dividingBy: LabStream.size.width)
                        let color = converter.color(x, y, in: bytes)
                        return min(color.red, color.green, color.blue) > 0.98
                    }
                }
                #expect(isWhite, "a white picture is white all over")
            }
        }

        /// The addresses that the driver holds for its buffers, from `VIDIOC_QUERYBUF`.
        private func userPointers(_ descriptor: Int32) -> Set<UInt> {
            var addresses = Set<UInt>()
            for index in 0..<UInt32(32) {
                var raw = v4l2_buffer()
                raw.index = index
                raw.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
                raw.memory = V4L2_MEMORY_USERPTR.rawValue
                guard cv4l2_querybuf(descriptor, &raw) == 0 else { break }
                if raw.m.userptr != 0 { addresses.insert(raw.m.userptr) }
            }
            return addresses
        }

        /// The mappings of a device in this process, from `/proc/self/maps`. The file is read to its end because each
        /// read returns only a part of it.
        private func mappings(of path: String) throws -> [Range<UInt>] {
            let file = try #require(fopen("/proc/self/maps", "r"))
            defer { fclose(file) }
            var text: [UInt8] = []
            while case let byte = getc(file), byte != EOF { text.append(UInt8(byte)) }
            return String(decoding: text, as: UTF8.self).split(separator: "\n").filter { $0.hasSuffix(path) }
                .compactMap { line in
                    let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
                    return ends.count == 2 ? ends[0]..<ends[1] : nil
                }
        }
    }
}
