// SPDX-License-Identifier: MIT
// The connected cameras as they come and go, for programs.

import LivecapThreads

/// Follows the cameras of this machine. It costs nothing while nothing is plugged in or unplugged.
///
/// Any number of readers follow `changes`, each from its own beginning. A camera that cannot be opened yet, because
/// udev has not given permission, is reported once it can, or after two seconds with its trouble; if permission comes
/// later, it has `changed`.
public final class CameraDiscovery: Sendable {
    let watch: CameraWatch
    let filter: CameraFilter

    /// Follows the cameras of some kinds at some positions, or all of them. Those that could not be queried are of no
    /// kind.
    /// - Throws: `shortage` if the system has no thread or descriptor left.
    public convenience init(
        kinds: Set<CameraKind>? = nil, positions: Set<CameraPosition>? = nil
    ) throws(CameraError) {
        try self.init(CameraDirectory(), CameraFilter(kinds: kinds, positions: positions))
    }

    /// Follows the cameras of a directory.
    package init(_ directory: CameraDirectory, _ filter: CameraFilter = CameraFilter()) throws(CameraError) {
        watch = try CameraWatch(directory)
        self.filter = filter
    }

    /// The cameras that are connected now, the preferred one first, each with the processes that use it now.
    public var cameras: [CameraRecord] {
        get async {
            _ = await watch.board.bell.wait { watch.board.now.cameras != nil }
            let (now, directory) = (watch.board.now, watch.directory)
            let records = (now.cameras ?? []).map(\.record)
            let ordered = CameraDirectory.preferredFirst(records, choices: now.history.choices)
            let wanted = ordered.filter(filter.includes)
            return await onThread(named: "cameras") { directory.withUsers(wanted) }
        }
    }

    /// Whether a camera with this identity is connected now, at this node.
    public func isConnected(_ camera: CameraRecord) async -> Bool {
        _ = await watch.board.bell.wait { watch.board.now.cameras != nil }
        return (watch.board.now.cameras ?? []).contains {
            $0.record.identity == camera.identity && $0.record.path == camera.path
        }
    }

    /// The changes from now on, after the cameras that are present. Each iteration begins anew.
    public var changes: CameraChanges { CameraChanges(watch: watch, filter: filter) }

    /// Why changes may be noticed later than usual, for people; nil if they are not.
    public var notice: String? {
        get async {
            _ = await watch.board.bell.wait { watch.board.now.cameras != nil }
            return watch.board.now.notice
        }
    }
}

/// Cameras that come, go and change. Ends when the reader's task is cancelled.
///
/// Each iteration has its own place and takes nothing away from others. It begins with the cameras that are `present`.
/// Then a reader that is slow gets the differences from what it has seen, however many changes there were meanwhile; a
/// camera that was replugged is always `removed` and `added` again.
public struct CameraChanges: AsyncSequence, Sendable {
    /// A change is no failure, and there are no others.
    public typealias Failure = Never

    let watch: CameraWatch
    let filter: CameraFilter

    /// Begins with the cameras that are present.
    public func makeAsyncIterator() -> Iterator { Iterator(watch, filter) }

    /// One reader's place in the changes.
    public struct Iterator: AsyncIteratorProtocol {
        private let watch: CameraWatch
        private var differences: CameraDifferences

        fileprivate init(_ watch: CameraWatch, _ filter: CameraFilter) {
            self.watch = watch
            differences = CameraDifferences(filter)
        }

        /// The next change; nil if the task is cancelled.
        public mutating func next() async -> CameraChange? { await next(isolation: nil) }

        /// The next change; nil if the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> CameraChange? {
            await watch.board.bell.first(isolation: actor) {
                watch.board.now.cameras.flatMap { differences.next($0) }
            }
        }
    }
}
