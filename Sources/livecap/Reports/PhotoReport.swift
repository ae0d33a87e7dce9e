// SPDX-License-Identifier: MIT
// Describes a picture file as text and as a JSON object: its format, and how it was made.

import LivecapFrameFiles
import LivecapFrames
import LivecapIntents
import LivecapStills

struct PhotoReport {
    private let path: String
    private let byteCount: Int
    private let inspection: PhotoInspection
    /// The movie in it, if it is a motion photo.
    private let motion: MotionPhoto?
    /// The depth map in it, if any.
    private let depth: PhotoDepth?
    /// Its provenance; nil if it has none that can be read.
    private let account: JSON?

    /// Nil if the file is not a picture.
    init?(_ path: String) throws(Failure) {
        guard
            let bytes = try attempt({ () throws(FrameFileError) in try wholeFile(path, atMost: Self.maxBytes) }),
            let inspection = PhotoInspection(bytes)
        else { return nil }
        self.path = path
        byteCount = bytes.count
        self.inspection = inspection
        motion = MotionPhoto(bytes)
        depth = PhotoDepth(bytes)
        account = inspection.provenance.flatMap { JSON(parsing: Array($0.utf8)) }
    }

    /// More than any picture made here; recordings, which may be larger, are not read as a whole.
    static let maxBytes = 1 << 29

    func print(to console: inout Console) throws(Failure) {
        if case .unavailable(let reason)? = inspection.lack {
            Console.note("note: install libheif1 to see the size of \(path) and how it was made: \(reason)")
        }
        if console.writesJSON { return try console.print(object) }
        for line in lines { try console.print(line) }
    }

    private var object: JSON {
        let moment = motion?.moment.map { $0 / .milliseconds(1) }
        let fields: [(String, JSON)] = [
            ("file", .string(path)), ("kind", .string("photo")), ("format", .string(inspection.format.rawValue)),
            ("width", inspection.size.map { JSON($0.width) } ?? .null),
            ("height", inspection.size.map { JSON($0.height) } ?? .null), ("bytes", JSON(byteCount)),
            ("intact", .bool(inspection.isWhole)), ("movieBytes", motion.map { JSON($0.movie.count) } ?? .null),
            ("movieMomentMs", moment.map { .number($0) } ?? .null), ("depth", depth?.object ?? .null),
            ("provenance", account ?? .null),
        ]
        return .object(fields)
    }

    private var lines: [String] {
        let size = inspection.size.map { " of \($0)" } ?? ""
        var lines = [path, "  a \(inspection.format.rawValue) picture\(size), \(byteCount / 1000) kB"]
        if let motion {
            let moment = motion.moment.map { ", which shows the still after \(fixed($0.seconds, 2)) s" } ?? ""
            lines.append("  with a movie of \(motion.movie.count / 1000) kB\(moment)")
        }
        if let depth { lines += depth.lines }
        if !inspection.isWhole { lines.append("  truncated: its end is missing") }
        guard inspection.lack == nil else { return lines }
        guard let account else { return lines + ["  no account of how it was made"] }
        return lines + [Self.making(account), Self.moment(account), Self.source(account)].compactMap { $0 }
            + Self.frames(account) + Self.stages(account)
    }

    private static func making(_ account: JSON) -> String {
        let asked = account["qualityAsked"]?.asText ?? "?"
        let given = account["qualityGiven"]?.asText ?? asked
        let frames = account["framesUsed"]?.asList.count ?? 0
        let quality = given == asked ? given : "\(given) instead of the requested \(asked)"
        return
            "  made by \(account["engine"]?.asText ?? "an unknown program") from \(counted(frames, "frame")): \(quality)"
    }

    private static func moment(_ account: JSON) -> String? {
        guard let lag = account["lagMs"]?.asNumber, let reference = account["referenceId"]?.asText else { return nil }
        let bound = account["lagBoundMs"]?.asNumber.map { " (within \(fixed($0, 2)) ms)" } ?? ""
        return "  shows frame \(reference), \(lag >= 0 ? "+" : "")\(fixed(lag, 2)) ms from the moment\(bound)"
    }

    private static func source(_ account: JSON) -> String? {
        guard let source = account["source"], let name = source["name"]?.asText else { return nil }
        let size = [source["width"], source["height"]].compactMap { $0?.text }
        let rate = source["fps"]?.asNumber.map { " at \(fixed($0, 2)) fps" } ?? ""
        return "  from \(name): \(source["format"]?.asText ?? "?") \(size.joined(separator: "x"))\(rate)"
    }

    /// The frames in the order they were taken, followed by those left out.
    private static func frames(_ account: JSON) -> [String] {
        let reference = account["referenceNs"]?.asNumber ?? 0
        let used = (account["framesUsed"]?.asList ?? []).map { frame in
            let time = ((frame["ns"]?.asNumber ?? 0) - reference) / 1e6
            let weight = frame["weight"]?.asNumber.map { fixed($0, 2) } ?? "?"
            return "    \(frame["id"]?.asText ?? "?"), \(time >= 0 ? "+" : "")\(fixed(time, 1)) ms, weight \(weight)"
        }
        let rejected = (account["rejected"]?.asList ?? []).map { frame in
            "    \(frame["id"]?.asText ?? "?") left out: \(frame["reason"]?.asText ?? "?")"
        }
        return used + rejected
    }

    private static func stages(_ account: JSON) -> [String] {
        guard case .object(let stages)? = account["stagesMs"], !stages.isEmpty else { return [] }
        let times = stages.map { name, time in "\(name) \(time.asNumber.map { fixed($0, 1) } ?? "?")" }
        return ["  in ms: \(times.joined(separator: ", "))"]
    }
}

extension JSON {
    var asText: String? { if case .string(let text) = self { text } else { nil } }
    fileprivate var asList: [JSON] { if case .array(let values) = self { values } else { [] } }
    var asNumber: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }
}
