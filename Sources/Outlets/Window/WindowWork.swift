// SPDX-License-Identifier: MIT
// The thread of a window: draws what is to be seen, and passes on what people want.

import FrameRing
import LivecapCWindow
import LivecapFrames
import LivecapPictures
import LivecapThreads

/// What a window's thread does, from its opening to its end. Used by that thread alone.
final class WindowWork {
    private let window: OpaquePointer
    private let owner: ViewWindow
    private let source: WindowSource
    private let keys: String
    private let ask: ViewWindow.Ask
    private let live: LivePictures
    private var past = PastPictures()
    private let held = HeldPast()
    private var control: WindowControl
    private var size: FrameSize
    private var want: WindowWant
    /// When pictures of another size are asked for, unless the window changes again before.
    private var nextWant: Timestamp?
    private var strip: WindowStrip
    private var painted: (words: WindowWords, handle: Int?)?
    /// The time of the frame that is shown, and the size of its picture.
    private var shown: Timestamp?
    private var picture = FrameSize(width: 0, height: 0)
    /// When the newest frame came, or the window turned to those that come.
    private var lastFrame = Timestamp.now
    /// Keeps the camera on that fills a ring.
    private var use: (camera: any Sendable, ring: Ring)?
    /// When pictures are asked for again that there was no room for; nil if there was.
    private var nextTry: Timestamp?
    private var flashEnd = Timestamp.zero
    private var isLive = true
    /// Whether something has changed since the last drawing.
    private var isDirty = true

    /// A window has to keep its size for so long before its pictures follow.
    private static let settling = Duration.milliseconds(150)
    /// How long the picture is white when one is taken.
    private static let flash = Duration.milliseconds(90)
    /// What is shown is not live if no frame has come for so long, or for a few frames' time.
    private static let silence = Duration.milliseconds(2500)
    /// How often it is looked whether the camera is turned.
    private static let look = Duration.seconds(1)
    /// How often the rail follows the frames that come, while the past is shown.
    private static let pastLook = Duration.milliseconds(100)

    init(
        _ window: OpaquePointer, _ owner: ViewWindow, _ source: WindowSource, keys: String,
        fillsScreen: Bool, ask: @escaping ViewWindow.Ask
    ) throws(SystemShortage) {
        self.window = window
        self.owner = owner
        self.source = source
        self.keys = keys
        self.ask = ask
        control = WindowControl(fillsScreen: fillsScreen)
        if fillsScreen { lc_window_fill_screen(window, true) }
        size = Self.size(of: window)
        want = Self.want(source, size)
        strip = WindowStrip(width: size.width, density: lc_window_density(window), hasKeys: true)
        live = try LivePictures(source.sinks, want) { [owner] in owner.wake() }
    }

    /// Takes no pictures any more.
    func close() { live.close() }

    /// Draws and obeys until the window is closed.
    func run() {
        while !owner.update({ $0.isOver }) {
            var event = lc_window_next(window, timeout)
            // What waits is taken together, and drawn once.
            repeat {
                guard take(event) else { return }
                event = lc_window_next(window, 0)
            } while event.kind != LC_WINDOW_NOTHING
            measure()
            look()
            askAgain()
            draw()
        }
    }

    /// Milliseconds until something is to be done even if nothing happens.
    private var timeout: Int32 {
        let now = Timestamp.now
        var next = now + (control.moment == nil ? Self.look : Self.pastLook)
        if flashEnd > .zero { next = min(next, flashEnd) }
        if let nextWant { next = min(next, nextWant) }
        return Int32(clamping: (max(next - now, .zero).nanoseconds + 999_999) / 1_000_000)
    }

    // MARK: What happens

    /// Takes an event. Returns false if the window is gone, or is to go.
    private func take(_ event: lc_window_event) -> Bool {
        switch event.kind {
        case LC_WINDOW_KEY: return obey(.key(event.key, isRepeated: event.is_repeated))
        case LC_WINDOW_PRESS: return obey(.press(x: Int(event.x), y: Int(event.y)))
        case LC_WINDOW_DRAG: return obey(.drag(x: Int(event.x)))
        case LC_WINDOW_RELEASE: return obey(.release)
        case LC_WINDOW_WHEEL: return obey(.wheel(Int(event.y)))
        case LC_WINDOW_CLOSE: return obey(.close)
        case LC_WINDOW_LOST:
            ask(.close, nil)
            return false
        case LC_WINDOW_REDRAW: isDirty = true
        case LC_WINDOW_RESET:
            painted = nil
            past.forget()
            isDirty = true
        default: break
        }
        return true
    }

    private func obey(_ input: WindowInput) -> Bool {
        let before = control
        let wish = control.handle(input, rail: rail, railTop: size.height - strip.height)
        if control != before { isDirty = true }
        switch wish {
        case .take:
            flashEnd = .now + Self.flash
            isDirty = true
            ask(.take, isOld ? nil : shown)
        case .fillScreen(let fills): lc_window_fill_screen(window, fills)
        case .key, .end, .say: ask(wish!, shown)
        case .close:
            ask(.close, nil)
            return false
        case nil: break
        }
        return true
    }

    /// Whether the frame that is shown as the present one is of the past: no other has come.
    private var isOld: Bool { isLive && .now - lastFrame > max(Self.silence, source.interval() * 3) }

    private var rail: TimeRail? { source.rail(from: strip.left, to: strip.right) }

    // MARK: What is to be seen

