// SPDX-License-Identifier: MIT
// Puts the index of finished MP4 files first, on a thread of its own.

import LivecapCSystem
import LivecapFrameFiles
import LivecapFrames
import LivecapThreads
import Synchronization

/// How far the index of a movie's files has been put first.
public struct MovieIndexProgress: Hashable, Sendable {
    /// Bytes that were copied.
    public var done: Int
    /// Bytes of all files that are known until now.
    public var total: Int
    /// How much longer it will take, by what it has taken; nil if that is not known yet.
    public var remaining: Duration?

    /// How long a program that is to end goes on with it at most.
    package static let patience = Duration.seconds(20)
}

/// Puts the index of a movie's finished files first, one after the other, at a low priority. Files of a movie that
/// goes on are so no burden for it.
final class MovieIndexer: Sendable {
    private struct State: Sendable {
        var waiting: [String] = []
        var sizes: [String: Int] = [:]
        var gap: MovieIndexGap?
        var isOver = false
    }

    private let state = Guarded(State())
    private let signal = OwnedSignal()
    private let thread = Guarded<SystemThread?>(nil)
    /// In nanoseconds on CLOCK_MONOTONIC: nothing goes on after it.
    private let deadline = Atomic<Int64>(.max)
    private let done = Atomic<Int>(0)
    private let total = Atomic<Int>(0)
    /// When the first file was begun, in nanoseconds; 0 before.
    private let begun = Atomic<Int64>(0)
    private let isLast = Atomic<Bool>(false)

    /// Whether everything is in the files, and only their index is still to be put first.
    var isFinishing: Bool { isLast.load(ordering: .relaxed) }

    /// How far it is; nil if there is nothing to do.
    var progress: MovieIndexProgress? {
        let (done, total) = (done.load(ordering: .relaxed), total.load(ordering: .relaxed))
        guard total > 0 else { return nil }
        let spent = Timestamp.now - Timestamp(nanoseconds: begun.load(ordering: .relaxed))
        let isKnown = done >= 16 << 20 && spent > .milliseconds(200)
        return MovieIndexProgress(
            done: done, total: total, remaining: isKnown ? spent * (Double(total - done) / Double(done)) : nil)
    }

    /// Gives up what is not done within a time from now on. Files that are not copied by then stay in fragments.
    func limit(to time: Duration) {
        let end = (Timestamp.now + time).nanoseconds
        deadline.store(min(deadline.load(ordering: .relaxed), end), ordering: .relaxed)
    }

    /// Has the index of a finished file put first. Does not wait.
    func add(_ path: String) {
        state.withLock { $0.waiting.append(path) }
        thread.withLock { thread in
            guard thread == nil else { return }
            do throws(SystemShortage) {
                thread = try SystemThread(name: "movie index") {
                    _ = lc_thread_nice(Self.niceness)
                    self.run()
                }
            } catch {
                state.withLock { $0.gap = .file(.file(.shortage(error))) }
            }
        }
        signal.notify()
    }

    private static let niceness: Int32 = 10

    /// Waits until all files are done or given up. Returns the new sizes of those that have their index first, and
    /// why others have not.
    func finish() -> (sizes: [String: Int], gap: MovieIndexGap?) {
        isLast.store(true, ordering: .relaxed)
        state.withLock { $0.isOver = true }
        signal.notify()
        thread.withLock { $0.take() }?.join()
        return state.withLock { ($0.sizes, $0.gap) }
    }

    private func run() {
        while true {
            var path: String?
            _ = signal.wait(until: .distantFuture) {
                state.withLock { state in
                    path = state.waiting.first
                    if path != nil { state.waiting.removeFirst() }
                    return path != nil || state.isOver
                }
            }
            guard let path else { return }
            do throws(MovieIndexGap) {
                let count = try replace(path)
                state.withLock { $0.sizes[path] = count }
            } catch {
                state.withLock { $0.gap = $0.gap ?? error }
            }
        }
    }

    /// Whether there is still time for it.
    var isWanted: Bool { Timestamp.now.nanoseconds < deadline.load(ordering: .relaxed) }

    private func replace(_ path: String) throws(MovieIndexGap) -> Int {
        guard isWanted else { throw .stopped }
        if begun.load(ordering: .relaxed) == 0 { begun.store(Timestamp.now.nanoseconds, ordering: .relaxed) }
        let copy = try IndexedCopy(of: path)
        let before = done.load(ordering: .relaxed)
        total.store(before + copy.byteCount, ordering: .relaxed)
        try copy.replace { count in
            done.store(before + count, ordering: .relaxed)
            return isWanted
        }
        return copy.byteCount
    }
}
