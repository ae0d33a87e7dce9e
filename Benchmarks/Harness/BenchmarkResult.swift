// SPDX-License-Identifier: MIT
// What a benchmark found: figures, ratios between figures of the same run, and what was broken.

/// A benchmark's figures.
public struct BenchmarkResult: Sendable {
    /// What was measured.
    public var name: String
    /// The pictures' size, where there were pictures.
    public var width: Int?
    /// The pictures' height.
    public var height: Int?
    /// How many frames, or rounds, went into the figures.
    public var frames: Int?
    /// How the frames were fused, where they were: a tier, or another method.
    public var quality: String?
    /// The level of the processor's abilities used, where code is chosen by it.
    public var level: String?
    /// How many threads worked.
    public var threads: Int
    /// The median time a still took, where stills were made.
    public var msPerStill: Double?
    /// The figures, each named with its unit (`medianNs`), in order.
    public var figures: [(key: String, value: Double)] = []
    /// Figures over other figures of the same run: what may be compared between machines.
    public var ratios: [(key: String, value: Double)] = []
    /// What figures and ratios ought to be, by their names. A target missed is no fault: machines are noisy.
    public var targets: [String: BenchmarkTarget] = [:]
    /// What people should know to read the figures.
    public var notes: [String] = []
    /// What must not be, whatever the speed.
    public var faults: [String] = []
    /// The figures in one line for people, where one a line would hide how they compare with other results'.
    var row: String?

    init(_ name: String, width: Int? = nil, height: Int? = nil, frames: Int? = nil, threads: Int = 1) {
        self.name = name
        self.width = width
        self.height = height
        self.frames = frames
        self.threads = threads
    }

    /// For people: one figure a line under the name.
    public var text: String {
        let size = width.flatMap { width in height.map { " \(width)x\($0)" } } ?? ""
        let counts = [quality, frames.map { "\($0) frames" }, threads > 1 ? "\(threads) threads" : nil, level]
            .compactMap(\.self)
        var lines = [row ?? name + size + (counts.isEmpty ? "" : " (\(counts.joined(separator: ", ")))")]
        if let msPerStill, row == nil {
            lines.append("  ms a still: \(decimal(msPerStill))" + verdict("msPerStill", msPerStill))
        }
        if row == nil { lines += figures.map { "  \($0.key): \(decimal($0.value))" + verdict($0.key, $0.value) } }
        lines += ratios.map { "  ratio \($0.key): \(decimal($0.value))" + verdict($0.key, $0.value) }
        lines += notes.map { "  \($0)" }
        lines += faults.map { "  FAULT: \($0)" }
        return lines.joined(separator: "\n")
    }

    /// The target beside a value.
    private func verdict(_ key: String, _ value: Double) -> String {
        guard let target = targets[key] else { return "" }
        return " (target: \(target.words))" + (target.isMet(by: value) ? "" : " MISSED")
    }

    /// For programs: one JSON object, without a line break.
    public var json: String {
        var members = ["\"name\": \(quoted(name))"]
        if let width { members.append("\"width\": \(width)") }
        if let height { members.append("\"height\": \(height)") }
        if let frames { members.append("\"frames\": \(frames)") }
        if let quality { members.append("\"quality\": \(quoted(quality))") }
        if let level { members.append("\"level\": \(quoted(level))") }
        members.append("\"threads\": \(threads)")
        if let msPerStill { members.append("\"msPerStill\": \(decimal(msPerStill))") }
        members += figures.map { "\(quoted($0.key)): \(decimal($0.value))" }
        members.append(
            "\"ratios\": {\(ratios.map { "\(quoted($0.key)): \(decimal($0.value))" }.joined(separator: ", "))}")
        if !targets.isEmpty {
            let texts = targets.sorted { $0.key < $1.key }.map { "\(quoted($0.key)): \(quoted($0.value.words))" }
            members.append("\"targets\": {\(texts.joined(separator: ", "))}")
        }
        if !notes.isEmpty { members.append("\"notes\": [\(notes.map(quoted).joined(separator: ", "))]") }
        if !faults.isEmpty { members.append("\"faults\": [\(faults.map(quoted).joined(separator: ", "))]") }
        return "{\(members.joined(separator: ", "))}"
    }
}

/// What a figure ought to be.
public enum BenchmarkTarget: Sendable {
    case atMost(Double)
    case atLeast(Double)

    /// Whether a figure is so.
    public func isMet(by value: Double) -> Bool {
        switch self {
        case .atMost(let limit): value <= limit
        case .atLeast(let limit): value >= limit
        }
    }

    var words: String {
        switch self {
        case .atMost(let limit): "at most \(decimal(limit))"
        case .atLeast(let limit): "at least \(decimal(limit))"
        }
    }
}

/// Four significant digits, without an exponent where people would not write one; null for what is no number.
private func decimal(_ value: Double) -> String {
    guard value.isFinite else { return "null" }
    guard abs(value) < 1e15 else { return "\(value)" }
    if value == value.rounded() { return "\(Int64(value))" }
    var scale = 1.0
    while abs(value) * scale < 1000 && scale < 1e12 { scale *= 10 }
    let digits = Int64((value * scale).rounded())
    if scale == 1 { return "\(digits)" }
    let whole = digits.magnitude / UInt64(scale)
    var fraction = "\(digits.magnitude % UInt64(scale))"
    while fraction.utf8.count < "\(UInt64(scale))".utf8.count - 1 { fraction = "0" + fraction }
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return (digits < 0 ? "-" : "") + "\(whole)" + (fraction.isEmpty ? "" : "." + fraction)
}

private func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"", "\\": result += "\\" + String(scalar)
        case "\n": result += "\\n"
        case _ where scalar.value < 32: result += " "
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result + "\""
}
