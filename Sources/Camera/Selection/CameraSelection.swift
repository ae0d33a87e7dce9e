// SPDX-License-Identifier: MIT
// The camera to use when none is named: the user's choice, or the best there is, followed as cameras come and go.

import LivecapFiles
import LivecapThreads

/// Selects a camera among those that a discovery follows.
///
/// Choices are kept across launches, in `$XDG_STATE_HOME/livecap/cameras` (default: `~/.local/state`), and are shared
/// by all programs of the user: a choice made in another one is followed, too.
public final class CameraSelection: Sendable {
    private let discovery: CameraDiscovery

    /// Selects among the cameras of `discovery`, of its kinds and positions only.
    public init(_ discovery: CameraDiscovery) { self.discovery = discovery }

    /// The newest choice of the user that is connected and can be used; nil if there is none.
    public var userPreferredCamera: CameraRecord? { get async { await userPreferredCameras.first() } }

    /// The camera to use: the newest of those plugged in since the discovery began, unless the user has chosen one
    /// since then that is connected; or else the user's, or else the first in the order of `CameraDirectory`. Nil if no
    /// camera can be used.
    ///
    /// One whose privacy switch is closed is it only if all others are, too; a switch that is moved later is noticed
    /// when the camera is next plugged in. One that another program uses can still be it, because V4L2 shows that only
    /// when frames are requested: opening it then throws `busy`, and `CameraRecord.users` lists who may be using it.
    public var systemPreferredCamera: CameraRecord? { get async { await systemPreferredCameras.first() } }

    /// `userPreferredCamera` now, and whenever it is another one.
    public var userPreferredCameras: PreferredCameras {
        PreferredCameras(discovery: discovery, rule: { $0.ofUser($1) })
    }

    /// `systemPreferredCamera` now, and whenever it is another one.
    public var systemPreferredCameras: PreferredCameras {
        PreferredCameras(discovery: discovery, rule: { $0.ofSystem($1) })
    }

    /// Makes `camera` the user's newest choice.
    /// - Throws: `FileError` if the choice cannot be kept.
    public func prefer(_ camera: CameraRecord) async throws(FileError) {
        try await change { (history) throws(FileError) in try history.choose(camera) }
    }

    /// Forgets all choices of the user.
    /// - Throws: `FileError` if they cannot be removed.
    public func forgetChoices() async throws(FileError) {
        try await change { (history) throws(FileError) in try history.forget() }
    }

    /// What was wrong with the kept choices, for people; nil if nothing was.
    public var notice: String? {
        get async {
            _ = await systemPreferredCameras.first()
            return discovery.watch.board.now.history.notice
        }
    }

    private func change(
        _ body: @escaping @Sendable (CameraHistory) throws(FileError) -> Void
    ) async throws(FileError) {
        guard let history = discovery.watch.directory.history else { return }
        let board = discovery.watch.board
        try await onThread(named: "cameras") { () throws(FileError) in
            try body(history)
            let content = history.read()
            board.update { now in
                now.take(content, isNewestMade: true)
                return true
            }
        }
    }
}

/// The preferred camera as it changes; nil while there is none. Ends when the reader's task is cancelled.
///
/// Each iteration begins with the present one. A slow reader gets the newest, not those in between. The same camera is
/// given again if it was replugged or has another record.
public struct PreferredCameras: AsyncSequence, Sendable {
    /// A change is no failure, and there are no others.
    public typealias Failure = Never
    typealias Rule = @Sendable (CameraPreference, [ConnectedCamera]) -> ConnectedCamera?

    let discovery: CameraDiscovery
    let rule: Rule

    /// Begins with the present one.
    public func makeAsyncIterator() -> Iterator { Iterator(discovery, rule) }

    fileprivate func first() async -> CameraRecord? {
        var iterator = makeAsyncIterator()
        return await iterator.next() ?? nil
    }

    /// One reader's place.
    public struct Iterator: AsyncIteratorProtocol {
        private let discovery: CameraDiscovery
        private let rule: Rule
        private var last: ConnectedCamera??

        fileprivate init(_ discovery: CameraDiscovery, _ rule: @escaping Rule) {
            self.discovery = discovery
            self.rule = rule
        }

        /// The next one; nil if the task is cancelled.
        public mutating func next() async -> CameraRecord?? { await next(isolation: nil) }

        /// The next one; nil if the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> CameraRecord?? {
            let board = discovery.watch.board
            return await board.bell.first(isolation: actor) { () -> CameraRecord?? in
                let now = board.now
                guard let all = now.cameras else { return nil }
                let preferred = rule(now.preference, all.filter { discovery.filter.includes($0.record) })
                guard last.map({ !$0.isSame(as: preferred) }) ?? true else { return nil }
                last = .some(preferred)
                return .some(preferred?.record)
            }
        }
    }
}

extension ConnectedCamera? {
    fileprivate func isSame(as other: ConnectedCamera?) -> Bool {
        self?.arrival == other?.arrival && self?.record.essence == other?.record.essence
    }
}
