// SPDX-License-Identifier: MIT
// The frames that a viewer gets from `/frames`: records of a header and a picture.

import LivecapFrames

/// One record.
package struct FrameRecord {
    /// The stream's epoch.
    package let epoch: UInt32
    /// The frame's number within the epoch.
    package let counter: UInt64
    /// The frame's time.
    package let time: Timestamp
    /// The picture's size; zero in a heartbeat.
    package let size: FrameSize
    /// The picture; empty in a heartbeat.
    package let jpeg: [UInt8]
    /// What the picture is.
    package let kind: Kind
    /// Which one it is of those that the server made for all who view it in this way; 0 in a heartbeat.
    package let number: UInt32

    /// What a record can have.
    package enum Kind: UInt32, Sendable {
        /// A JPEG, or a heartbeat: "LCF1", as a little-endian number.
        case jpeg = 0x3146_434C
        /// H.264 that needs no other record: "LCK1".
        case key = 0x314B_434C
        /// H.264 that builds on the record before it: "LCD1".
        case dependent = 0x3144_434C
    }

    /// The frame's id as text, such as "0:123".
    package var id: String { "\(epoch):\(counter)" }
    /// Whether this says only that the server is there.
    package var isHeartbeat: Bool { jpeg.isEmpty }

    /// The kind, epoch, counter, time, count of bytes, width, height and number.
    fileprivate static let headerBytes = 36
    /// No picture of a camera has more bytes.
    private static let maxBytes = 64 << 20

    /// Reads a header, and the picture with `picture`, which gets the count of its bytes.
    fileprivate init(_ header: [UInt8], _ picture: (Int) throws -> [UInt8]) throws {
        func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number {
            header.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: type)) }
        }
        let count = Int(number(at: 24, as: UInt32.self))
        guard let kind = Kind(rawValue: number(at: 0, as: UInt32.self)), count <= Self.maxBytes else {
            throw WireError.malformed("not the header of a frame: \(header)")
        }
        self.kind = kind
        epoch = number(at: 4, as: UInt32.self)
        counter = number(at: 8, as: UInt64.self)
        time = Timestamp(nanoseconds: number(at: 16, as: Int64.self))
        size = FrameSize(width: Int(number(at: 28, as: UInt16.self)), height: Int(number(at: 30, as: UInt16.self)))
        self.number = number(at: 32, as: UInt32.self)
        jpeg = try picture(count)
    }
}

/// The records of one connection.
package final class FrameRecords {
    /// The status and the header of the answer.
    package let head: HTTPHead
    /// The connection, to break it off.
    package let connection: HTTPConnection
    private let body: HTTPBody

    /// Asks a server for frames.
    /// - Throws: `WireError`; `malformed` if the answer has none.
    package convenience init(port: UInt16, _ request: HTTPRequest = HTTPRequest("GET", "/frames")) throws {
        let connection = try HTTPConnection(port: port)
        try connection.send(request)
        try self.init(reading: connection)
    }

    /// Reads frames from a connection on which they were asked for.
    /// - Throws: `WireError`; `malformed` if the answer has none.
    package init(reading connection: HTTPConnection) throws {
        self.connection = connection
        head = try connection.readHead()
        guard head.status == 200 else { throw WireError.malformed("no frames: \(head.status)") }
        body = try connection.body(after: head)
    }

    /// Waits for the next record; nil at the end.
    /// - Throws: `WireError`.
    package func next() throws -> FrameRecord? {
        guard let header = try body.bytes(FrameRecord.headerBytes) else { return nil }
        return try FrameRecord(header) { count in
            guard count > 0 else { return [] }
            guard let picture = try body.bytes(count) else { throw WireError.ended("a frame's picture") }
            return picture
        }
    }

    /// Waits for the next record with a picture.
    /// - Throws: `WireError`; `ended` if there is none.
    package func nextFrame() throws -> FrameRecord {
        while let record = try next() { if !record.isHeartbeat { return record } }
        throw WireError.ended("a frame")
    }
}
