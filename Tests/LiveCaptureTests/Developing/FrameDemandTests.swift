// SPDX-License-Identifier: MIT
// How many frames a photo takes, and which.

import Testing

@testable import LivecapDeveloping

@Suite struct FrameDemandTests {
    @Test(arguments: [
        (PhotoSettings(quality: .single), 1, 0),
        (PhotoSettings(quality: .speed, reference: .sharpest), 8, 0),
        (PhotoSettings(quality: .speed, reference: .best), 8, 0),
        (PhotoSettings(quality: .balanced), 8, 0),
        (PhotoSettings(quality: .quality, laterFrames: 3), 16, 3),
        (PhotoSettings(quality: .mean, frames: 5, laterFrames: 4), 5, 4),
    ])
    func settingsDecideCountAndAfter(_ settings: PhotoSettings, count: Int, after: Int) {
        #expect(settings.problem == nil)
        #expect(settings.demand == FrameDemand(count: count, after: after))
        #expect(settings.demand.before == count - 1 - after)
    }

    @Test func aLowerQualityTakesAtMostItsOwnDefault() {
        #expect(PhotoSettings(quality: .quality).demand(given: .balanced).count == 8)
        #expect(
            PhotoSettings(quality: .quality, frames: 12, laterFrames: 10).demand(given: .balanced)
                == .init(count: 8, after: 7))
        #expect(PhotoSettings(quality: .quality, frames: 4).demand(given: .balanced).count == 4)
        #expect(PhotoSettings(quality: .balanced, frames: 8).demand(given: .speed).count == 1)
    }

    @Test func withoutThePastAllOtherFramesAreLater() {
        #expect(PhotoSettings(quality: .balanced).demand(given: .balanced, hasPast: false) == .init(count: 8, after: 7))
        #expect(PhotoSettings(quality: .single).demand(given: .single, hasPast: false) == .init(count: 1, after: 0))
    }

    @Test func numbersBeyondTheRuleAreRefused() {
        #expect(PhotoSettings(quality: .speed, frames: 2).problem != nil)
        #expect(PhotoSettings(quality: .speed, laterFrames: 1).problem != nil)
        #expect(PhotoSettings(quality: .speed, laterFrames: 8, reference: .sharpest).problem != nil)
        #expect(PhotoSettings(quality: .balanced, frames: 17).problem != nil)
        #expect(PhotoSettings(quality: .balanced, frames: 4, laterFrames: 4).problem != nil)
    }
}