    private static func size(of window: OpaquePointer) -> FrameSize {
        var width: Int32 = 0
        var height: Int32 = 0
        lc_window_size(window, &width, &height)
        return FrameSize(width: max(1, Int(width)), height: max(1, Int(height)))
    }

    /// Pictures as large as the window shows them, but no larger than the frames.
    private static func want(_ source: WindowSource, _ size: FrameSize) -> WindowWant {
        let (format, view) = (source.ring().format, source.view())
        let whole = view.size(of: format.size)
        let side = min(Letterbox.longestSide(of: whole, in: size), max(whole.width, whole.height))
        return WindowWant(side: side, view: view, of: format)
    }

    /// Has pictures follow the window's size, and the camera.
    private func measure() {
        let now = Self.size(of: window)
        let strip = WindowStrip(
            width: now.width, density: lc_window_density(window), hasKeys: control.overlay == .hints)
        if now != size || !strip.hasSize(of: self.strip) {
            size = now
            self.strip = strip
            painted = nil
            isDirty = true
        }
        let want = Self.want(source, size)
        guard want != self.want else {
            nextWant = nil
            return
        }
        let isResized = want.view == self.want.view && want.range == self.want.range
        let due = isResized ? nextWant ?? .now + Self.settling : .now
        nextWant = due
        guard due <= .now else { return }
        nextWant = nil
        self.want = want
        live.change(to: want)
        live.setWanted(isLive)
    }

    /// Takes the newest picture, or one of the past.
    private func look() {
        let ring = source.ring()
        let isHeld = held.follow(control.moment, of: ring)
        if control.moment != nil {
            if let rail { control.follow(rail, isHeld: isHeld) } else { control.goLive() }
        }
        if isLive != (control.moment == nil) {
            isLive.toggle()
            live.setWanted(isLive)
            past.forget()
            // What is on the screen is not the present yet.
            shown = nil
            lastFrame = .now
        }
        guard let moment = control.moment else {
            // Nobody looks at a camera that is off.
            if use?.ring !== ring { use = (source.keepOn(), ring) }
            guard let newest = live.take() else { return }
            newest.withBytes { upload($0, newest.format) }
            shown = newest.frame.time
            lastFrame = .now
            isDirty = true
            return
        }
        use = nil
        let before = past.frame
        guard past.draw(moment, of: ring, clock: source.clock(), want, { upload($0, $1) }), past.frame != before else {
            return
        }
        shown = past.frame?.time
        isDirty = true
    }

    /// Says why there are no pictures of now, and asks for them again.
    private func askAgain() {
        guard let lack = live.lack else {
            nextTry = nil
            return
        }
        if nextTry == nil { ask(.say("the window has no pictures: \(lack.message)"), nil) }
        guard nextTry.map({ $0 <= .now }) ?? true else { return }
        nextTry = .now + Self.look
        live.change(to: want)
        live.setWanted(isLive)
    }

    private func upload(_ bytes: RawSpan, _ format: FrameFormat) {
        let planes = format.planes
        guard planes.count == 3 else { return }
        picture = format.size
        bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            var taken = lc_window_picture()
            taken.width = Int32(format.size.width)
            taken.height = Int32(format.size.height)
            taken.planes = (base + planes[0].offset, base + planes[1].offset, base + planes[2].offset)
            taken.strides = (Int32(planes[0].stride), Int32(planes[1].stride), Int32(planes[2].stride))
            taken.colours = lc_window_colours(format.colorimetry)
            _ = lc_window_take(window, &taken)
        }
    }

    private func draw() {
        if flashEnd > .zero, flashEnd <= .now {
            flashEnd = .zero
            isDirty = true
        }
        if control.overlay != .nothing { paint() }
        guard isDirty else { return }
        isDirty = false
        let place = Letterbox(picture, in: size)
        let to = lc_window_place(
            x: Int32(place.x), y: Int32(place.y), width: Int32(place.width), height: Int32(place.height))
        lc_window_show(window, to, control.overlay != .nothing, flashEnd > .zero ? 150 : 0)
        guard isLive, let shown, shown != noted else { return }
        noted = shown
        owner.update { $0.figures.note(.now - shown) }
    }
    /// The frame that was counted last.
    private var noted: Timestamp?

    /// Paints the strip, if it says something else.
    private func paint() {
        let rail = rail
        var words = owner.update { state in
            var words = WindowWords()
            words.status = state.status
            words.light = state.light
            return words
        }
        if isLive, let lack = live.lack { words.status = "no pictures: \(lack.message)" }
        words.moment = moment(rail)
        if control.overlay == .hints { words.keys = keys }
        let handle = rail.map { $0.place(of: control.moment == nil ? nil : shown) }
        if let painted, painted.words == words, painted.handle == handle { return }
        painted = (words, handle)
        isDirty = true
        strip.paint(words, handle: handle)
        let (width, height) = (Int32(strip.width), Int32(strip.height))
        strip.pixels.withUnsafeBytes { pixels in
            guard let base = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            _ = lc_window_take_strip(window, base, width, height)
        }
    }

    /// Which moment is seen, in words.
    private func moment(_ rail: TimeRail?) -> String {
        if isOld { return "not live" }
        guard shown != nil else { return "" }
        guard let rail else { return source.hidesPast() ? "past hidden" : "live" }
        guard control.moment != nil, let shown else { return "live" }
        let hundredths = max(0, (rail.newest - shown).nanoseconds / 10_000_000)
        let fraction = hundredths % 100
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) s back"
    }
}
