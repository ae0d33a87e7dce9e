// SPDX-License-Identifier: MIT
// One event of a trace as a line of JSON, in Chrome's trace event format.

import Frames

/// A line while it is written: an object of JSON, key by key.
struct TraceLine {
    private(set) var bytes: [UInt8] = []

    /// The beginning of an event: what kind it is (`ph`), what it is called, and the track it lies on.
    init(_ phase: Unicode.Scalar, _ name: String, process: Int32, track: Int) {
        bytes.reserveCapacity(192)
        put("{\"ph\":\"")
        bytes.append(UInt8(ascii: phase))
        put("\",\"name\":")
        put(quoted: name)
        put(",\"pid\":\(process),\"tid\":\(track)")
    }

    /// A point in time, or a length of it: microseconds with three decimals, so that nothing is lost.
    mutating func add(_ key: StaticString, nanoseconds: Int64) {
        begin(key)
        let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
        if nanoseconds < 0 { put("-") }
        put(String(whole))
        put(".")
        for unit in [100, 10, 1] as [UInt64] { bytes.append(UInt8(ascii: "0") + UInt8(rest / unit % 10)) }
    }

    /// A text.
    mutating func add(_ key: StaticString, _ text: String) {
        begin(key)
        put(quoted: text)
    }

    /// What the event says besides, and the shot it is about.
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

    /// The line is complete.
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

    /// A text as RFC 8259 has it. A Swift string is always whole Unicode, so that only three kinds of characters need care.
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
