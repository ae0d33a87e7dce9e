// SPDX-License-Identifier: MIT
// One event of a trace as a line of JSON, in Chrome's trace event format.

import LivecapFrames

/// A line being written: a JSON object, key by key.
struct TraceLine {
    private(set) var bytes: [UInt8] = []

    /// Begins an event with its kind (`ph`), its name, and its track.
    init(_ phase: Unicode.Scalar, _ name: String, process: Int32, track: Int) {
        bytes.reserveCapacity(192)
        put("{\"ph\":\"")
        bytes.append(UInt8(ascii: phase))
        put("\",\"name\":")
        put(quoted: name)
        put(",\"pid\":\(process),\"tid\":\(track)")
    }

    /// Adds a time or a duration, in microseconds with three decimals, so that no precision is lost.
    mutating func add(_ key: StaticString, nanoseconds: Int64) {
        begin(key)
        let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
        if nanoseconds < 0 { put("-") }
        put(String(whole))
        put(".")
        for unit in [100, 10, 1] as [UInt64] { bytes.append(UInt8(ascii: "0") + UInt8(rest / unit % 10)) }
    }

    /// Adds a text.
    mutating func add(_ key: StaticString, _ text: String) {
        begin(key)
        put(quoted: text)
    }

    /// Adds the event's arguments, and the shot it belongs to.
    mutating func add(_ arguments: TraceArguments, shot: UInt64? = nil) {
        guard !arguments.isEmpty || shot != nil else { return }
        begin("args")
        put("{")
        if let shot { put("\"shot\":\(shot)") }
        for (index, argument) in arguments.enumerated() {
            if index > 0 || shot != nil { put(",") }
            put(quoted: argument.key)
            put(":")
            put(argument.value)
        }
        put("}")
    }

    /// Completes the line.
    mutating func end() { put("}") }

    private mutating func begin(_ key: StaticString) {
        put(",\"")
        put(key.description)
        put("\":")
    }

    private mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func put(_ value: TraceValue) {
        switch value {
        case .integer(let value): put(String(value))
        case .number(let value): put(value.isFinite ? "\(value)" : "null")
        case .text(let value): put(quoted: value)
        case .flag(let value): put(value ? "true" : "false")
        }
    }

    /// A text quoted as in RFC 8259. A Swift string is always valid Unicode, so only three kinds of characters need
    /// escaping.
    private mutating func put(quoted text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                put("\\u00")
                for digit in [byte >> 4, byte & 15] {
                    bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
                }
            default:
                bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
