// SPDX-License-Identifier: MIT
// Effects and reactions, as pages ask for them.

import LivecapFrames
import LivecapHTTP
import LivecapIntents
import LivecapThreads

/// Answers requests for effects and reactions, and tells all pages of their changes.
final class EffectPages: Sendable {
    private let board: EffectSwitchboard?
    private let noStage: EffectRefusal
    private let facts: FactFeeds
    private let hub: EventHub
    /// Changes are made one after the other: nets may have to be looked at.
    private let queue = RequestQueue("effects", threads: 1, waiting: 16)
    /// Held while pages are told, so that none hears of an older state last.
    private let telling = Guarded(())
    private let leave = Guarded<(@Sendable () -> Void)?>(nil)

    /// Without a switchboard, every change is refused.
    init(_ settings: ViewfinderSettings, facts: FactFeeds, _ hub: EventHub) {
        board = settings.effects
        noStage = settings.noEffects
        self.facts = facts
        self.hub = hub
        let end = board?.onChange { [weak self] change in self?.tell(change) }
        leave.withLock { $0 = end }
    }

    /// No longer hears of changes.
    func close() { leave.withLock { $0.take() }?() }

    private func tell(_ change: EffectSwitchboard.Change) {
        telling.withLock { _ in
            switch change {
            case .effects: hub.tell("effects", present)
            case .reaction(let reaction): hub.tell("reaction", reaction.page)
            }
        }
    }

    /// `GET /effects`.
    func list(_ reply: HTTPReply) {
        guard !facts.isComplete else { return reply.send(.json(present)) }
        queue.answer(reply) { [self] in
            facts.look()
            return .json(present)
        }
    }

    /// Has pages told what facts there are, once that is looked at.
    func look() { facts.lookAside { [weak self] in self?.tell(.effects) } }

    /// `PUT /effects`.
    func set(_ request: HTTPRequest, _ reply: HTTPReply) {
        let intent: EffectsIntent
        do throws(IntentFault) { intent = try EffectsIntent(body: request.body) } catch {
            return reply.send(.failure(error))
        }
        guard let board else { return reply.send(.failure(404, noStage)) }
        guard let list = intent.set else {
            return reply.send(.failure(IntentFault("'set' is missing", hint: "such as \(EffectsIntent.example)")))
        }
        let labels = BackgroundLabels(board.offered), wanted = EffectList(list)
        if let fault = wanted.fault(board, backgrounds: labels.all) { return reply.send(.failure(fault)) }
        let meant = labels.meant(wanted).text
        change(reply) { $0.set(meant).map(labels.shown) }
    }

    /// `POST /reactions`.
    func react(_ request: HTTPRequest, _ reply: HTTPReply) {
        let intent: ReactionIntent
        do throws(IntentFault) { intent = try ReactionIntent(body: request.body) } catch {
            return reply.send(.failure(error))
        }
        guard let board else { return reply.send(.failure(404, noStage)) }
        guard board.reactions.contains(intent.perform) else {
            let known = board.reactions.map(\.rawValue).joined(separator: ", ")
            return reply.send(
                .failure(
                    409, "this server does not draw '\(intent.perform.rawValue)'", code: "no-such-reaction",
                    hint: known.isEmpty ? "it draws no reactions" : "it draws \(known)"))
        }
        change(reply) { $0.perform(intent.perform) }
    }

    private func change(_ reply: HTTPReply, _ body: @escaping @Sendable (EffectSwitchboard) -> EffectRefusal?) {
        guard let board else { return }
        queue.answer(reply) { body(board).map { .failure(409, $0) } ?? .json(self.present) }
    }

    /// What is on, and what there is.
    var present: JSON {
        let labels = BackgroundLabels(board?.offered ?? [])
        let list = labels.shown(EffectList(board?.current() ?? "none"))
        let strengths = (board?.effects ?? []).map { effect in
            JSON.object([
                ("name", .string(effect.name)), ("strength", .number(list.strength(of: effect))),
                ("usual", JSON(effect.usual)),
            ])
        }
        let lack = board.map { $0.lack().map(labels.shown) } ?? noStage, pace = board?.pace()
        let fault = board?.fault().map(labels.shown)
        return .object([
            ("effects", .string(list.text)), ("strengths", .array(strengths)),
            ("background", JSON(list.background)),
            ("backgrounds", .array(labels.all.map { .string($0) })),
            ("reactions", .array((board?.reactions ?? []).map(\.page))),
            ("inProgress", .array((board?.inProgress() ?? []).map { .string($0.rawValue) })),
            ("facts", .array(FactKind.allCases.filter(facts.known.contains).map { .string($0.rawValue) })),
            ("effort", pace.map { .string($0.effort) } ?? .null), ("fps", JSON(pace?.fps)),
            ("framesFps", JSON(pace?.framesFps)), ("lack", lack?.page ?? .null), ("fault", fault?.page ?? .null),
        ])
    }
}

extension Reaction {
    /// For pages: its name, and how long it lasts.
    fileprivate var page: JSON {
        .object([("reaction", .string(rawValue)), ("seconds", .number(Double(duration.nanoseconds) / 1e9))])
    }
}

extension EffectRefusal {
    /// The same members as an answer that is an error.
    fileprivate var page: JSON {
        .object([("error", .string(message)), ("code", .string(code)), ("hint", .string(hint))])
    }
}

extension HTTPResponse {
    /// Why effects are not drawn, or facts not told.
    static func failure(_ status: Int, _ refusal: EffectRefusal) -> HTTPResponse {
        failure(status, refusal.message, code: refusal.code, hint: refusal.hint)
    }
}
