// SPDX-License-Identifier: MIT
// What keys and the mouse do in a window.

import LivecapCWindow
import LivecapFrames

/// What happens in a window.
package enum WindowInput: Hashable, Sendable {
    /// A key is pressed, by SDL's number; or it is held and counts again.
    case key(Int32, isRepeated: Bool = false)
    /// The mouse's main button is pressed, moved while it is held, or released.
    case press(x: Int, y: Int)
    case drag(x: Int)
    case release
    /// The wheel is turned, by so much away from the user.
    case wheel(Int)
    /// The window is closed.
    case close
}

/// What a program is to do because of that.
package enum WindowWish: Hashable, Sendable {
    /// Take a picture of what is shown.
    case take
    /// Do what a key of the terminal is for.
    case key(Character)
    /// Tell people something.
    case say(String)
    /// Fill the screen, or no longer.
    case fillScreen(Bool)
    /// End everything.
    case end
    /// The window is gone, or is to go; anything else goes on.
    case close
}

/// What is drawn over the picture.
package enum WindowOverlay: Hashable, Sendable, CaseIterable {
    /// The line and the keys.
    case hints
    /// The line, with the rail.
    case line
    /// Nothing.
    case nothing
}

/// The state of a window that keys and the mouse change.
package struct WindowControl: Hashable, Sendable {
    /// The moment of the past that is shown; nil for now.
    package private(set) var moment: Timestamp?
    package private(set) var overlay = WindowOverlay.hints
    package private(set) var fillsScreen: Bool
    private var isDragging = false

    /// Shows what is now. With `fillsScreen`, the window fills the screen already.
    package init(fillsScreen: Bool = false) { self.fillsScreen = fillsScreen }

    /// Shows what is now.
    package mutating func goLive() {
        moment = nil
        isDragging = false
    }

    /// Keeps the moment among those that are there: as they leave, the oldest is shown. One whose frames are held
    /// stays.
    package mutating func follow(_ rail: TimeRail, isHeld: Bool = false) {
        if !isHeld { moment = moment.flatMap { rail.settled($0) } }
    }

    /// How far a key for leaps goes.
    private static let leap = Duration.milliseconds(500)

    /// Takes an input. `rail` is nil while there is no past to go to. The rail reacts to the mouse from `railTop` down.
    package mutating func handle(_ input: WindowInput, rail: TimeRail?, railTop: Int) -> WindowWish? {
        switch input {
        case .key(let key, let isRepeated): return press(key, isRepeated, rail)
        case .press(let x, let y):
            guard overlay != .nothing, y >= railTop, let rail else { return nil }
            isDragging = true
            moment = rail.moment(at: x)
        case .drag(let x):
            if isDragging, let rail { moment = rail.moment(at: x) }
        case .release: isDragging = false
        case .wheel(let turns): step(rail, by: Int64(-turns))
        case .close: return .close
        }
        return nil
    }

    private mutating func step(_ rail: TimeRail?, by frames: Int64) {
        guard let rail else { return }
        moment = rail.step(from: moment, by: rail.interval * frames)
    }

    private mutating func press(_ key: Int32, _ isRepeated: Bool, _ rail: TimeRail?) -> WindowWish? {
        if Int(key) != LC_WINDOW_KEY_LEFT, Int(key) != LC_WINDOW_KEY_RIGHT, isRepeated { return nil }
        switch Int(key) {
        case LC_WINDOW_KEY_LEFT: step(rail, by: -1)
        case LC_WINDOW_KEY_RIGHT: step(rail, by: 1)
        case LC_WINDOW_KEY_PAGE_UP: moment = rail?.step(from: moment, by: .zero - Self.leap)
        case LC_WINDOW_KEY_PAGE_DOWN: moment = rail?.step(from: moment, by: Self.leap)
        case LC_WINDOW_KEY_HOME: moment = rail.flatMap { $0.settled($0.oldest) }
        case LC_WINDOW_KEY_END: goLive()
        case LC_WINDOW_KEY_ENTER, 13, 32: return .take
        case LC_WINDOW_KEY_F11: return fillScreen()
        case 27:
            // Out of one thing after the other.
            if fillsScreen { return fillScreen() }
            if moment == nil { return .end }
            goLive()
        default: return Unicode.Scalar(UInt32(bitPattern: key)).flatMap { press(Character($0)) }
        }
        return nil
    }

    private mutating func press(_ key: Character) -> WindowWish? {
        switch key {
        case "q": return .end
        case "f": return fillScreen()
        case "h":
            let all = WindowOverlay.allCases
            overlay = all[(all.firstIndex(of: overlay)! + 1) % all.count]
            return nil
        // As the buttons of cameras are called.
        case "r": return .key("m")
        case "m", "p", "c", "e", "1"..."9": return .key(key)
        default: return nil
        }
    }

    private mutating func fillScreen() -> WindowWish {
        fillsScreen.toggle()
        return .fillScreen(fillsScreen)
    }
}
