// SPDX-License-Identifier: MIT
// A running `livecap run`, as another command asks it for something over its socket.

import LivecapIntents
import Shutter

/// Why a run does not do what it was asked for, in its own words.
struct RunRefusal: Hashable, Sendable {
    let message: String
    let code: String
    let hint: String
}

extension RunRefusal {
    /// What a member that refuses says; nil if it is not there, or null.
    fileprivate init?(_ answer: JSON?) {
        guard let message = answer?["error"]?.asString else { return nil }
        self.init(
            message: message, code: answer?["code"]?.asString ?? "", hint: answer?["hint"]?.asString ?? "")
    }

    /// The same members as an answer that refuses.
    var json: JSON { .object([("error", .string(message)), ("code", .string(code)), ("hint", .string(hint))]) }
}

/// A connection to a run.
struct RunningRun {
    private let caller: SocketCaller

    /// Connects to the run that listens at `path`, or at the default place.
    init(at path: String?) throws(Failure) {
        caller = try attempt { () throws(ShutterError) in try SocketCaller(path: path) }
    }

    /// Asks for something. Returns the answer.
    private func ask<Asked: Intent>(_ intent: Asked, as key: String, for event: SocketEvent) throws(Failure) -> JSON {
        let answer = try attempt { () throws(ShutterError) in try caller.ask(.object([(key, intent.json)])) }
        if answer["event"]?.asString == event.rawValue { return answer }
        throw .refused(
            RunRefusal(
                message: answer["error"]?.asString ?? "the run gives an answer of another version of livecap",
                code: answer["code"]?.asString ?? "no-answer",
                hint: answer["hint"]?.asString ?? "start it again with this version"))
    }

    /// Which effects it draws, after those of `list` if there is one.
    func effects(_ list: String? = nil) throws(Failure) -> DrawnEffects {
        DrawnEffects(try ask(EffectsIntent(list), as: "effects", for: .effects))
    }

    /// Has it draw a reaction. Returns its answer.
    func perform(_ reaction: Reaction) throws(Failure) -> JSON {
        try ask(ReactionIntent(reaction), as: "reaction", for: .reaction)
    }
}

/// What a run says of its effects.
struct DrawnEffects: Hashable, Sendable {
    /// As a list.
    let list: String
    /// The reactions that are drawn now.
    let inProgress: [String]
    /// The effects that can be drawn there.
    let available: [String]
    /// The id of its camera.
    let camera: String
    /// How much work goes into drawing: `full`, or less; nil if that is not known, or nothing is drawn.
    let effort: String?
    /// Pictures a second, and frames a second that they are made of; nil if that is not known.
    let fps: Double?
    let framesFps: Double?
    /// Why the effects that were set last are not drawn after all; nil if they are.
    let fault: RunRefusal?

    init(_ answer: JSON) {
        func texts(_ name: String) -> [String] {
            guard case .array(let values)? = answer[name] else { return [] }
            return values.compactMap(\.asString)
        }
        list = answer["set"]?.asString ?? ""
        inProgress = texts("inProgress")
        available = texts("available")
        camera = answer["camera"]?.asString ?? ""
        effort = answer["effort"]?.asString
        fps = answer["fps"]?.asNumber
        framesFps = answer["framesFps"]?.asNumber
        fault = RunRefusal(answer["fault"])
    }

    /// The same for programs.
    var json: JSON {
        func texts(_ words: [String]) -> JSON { .array(words.map { .string($0) }) }
        return .object([
            ("set", .string(list)), ("inProgress", texts(inProgress)), ("available", texts(available)),
            ("camera", .string(camera)), ("effort", effort.map { .string($0) } ?? .null), ("fps", JSON(fps)),
            ("framesFps", JSON(framesFps)), ("fault", fault?.json ?? .null),
        ])
    }
}
