// SPDX-License-Identifier: MIT
// Kinds of values unrelated to cameras: text, files, numbers, choices, durations, memory sizes.

extension ValueKind where Value == String {
    /// Any text that is not empty.
    package static func text(
        _ placeholder: String, completion: Completion = .nothing, expects: String = "a text"
    ) -> ValueKind {
        ValueKind(
            placeholder, expects: expects, completion: completion,
            refusing: { (text: String) throws(ValueRefusal) -> String in
                if text.isEmpty { throw ValueRefusal(detail: "is empty; \(expects) is needed") }
                return text
            })
    }

    /// A path. Whether anything exists there is checked only when it is opened.
    package static func file(_ placeholder: String = "FILE") -> ValueKind {
        text(placeholder, completion: .files, expects: "a path")
    }

    /// One of several words.
    package static func choice(_ placeholder: String, of words: [String]) -> ValueKind {
        ValueKind(
            placeholder, expects: "one of \(words.joined(separator: ", "))", completion: .words(words),
            refusing: { (text: String) throws(ValueRefusal) -> String in
                if words.contains(text) { return text }
                throw ValueRefusal(suggestion: Spelling.nearest(to: text, among: words))
            }
        ).noting("one of " + words.joined(separator: ", "))
    }
}

extension ValueKind where Value == Int {
    /// An integer in a range.
    package static func integer(_ range: ClosedRange<Int>, placeholder: String = "N") -> ValueKind {
        let expects =
            range.upperBound == .max
            ? "a whole number, at least \(range.lowerBound)"
            : "a whole number from \(range.lowerBound) to \(range.upperBound)"
        return ValueKind(placeholder, expects: expects, parse: { Int($0).flatMap { range.contains($0) ? $0 : nil } })
    }

    /// A memory size: "512M", "64KiB", "2G", or bytes without a unit. Units are powers of 1024. "0" is valid only with
    /// `orNone`.
    package static func bytes(_ placeholder: String = "BYTES", orNone mayBeNone: Bool = false) -> ValueKind {
        ValueKind(
            placeholder, expects: "an amount of memory such as 512M or 2G",
            parse: { text in
                let split = text.firstIndex { !$0.isASCII || !$0.isNumber } ?? text.endIndex
                guard let count = Int(text[..<split]), count > 0 || mayBeNone else { return nil }
                let shift: Int
                switch text[split...].lowercased() {
                case "", "b": shift = 0
                case "k", "kb", "kib": shift = 10
                case "m", "mb", "mib": shift = 20
                case "g", "gb", "gib": shift = 30
                default: return nil
                }
                let (product, overflow) = count.multipliedReportingOverflow(by: 1 << shift)
                return overflow ? nil : product
            })
    }
}

extension ValueKind where Value == Int64 {
    /// A duration in nanoseconds: "533ms", "0.533s", "1.5s", "2m", "1h" (default unit: seconds).
    package static func nanoseconds(_ placeholder: String = "TIME", signed: Bool = false) -> ValueKind {
        let expects =
            "a time such as 533ms, 1.5s or \(signed ? "-250ms" : "2m") (seconds without a unit; units are ns, us, ms, s, m, h)"
        return ValueKind(
            placeholder, expects: expects,
            refusing: { (text: String) throws(ValueRefusal) -> Int64 in
                guard let value = parseNanoseconds(text) else { throw ValueRefusal() }
                if !signed && value < 0 { throw ValueRefusal(detail: "is negative; a time from 0 on is needed") }
                return value
            }
        ).noting("seconds without a unit")
    }

    /// A duration above zero.
    package static func positiveNanoseconds(_ placeholder: String = "TIME") -> ValueKind {
        let kind = nanoseconds(placeholder)
        return ValueKind(
            placeholder, expects: kind.expects,
            refusing: { (text: String) throws(ValueRefusal) -> Int64 in
                let value = try kind.parse(text)
                if value == 0 { throw ValueRefusal(detail: "must be longer than 0") }
                return value
            }
        ).noting(kind.note)
    }
}

/// Parses a decimal number with a unit to nanoseconds, exactly. Digits below a nanosecond are truncated.
func parseNanoseconds(_ text: String) -> Int64? {
    let units: [(name: String, nanoseconds: Int64)] = [
        ("ns", 1), ("us", 1_000), ("µs", 1_000), ("ms", 1_000_000), ("min", 60_000_000_000), ("s", 1_000_000_000),
        ("m", 60_000_000_000), ("h", 3_600_000_000_000),
    ]
    var digits = Substring(text)
    let isNegative = digits.first == "-"
    if isNegative || digits.first == "+" { digits.removeFirst() }
    var scale: Int64 = 1_000_000_000
    if let unit = units.first(where: { digits.hasSuffix($0.name) }) {
        digits.removeLast(unit.name.count)
        scale = unit.nanoseconds
    }
    let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let isDecimal = parts.allSatisfy { $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }
    guard isDecimal, parts.contains(where: { !$0.isEmpty }) else { return nil }
    guard let whole = parts[0].isEmpty ? 0 : Int64(parts[0]) else { return nil }
    let (wholeTime, isTooLong) = whole.multipliedReportingOverflow(by: scale)
    guard !isTooLong else { return nil }
    var fraction: Int64 = 0
    if parts.count == 2, !parts[1].isEmpty {
        // Thirteen decimals of an hour reach below a nanosecond.
        let digits = parts[1].prefix(13)
        let power = (0..<digits.count).reduce(Int128(1)) { power, _ in power * 10 }
        fraction = Int64(Int128(digits)! * Int128(scale) / power)
    }
    let (total, overflow) = wholeTime.addingReportingOverflow(fraction)
    return overflow ? nil : isNegative ? -total : total
}
