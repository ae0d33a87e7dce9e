// SPDX-License-Identifier: MIT
// The results of a benchmark: figures, ratios between figures of the same run, and faults.

/// The results of one benchmark.
public struct BenchmarkResult: Sendable {
    /// The name of the benchmark.
    public var name: String
    /// The width of the pictures in pixels, if there were pictures.
    public var width: Int?
    /// The height of the pictures in pixels.
    public var height: Int?
    /// The number of frames, or rounds, that went into the figures.
    public var frames: Int?
    /// How frames were fused, if they were: a quality tier, or another method.
    public var quality: String?
    /// The kernel level, if the code depends on it.
    public var level: String?
    /// The number of threads that worked.
    public var threads: Int
    /// The median time of a still, if stills were made.
    public var msPerStill: Double?
    /// The figures in order. Each name ends with the unit (`medianNs`).
    public var figures: [(key: String, value: Double)] = []
    /// What has a name instead of a value, such as the scene that loses most.
    public var words: [(key: String, value: String)] = []
    /// Ratios between figures of the same run: only these can be compared between machines.
    public var ratios: [(key: String, value: Double)] = []
    /// The targets of figures and ratios, by name. A missed target is not a fault, as machines are noisy.
    public var targets: [String: BenchmarkTarget] = [:]
    /// What a reader needs to know to understand the figures.
    public var notes: [String] = []
    /// What must not happen at any speed.
    public var faults: [String] = []
    /// All figures in one line of text, if separate lines would make comparisons with other results difficult.
    var row: String?

    init(_ name: String, width: Int? = nil, height: Int? = nil, frames: Int? = nil, threads: Int = 1) {
        self.name = name
        self.width = width
        self.height = height
        self.frames = frames
        self.threads = threads
    }

    /// The text for people: one figure per line under the name.
    public var text: String {
        let size = width.flatMap { width in height.map { " \(width)x\($0)" } } ?? ""
        let counts = [quality, frames.map { "\($0) frames" }, threads > 1 ? "\(threads) threads" : nil, level]
            .compactMap(\.self)
        var lines = [row ?? name + size + (counts.isEmpty ? "" : " (\(counts.joined(separator: ", ")))")]
        if let msPerStill, row == nil {
            lines.append("  ms a still: \(decimal(msPerStill))" + verdict("msPerStill", msPerStill))
        }
        if row == nil { lines += figures.map { "  \($0.key): \(decimal($0.value))" + verdict($0.key, $0.value) } }
        if row == nil { lines += words.map { "  \($0.key): \($0.value)" } }
        lines += ratios.map { "  ratio \($0.key): \(decimal($0.value))" + verdict($0.key, $0.value) }
        lines += notes.map { "  \($0)" }
        lines += faults.map { "  FAULT: \($0)" }
        return lines.joined(separator: "\n")
    }

    /// The target of a value, to be shown beside it.
    private func verdict(_ key: String, _ value: Double) -> String {
        guard let target = targets[key] else { return "" }
        return " (target: \(target.words))" + (target.isMet(by: value) ? "" : " MISSED")
    }

    /// The result for programs: one JSON object, without line breaks.
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
        members += words.map { "\(quoted($0.key)): \(quoted($0.value))" }
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

/// The target of a figure.
public enum BenchmarkTarget: Sendable {
    case atMost(Double)
    case atLeast(Double)

    /// Whether a value meets the target.
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

/// Formats a number with four significant digits, without an exponent unless it is very large; `null` if it is not
/// finite.
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
