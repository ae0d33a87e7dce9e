// SPDX-License-Identifier: MIT
// H.264 for viewers: each frame leaves at once as a packet of its own, and decoders show it at once.

import Foundation
import LivecapFrames
import LivecapSeededRandom
import Testing

@testable import LivecapMovies

@Suite struct LiveEncoderTests {
    private static let size = FrameSize(width: 320, height: 240)
    private static let pictures = FrameFormat(pixelFormat: .i420, size: size, colorimetry: .jpeg)

    private func encoder(
        _ pictures: FrameFormat = LiveEncoderTests.pictures, bits: Int = 1_000_000
    ) throws -> LiveEncoder {
        try LiveEncoder(LiveEncoder.Settings(pictures: pictures, rate: FrameRate(30), bitsPerSecond: bits))
    }

    /// A bar that moves over grey.
    private static func bar(_ index: Int, in format: FrameFormat = pictures) -> [UInt8] {
        var bytes = [UInt8](repeating: 128, count: format.byteCount)
        let luma = format.planes[0]
        for row in 0..<luma.rows {
            for column in 0..<16 {
                bytes[luma.offset + row * luma.stride + (index * 3 + column) % format.size.width] = 235
            }
        }
        return bytes
    }

    private static func frame(_ index: Int, at nanoseconds: Int64? = nil) -> FrameMetadata {
        FrameMetadata(
            time: Timestamp(nanoseconds: nanoseconds ?? 5_000_000_000 + Int64(index) * 33_333_333), byteCount: 0,
            id: FrameID(epoch: 3, counter: UInt64(100 + index)))
    }

    private func encode(_ count: Int, keys: Set<Int> = []) throws -> [LiveEncoder.Packet] {
        let encoder = try encoder()
        var packets: [LiveEncoder.Packet] = []
        for index in 0..<count {
            let bytes = Self.bar(index)
            try encoder.encode(bytes.span.bytes, of: Self.frame(index), isKey: keys.contains(index)) {
                packets.append($0)
            }
            // None is held back.
            #expect(packets.count == index + 1)
        }
        return packets
    }

    /// The number of pictures in a stream that a decoder shows.
    private func decoded(_ packets: some Sequence<LiveEncoder.Packet>) throws -> Int {
        let file = FileManager.default.temporaryDirectory.appending(path: "livecap-live-\(UUID().uuidString).h264")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(packets.flatMap(\.bytes)).write(to: file)
        return try MovieProbe.decoded(file.path)
    }

    @Test func eachFrameIsAPacketOfItsOwn() throws {
        let packets = try encode(40)
        #expect(packets.map(\.frame.id.counter) == (100..<140).map { UInt64($0) })
        #expect(packets.map(\.isKey) == [true] + Array(repeating: false, count: 39))
        #expect(try decoded(packets) == 40)
    }

    @Test func aKeyComesWhenItIsAskedFor() throws {
        let packets = try encode(40, keys: [7, 8, 23])
        #expect(packets.indices.filter { packets[$0].isKey } == [0, 7, 8, 23])
        for packet in packets {
            let head = H264Head(of: packet.bytes.span.bytes)
            #expect(head.picture == (packet.isKey ? .independent : .dependent))
            #expect(head.parameters.isEmpty != packet.isKey)
        }
        // Whoever comes later needs nothing from before.
        #expect(try decoded(packets[23...]) == 17)
    }

    @Test func decodersAreToldToHoldNothingBack() throws {
        let key = try encode(1)[0]
        let units = H264Clip.units(of: key.bytes)
        let sequence = try #require(units.first { $0[0] & 0x1F == 7 })
        let reading = SequenceParameters(sequence)
        #expect(reading.reorderFrames == 0)
        #expect(reading.isFullRange == true)
    }

    @Test func theRateIsBounded() throws {
        let bits = 1_000_000
        let encoder = try encoder(bits: bits)
        var random = SeededRandom(seed: 7)
        var counts: [Int] = []
        // Noise, which cannot be compressed, and which moves on.
        let noise = (0..<Self.pictures.byteCount * 2).map { _ in UInt8.random(in: 0...255, using: &random) }
        for index in 0..<60 {
            let bytes = Array(noise[(index * 1777)...].prefix(Self.pictures.byteCount))
            try encoder.encode(bytes.span.bytes, of: Self.frame(index), isKey: index == 30) {
                counts.append($0.bytes.count * 8)
            }
        }
        // Even the coarsest noise has its price: a bound that the encoder keeps, with what it needs to get there.
        #expect(counts.suffix(30).reduce(0, +) < bits * 3 / 2)
    }

