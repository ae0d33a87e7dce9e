// SPDX-License-Identifier: MIT
// What a listener hears: records of sound, decoded by libopus, with which FFmpeg's libraries encode them.

import Glibc
import LivecapFrames
import LivecapWebGear
import Testing

/// A record of `GET /sound`.
struct SoundRecord: Hashable {
    let number: UInt32
    let time: Timestamp
    let samples: Int
    let channels: Int
    let packet: [UInt8]

    static let headerBytes = 24

    /// Reads a header, and the packet with `packet`, which gets the count of its bytes.
    init(_ header: [UInt8], _ packet: (Int) throws -> [UInt8]) throws {
        guard header.starts(with: Array("LCS1".utf8)) else { throw WireError.malformed("no record of sound") }
        func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number {
            header.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: type)) }
        }
        self.number = number(at: 4, as: UInt32.self)
        time = Timestamp(nanoseconds: number(at: 8, as: Int64.self))
        samples = Int(number(at: 20, as: UInt16.self))
        channels = Int(number(at: 22, as: UInt16.self))
        self.packet = try packet(Int(number(at: 16, as: UInt32.self)))
    }

    /// The only record in these bytes.
    init(whole bytes: [UInt8]) throws {
        try self.init(Array(bytes.prefix(Self.headerBytes))) { count in
            guard bytes.count == Self.headerBytes + count else { throw WireError.malformed("bytes after a record") }
            return Array(bytes.suffix(count))
        }
    }
}

/// The records of one connection.
final class SoundRecords {
    private let connection: HTTPConnection
    private let body: HTTPBody

    init(port: UInt16, _ request: HTTPRequest = HTTPRequest("GET", "/sound")) throws {
        connection = try HTTPConnection(port: port)
        try connection.send(request)
        let head = try connection.readHead()
        guard head.status == 200 else { throw WireError.malformed("no sound: \(head.status)") }
        body = try connection.body(after: head)
    }

    /// Waits for the next record with a packet.
    func next() throws -> SoundRecord {
        while let header = try body.bytes(SoundRecord.headerBytes) {
            let record = try SoundRecord(header) { count in count == 0 ? [] : try body.bytes(count) ?? [] }
            if !record.packet.isEmpty { return record }
        }
        throw WireError.ended("a packet of sound")
    }
}

/// Decodes packets to mono at 48 kHz.
final class OpusListener {
    private typealias Create = @convention(c) (Int32, Int32, UnsafeMutablePointer<Int32>) -> OpaquePointer?
    private typealias Decode =
        @convention(c) (
            OpaquePointer, UnsafePointer<UInt8>?, Int32, UnsafeMutablePointer<Float>, Int32, Int32
        ) -> Int32
    private typealias Destroy = @convention(c) (OpaquePointer) -> Void

    private let decoder: OpaquePointer
    private let decode: Decode
    private let destroy: Destroy

    init() throws {
        let library = try #require(dlopen("libopus.so.0", RTLD_NOW), "libopus0 is missing")
        let create = unsafeBitCast(try #require(dlsym(library, "opus_decoder_create")), to: Create.self)
        decode = unsafeBitCast(try #require(dlsym(library, "opus_decode_float")), to: Decode.self)
        destroy = unsafeBitCast(try #require(dlsym(library, "opus_decoder_destroy")), to: Destroy.self)
        var error: Int32 = 0
        decoder = try #require(create(48_000, 1, &error))
    }

    deinit { destroy(decoder) }

    func samples(_ packet: [UInt8]) -> [Float] {
        var samples = [Float](repeating: 0, count: 5760)
        let count = decode(decoder, packet, Int32(packet.count), &samples, 5760, 0)
        return Array(samples.prefix(max(0, Int(count))))
    }
}

/// A tone that is looked for in samples.
struct FoundTone {
    let amplitude: Double
    /// How much later it is than it should be, in seconds, less than half of its period.
    let delay: Double

    /// `begin`: the time of the first of the samples at 48 kHz, in seconds, at which a sine of `frequency` began at 0.
    init(_ samples: some Collection<Float>, from begin: Double, frequency: Double) {
        var sine = 0.0
        var cosine = 0.0
        for (index, sample) in samples.enumerated() {
            let phase = 2 * Double.pi * frequency * (begin + Double(index) / 48_000)
            sine += Double(sample) * sin(phase)
            cosine += Double(sample) * cos(phase)
        }
        sine *= 2 / Double(samples.count)
        cosine *= 2 / Double(samples.count)
        amplitude = (sine * sine + cosine * cosine).squareRoot()
        delay = -atan2(cosine, sine) / (2 * .pi * frequency)
    }
}
