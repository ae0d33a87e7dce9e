// SPDX-License-Identifier: MIT
// The pictures of a window: of now, and of moments of the past.

import FrameRing
import LivecapCWindow
import LivecapFrames
import LivecapPictures
import LivecapStreams
import LivecapThreads

/// Which pictures a window wants.
struct WindowWant: Hashable, Sendable {
    /// The longer side of the pictures.
    var side: Int
    var view: PictureView
    /// The range of their samples; nil for the frames' own.
    var range: Colorimetry.Range?

    /// SDL converts samples of the full range for BT.601 alone.
    init(side: Int, view: PictureView, of frames: FrameFormat) {
        self.side = side
        self.view = view
        range = frames.colorimetry.matrix.isOf601 || frames.pixelFormat.isJPEG ? nil : .limited
    }

    var pictures: PictureSettings {
        var settings = PictureSettings(format: .i420, view: view, range: range)
        settings.longestSide = side
        return settings
    }
}

extension Colorimetry.Matrix {
    fileprivate var isOf601: Bool { self == .bt601 || self == .xv601 || self == .identity }
}

/// The newest picture of a host. A thread waits for pictures, and wakes the window.
final class LivePictures: Sendable {
    private let sinks: HostSinks
    private let wake: @Sendable () -> Void
    private let state = Guarded(State())
    private let thread = Guarded<SystemThread?>(nil)

    private struct State: Sendable {
        var output: FrameOutput?
        var newest: Picture?
        var lack: OutputError?
        var isOver = false
    }

    init(_ sinks: HostSinks, _ want: WindowWant, wake: @escaping @Sendable () -> Void) throws(SystemShortage) {
        self.sinks = sinks
        self.wake = wake
        change(to: want)
        do throws(SystemShortage) {
            let started = try SystemThread(name: "window frames") { self.run() }
            thread.withLock { $0 = started }
        } catch {
            close()
            throw error
        }
    }

    /// Makes other pictures from now on.
    func change(to want: WindowWant) {
        let output = FrameOutput(FrameOutputSettings(pictures: want.pictures))
        let old = state.withLock { state in
            defer { state.output = output }
            return state.output
        }
        // The new one has no host yet.
        var lack = add(output)
        if let old {
            leave(old)
            // The old one may have had the room that it needs.
            if lack != nil { lack = add(output) }
        }
        state.withLock { $0.lack = lack }
    }

    private func add(_ output: FrameOutput) -> OutputError? {
        do throws(OutputError) { try sinks.add(output) } catch { return error }
        return nil
    }

    /// Why there are no pictures; nil if there are some.
    var lack: OutputError? { state.withLock { $0.lack } }

    /// Whether anybody looks at them.
    func setWanted(_ isWanted: Bool) { state.withLock { $0.output }?.setWanted(isWanted) }

    /// The newest picture, once.
    func take() -> Picture? {
        state.withLock { state in
            defer { state.newest = nil }
            return state.newest
        }
    }

    func close() {
        let old = state.withLock { state in
            defer { state.output = nil }
            state.isOver = true
            return state.output
        }
        if let old { leave(old) }
        thread.withLock { $0.take() }?.join()
    }

    private func leave(_ output: FrameOutput) {
        sinks.remove(output)
        output.wake()
    }

    private func run() {
        while true {
            let (output, isOver) = state.withLock { ($0.output, $0.isOver) }
            guard let output, !isOver else { return }
            let picture = output.next(unless: { state.withLock { $0.output !== output } })
            guard let picture else { continue }
            // Released without the lock.
            let replaced = state.withLock { state in
                defer { state.newest = picture }
                return state.newest
            }
            _ = replaced
            wake()
        }
    }
}

/// Pictures of frames that the ring keeps, made by the window's thread.
struct PastPictures {
    private var converter: (made: PictureConverter, of: FrameFormat, clock: FrameClock, want: WindowWant)?
    private var memory: [UInt8] = []
    /// The frame that was drawn last.
    private(set) var frame: FrameMetadata?

    /// Draws the frame nearest a moment by the `clock` of the ring's frames, unless it was drawn last. Lends it to
    /// `show`, and returns whether it is there.
    mutating func draw(
        _ moment: Timestamp, of ring: Ring, clock: FrameClock, _ want: WindowWant,
        _ show: (RawSpan, FrameFormat) -> Void
    ) -> Bool {
        guard let lease = ring.lease(nearest: moment) else { return false }
        let isKnown = converter.map { $0.of == ring.format && $0.clock == clock && $0.want == want } ?? false
        if isKnown, frame == lease.metadata { return true }
        if !isKnown {
            guard let made = try? PictureConverter(ring.format, [want.pictures], clock: clock) else { return false }
            converter = (made, ring.format, clock, want)
            memory = [UInt8](repeating: 0, count: made.formats[0].byteCount)
            memory.withUnsafeMutableBytes { PictureConverter.clear($0, made.formats[0]) }
        }
        let metadata = lease.metadata
        guard let made = converter?.made, metadata.isUsable, lease.withBytes({ made.take($0) }),
            memory.withUnsafeMutableBytes({ made.draw(0, into: $0, at: metadata.time) }) != nil
        else { return false }
        frame = metadata
        show(memory.span.bytes, made.formats[0])
        return true
    }

    /// Forgets what was drawn: something else is shown.
    mutating func forget() { frame = nil }
}

extension lc_window_colours {
    /// How the samples of pictures of a format map to colours.
    init(_ colours: Colorimetry) {
        self =
            colours.range == .full
            ? LC_WINDOW_FULL_601
            : colours.matrix == .bt601 || colours.matrix == .xv601 || colours.matrix == .identity
                ? LC_WINDOW_LIMITED_601 : LC_WINDOW_LIMITED_709
    }
}
