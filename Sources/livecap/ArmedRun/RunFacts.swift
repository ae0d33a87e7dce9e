// SPDX-License-Identifier: MIT
// What is known of the people before the camera, while livecap is armed.

import Camera
import LiveCapture
import LivecapCommandTable
import LivecapFacts
import LivecapFrames
import LivecapIntents
import LivecapThreads

/// Has facts put into the inbox of a run.
struct RunFacts {
    static let option = Option(
        "facts",
        ValueKind("KINDS", expects: "faces, hands, or both with a comma") { FactKind.set($0) },
        help:
            "Print who is seen: faces, hands or both, whenever that changes; with --json, everything that is known of them, for "
            + "each frame that is looked at",
        details: "No picture leaves the machine")

    private let leave: @Sendable () -> Void

    /// Refuses facts that cannot be found here, before a camera is opened.
    static func check(_ arguments: Arguments) throws(Failure) {
        guard let kinds = arguments[option] else { return }
        if let lack = FactKind.lack(kinds) { throw .effects(.nets(lack)) }
    }

    /// Nil unless the command line asks for facts.
    init?(_ arguments: Arguments, _ host: Host, _ inbox: RunInbox) throws(Failure) {
        guard let kinds = arguments[Self.option] else { return nil }
        leave = try attempt { () throws(CameraError) in
            let end: @Sendable (CameraError?) -> Void = { error in
                if let error { Console.note("note: nobody is looked for any more: \(error.message); \(error.hint)") }
            }
            return try host.session.followFacts(kinds, end: end) { inbox.put(.facts($0)) }
        }
    }

    /// Looks for no more.
    func close() { leave() }
}

extension FactKind {
    /// The kinds of a list with commas; nil if one has no such name, or none is there.
    static func set(_ text: String) -> Set<FactKind>? {
        let kinds = text.split(separator: ",", omittingEmptySubsequences: false).map { FactKind(rawValue: String($0)) }
        return kinds.contains(nil) ? nil : Set(kinds.compactMap { $0 })
    }
}

extension FrameFacts {
    /// Such as "2 faces, thumb-up".
    var words: String {
        var parts: [String] = []
        if let faces { parts.append(faces.isEmpty ? "no face" : counted(faces.count, "face")) }
        if let hands {
            parts.append(hands.isEmpty ? "no hand" : counted(hands.count, "hand"))
            // In an order of their own: that of hands may change with every frame.
            parts += HandGesture.allCases.flatMap { gesture in
                hands.filter { $0.gesture == gesture }.map { _ in gesture.rawValue }
            }
        }
        return parts.joined(separator: ", ")
    }
}