    @Test func timesThatStandStillOrGoBackAreNoHindrance() throws {
        let encoder = try encoder()
        var ids: [UInt64] = []
        for (index, time) in [1_000_000, 1_000_000, 1_000_400, 500, 2_000_000].enumerated() {
            let bytes = Self.bar(index)
            try encoder.encode(bytes.span.bytes, of: Self.frame(index, at: Int64(time)), isKey: false) {
                ids.append($0.frame.id.counter)
            }
        }
        #expect(ids == [100, 101, 102, 103, 104])
    }

    @Test func theLastRowOfAnOddSizeIsLeftOut() throws {
        let odd = FrameFormat(pixelFormat: .i420, size: FrameSize(width: 101, height: 75), colorimetry: .jpeg)
        let encoder = try encoder(odd)
        var packets: [LiveEncoder.Packet] = []
        for index in 0..<3 {
            let bytes = Self.bar(index, in: odd)
            try encoder.encode(bytes.span.bytes, of: Self.frame(index), isKey: false) { packets.append($0) }
        }
        #expect(encoder.size == FrameSize(width: 100, height: 74))
        #expect(try decoded(packets) == 3)
    }

    @Test func otherPicturesAreRefused() throws {
        let packed = FrameFormat(pixelFormat: .yuyv, size: Self.size, colorimetry: .jpeg)
        #expect(throws: MovieError.self) { try encoder(packed) }
    }
}

/// What a sequence's parameters say of order and range, by ITU-T H.264, 7.3.2.1.1 and E.1.1: of profiles without other
/// chroma formats.
private struct SequenceParameters {
    private(set) var reorderFrames: Int?
    private(set) var isFullRange: Bool?
    private var bits: [Bool]
    private var place = 0

    init(_ unit: [UInt8]) {
        var bytes: [UInt8] = []
        for byte in unit where !(byte == 3 && bytes.suffix(2) == [0, 0]) { bytes.append(byte) }
        bits = bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 == 1 } }
        read()
    }

    private mutating func number(_ count: Int) -> Int {
        let value = bits.dropFirst(place).prefix(count).reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        place += count
        return value
    }

    private mutating func flag() -> Bool { number(1) == 1 }

    private mutating func golomb() -> Int {
        var zeros = 0
        while place < bits.count, !flag() { zeros += 1 }
        return (1 << zeros) - 1 + number(zeros)
    }

    private mutating func read() {
        _ = number(8)
        guard [66, 77, 88].contains(number(8)) else { return }
        _ = number(16)
        // Its number, and that of frames.
        for _ in 0..<2 { _ = golomb() }
        switch golomb() {
        case 0: _ = golomb()
        case 1: return
        default: break
        }
        _ = golomb()
        _ = flag()
        for _ in 0..<2 { _ = golomb() }
        if !flag() { _ = flag() }
        _ = flag()
        if flag() { for _ in 0..<4 { _ = golomb() } }
        if flag() { readUsability() }
    }

    private mutating func readUsability() {
        // The shape of pixels; whether borders are shown.
        if flag(), number(8) == 255 { _ = number(32) }
        if flag() { _ = flag() }
        if flag() {
            _ = number(3)
            isFullRange = flag()
            if flag() { _ = number(24) }
        }
        if flag() { for _ in 0..<2 { _ = golomb() } }
        if flag() { _ = number(65) }
        let delays = [flag() ? readDelays() : false, flag() ? readDelays() : false]
        if delays.contains(true) { _ = flag() }
        _ = flag()
        guard flag() else { return }
        _ = flag()
        for _ in 0..<4 { _ = golomb() }
        reorderFrames = golomb()
    }

    private mutating func readDelays() -> Bool {
        let count = golomb() + 1
        _ = number(8)
        for _ in 0..<count {
            for _ in 0..<2 { _ = golomb() }
            _ = flag()
        }
        _ = number(20)
        return true
    }
}
