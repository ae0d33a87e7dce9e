// SPDX-License-Identifier: MIT
// A window of the desktop that shows a host's newest frame, and the past that is kept.

import LivecapCWindow
import LivecapFrames
import LivecapThreads

/// Shows a host's frames. A thread of its own draws them and reads keys and the mouse. Frames never wait for it: it
/// gets the newest one whenever it is done with the last.
package final class ViewWindow: Sendable {
    /// What people want; called by the window's thread, which must not be kept waiting. The time is that of the frame
    /// that is shown, on the source's clock; nil before the first.
    package typealias Ask = @Sendable (WindowWish, Timestamp?) -> Void

    private let state = Guarded(Shared())
    private let thread = Guarded<SystemThread?>(nil)

    /// What the thread shares with others.
    struct Shared: Sendable {
        // Safe: used with the lock alone, and nil before the window is closed.
        nonisolated(unsafe) var window: OpaquePointer?
        var status = ""
        var light = WindowLight.away
        var isOver = false
        var failure: WindowError?
        var figures = WindowFigures()
        /// How its pictures are drawn.
        var renderer = ""

        func wake() { if let window { lc_window_wake(window) } }
    }

    private static let library = "libSDL2-2.0.so.0"

    /// Why no window can be opened here, as far as can be known without opening one; nil if nothing is known.
    package static var lack: WindowError? {
        var why = [CChar](repeating: 0, count: 256)
        return lc_window_can_open(library, &why, why.count) ? nil : .noLibrary(detail: text(why))
    }

    /// Opens a window with a title, for pictures of a size at first. `keys` says what keys do, for people. With
    /// `fillsScreen`, it fills the screen.
    /// - Throws: `noLibrary`, `noScreen`, `shortage`.
    package init(
        _ title: String, size: FrameSize, keys: String, fillsScreen: Bool = false, _ source: WindowSource,
        ask: @escaping Ask
    ) throws(WindowError) {
        let opened = EndNotice()
        do throws(SystemShortage) {
            // The thread holds this value until the window is closed.
            let started = try SystemThread(name: "window") { [self] in
                let window = Self.open(title, size, state)
                opened.note()
                guard let window else { return }
                do throws(SystemShortage) {
                    let work = try WindowWork(window, self, source, keys: keys, fillsScreen: fillsScreen, ask: ask)
                    work.run()
                    work.close()
                } catch { ask(.close, nil) }
                update { $0.window = nil }
                lc_window_close(window)
            }
            thread.withLock { $0 = started }
        } catch { throw .shortage(error) }
        _ = opened.wait(until: .max)
        if let failure = state.withLock({ $0.failure }) {
            thread.withLock { $0.take() }?.join()
            throw failure
        }
    }

    private static func open(
        _ title: String, _ size: FrameSize, _ state: borrowing Guarded<Shared>
    ) -> OpaquePointer? {
        var window: OpaquePointer?
        var why = [CChar](repeating: 0, count: 256)
        let result = library.withCString { library in
            title.withCString { title in
                var settings = lc_window_settings(
                    library: library, title: title, width: Int32(clamping: size.width),
                    height: Int32(clamping: size.height))
                return lc_window_open(&settings, &window, &why, why.count)
            }
        }
        let detail = text(why)
        let renderer = window.map { String(cString: lc_window_renderer($0)) } ?? ""
        // An address, which the lock protects from here on.
        nonisolated(unsafe) let opened = window
        state.withLock { state in
            state.window = opened
            state.renderer = renderer
            guard opened == nil else { return }
            state.failure = result == LC_WINDOW_NO_LIBRARY ? .noLibrary(detail: detail) : .noScreen(detail: detail)
        }
        return window
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Reads or changes what the window's thread shares with others.
    func update<Result: Sendable>(_ body: (inout Shared) -> Result) -> Result { state.withLock { body(&$0) } }

    /// Ends the wait of the window's thread.
    func wake() { state.withLock { $0.wake() } }

    /// Says what the program does, in words, and whether a picture would be taken at once.
    package func show(_ status: String, _ light: WindowLight) {
        state.withLock { state in
            guard state.status != status || state.light != light else { return }
            state.status = status
            state.light = light
            state.wake()
        }
    }

    /// The frames shown so far.
    package var figures: WindowFigures { state.withLock { $0.figures } }

    /// What draws its pictures, such as `opengl` or `software`.
    package var renderer: String { state.withLock { $0.renderer } }

    /// Closes the window, if it is open.
    package func close() {
        state.withLock { state in
            state.isOver = true
            state.wake()
        }
        thread.withLock { $0.take() }?.join()
    }
}
