// SPDX-License-Identifier: MIT
// Keeps the effects that were drawn last, for whoever asks for them at the next start.

import LiveCapture
import LivecapEffects
import LivecapFiles
import LivecapFrames
import LivecapThreads

/// Writes the effects of a board into a file when they have changed: on a thread of its own, because the disk may keep
/// it waiting, and at most once in a while, because a slider on a page changes them thirty times a second.
final class EffectKeeper: Sendable {
    private let board: EffectBoard
    private let file: KeptEffects
    private let camera: @Sendable () -> String
    private let interval: Duration
    private let state: Guarded<State>
    private let bell = Doorbell(spinNanoseconds: 0)

    private struct State {
        /// What need not be written any more.
        var written: EffectSettings
        var isWriting = false
        var isClosing = false
        var hasFailed = false
        var leave: (@Sendable () -> Void)?
    }

    /// `camera`: the id of the camera that delivers now. Changes within an `interval` are written together.
    init(
        _ board: EffectBoard, in file: KeptEffects, interval: Duration = .seconds(1),
        camera: @escaping @Sendable () -> String
    ) {
        self.board = board
        self.file = file
        self.camera = camera
        self.interval = interval
        state = Guarded(State(written: board.settings))
        let leave = board.onChange { [weak self] in self?.look() }
        state.withLock { $0.leave = leave }
    }

    /// Keeps the effects of a host, except one with a file; nil if it draws none.
    convenience init?(_ host: Host, _ board: EffectBoard?) {
        guard let board, host.kind != .file, let file = KeptEffects.standard else { return nil }
        let session = host.session
        self.init(board, in: file) { session.presentSource.identity }
    }

    /// Writes what has not been written, and keeps nothing any more.
    func close() {
        let leave = state.withLock { state in
            state.isClosing = true
            return state.leave
        }
        leave?()
        bell.ring()
        // A disk that hangs does not keep the program.
        bell.wait(until: (.now + .seconds(5)).nanoseconds) { !state.withLock { $0.isWriting } }
    }

    private func look() {
        let begins = state.withLock { state in
            guard !state.isWriting, !state.isClosing, board.settings != state.written else { return false }
            state.isWriting = true
            return true
        }
        guard begins else { return }
        do throws(SystemShortage) {
            try SystemThread(name: "effects") { self.work() }.detach()
        } catch {
            // The next change tries again.
            state.withLock { $0.isWriting = false }
        }
    }

    private func work() {
        var settings: EffectSettings?
        repeat {
            bell.wait(until: (.now + interval).nanoseconds) { state.withLock { $0.isClosing } }
            let latest = board.settings
            write(latest)
            settings = state.withLock { state in
                state.written = latest
                state.isWriting = board.settings != latest
                return state.isWriting ? latest : nil
            }
        } while settings != nil
        bell.ring()
    }

    private func write(_ settings: EffectSettings) {
        guard KeptEffects.isKeepable(settings.list) else { return }
        do throws(FileError) { try file.save(settings, as: KeptEffects.lastName, of: camera()) } catch {
            let isFirst = state.withLock { state in
                defer { state.hasFailed = true }
                return !state.hasFailed
            }
            if isFirst { Console.note("note: the effects are not kept for the next start: \(error.message)") }
        }
    }
}
