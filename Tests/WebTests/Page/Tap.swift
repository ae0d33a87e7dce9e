// SPDX-License-Identifier: MIT
// Taps on the page's shutter, with what was on the screen at that moment.

import Foundation
import LivecapIntents
import LivecapWebGear
import Testing

/// A tap and what became of it.
struct Tap: Sendable {
    /// The frame that the page said it showed.
    let painted: String
    /// The number of the frame that the canvas showed.
    let onScreen: UInt32?
    /// What the page knows of the shot: "photo", "proxy", "failed", or what came before that.
    let state: String
    /// The photo; nil if there is none.
    let photo: JSON?
    let problem: String

    init(_ json: JSON) throws {
        painted = json["painted"]?.string ?? "none"
        onScreen = try Self.number(json["picture"])
        state = json["state"]?.string ?? "unknown"
        photo = json["photo"].flatMap { $0.isNull ? nil : $0 }
        problem = json["problem"]?.string ?? ""
    }

    /// The number in a picture that a canvas gave as `data:` URL.
    static func number(_ picture: JSON?) throws -> UInt32? {
        let text = picture?.string?.split(separator: ",").last.map(String.init) ?? ""
        let data = try #require(Data(base64Encoded: text), "no picture")
        return try StillMark.read([UInt8](data))
    }
}

extension PageVisit {
    /// Has the page keep what is on its screen at each press of the shutter: in the same task as the press itself,
    /// before the page's own listener hears of it.
    func noteTaps() throws {
        try browser.run(
            """
            window.taps = [];
            let tap = null;
            const note = isBefore => event => {
                const isKey = event.type === 'keydown';
                if (isKey ? event.key !== ' ' || event.repeat : !event.target.closest('#shutter')) return;
                if (isBefore) {
                    const picture = document.getElementById('view').toDataURL('image/jpeg', 0.8);
                    tap = { painted: livecap.painted, picture };
                } else {
                    taps.push({ ...tap, shot: livecap.shots.at(-1) });
                }
            };
            for (const type of ['pointerdown', 'keydown']) {
                window.addEventListener(type, note(true), true);
                window.addEventListener(type, note(false));
            }
            """)
    }

    /// Taps the shutter with the mouse, with these pauses after each tap.
    func tap(pausing pauses: [Duration] = [.zero]) throws {
        let place = try browser.find("#shutter").place
        let middle = PointerStep.move(x: place.x + place.width / 2, y: place.y + place.height / 2)
        try browser.point(.mouse, [middle] + pauses.flatMap { [.down, .up, .pause($0)] })
    }

    private static let isDone = "({ shot }) => ['photo', 'proxy', 'failed'].includes(shot.state)"
    private static let pending = "taps.filter(tap => !(\(isDone))(tap)).length"

    /// Waits until at most `count` shots have neither a photo nor failed.
    func awaitTaps(but count: Int = 0) throws {
        try browser.await("the photos of all taps but \(count)", "\(Self.pending) <= \(count)")
    }

    /// Waits until all shots have a photo or have failed, and returns the taps since the last call.
    func takeTaps() throws -> [Tap] {
        try awaitTaps()
        return try takeDoneTaps()
    }

    /// The taps since the last call whose shots have a photo or have failed. Others are left for the next call.
    func takeDoneTaps() throws -> [Tap] {
        try browser.run(
            """
            const done = taps.filter(\(Self.isDone));
            taps = taps.filter(tap => !done.includes(tap));
            return done.map(({ painted, picture, shot }) =>
                ({ painted, picture, state: shot.state, photo: shot.photo ?? null, problem: shot.error ?? null }));
            """
        ).elements.map { try Tap($0) }
    }
}
