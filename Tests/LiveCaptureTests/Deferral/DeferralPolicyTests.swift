// SPDX-License-Identifier: MIT
// Which shots are deferred, and which cannot be.

import LivecapFrames
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite struct DeferralPolicyTests {
    private let policy = DeferralPolicy(longestWait: .milliseconds(250))

    @Test func unknownDurationsAreJudgedByQuality() {
        #expect(policy.defers(DeferralRequest(quality: .quality)))
        #expect(!policy.defers(DeferralRequest(quality: .balanced)))
        #expect(!policy.defers(DeferralRequest(quality: .merge)))
    }

    @Test func whatIsQuickHereIsMadeAtOnce() {
        #expect(!policy.defers(DeferralRequest(quality: .quality, work: .milliseconds(250))))
        #expect(policy.defers(DeferralRequest(quality: .quality, work: .milliseconds(251))))
        #expect(policy.defers(DeferralRequest(quality: .balanced, work: .milliseconds(300))))
    }

    @Test func whatWaitsBehindOthersIsLeftForLater() {
        let quick = DeferralRequest(quality: .balanced, work: .milliseconds(40), ahead: .milliseconds(200))
        #expect(!policy.defers(quick))
        var queued = quick
        queued.ahead = .milliseconds(220)
        #expect(policy.defers(queued))
        #expect(policy.defers(DeferralRequest(quality: .balanced, ahead: .milliseconds(300))))
    }

    @Test func workersShareTheWork() {
        let alone = DeferralRequest(quality: .quality, work: .milliseconds(400))
        var shared = alone
        shared.workers = 2
        #expect(policy.defers(alone))
        #expect(!policy.defers(shared))
        shared.workers = 0
        #expect(policy.defers(shared))
    }

    @Test(arguments: [
        PhotoSettings(quality: .speed), PhotoSettings(quality: .single), PhotoSettings(quality: .mean),
        PhotoSettings(quality: .balanced, frames: 1), PhotoSettings(quality: .quality, reference: .sharpest),
        PhotoSettings(quality: .quality, includesComparison: true),
        PhotoSettings(quality: .quality, includesExplanation: true),
    ]) func askingForItWhereItIsOfNoUseIsAnError(_ settings: PhotoSettings) throws {
        var settings = settings
        #expect(settings.problem == nil)
        settings.deferral = .required
        let problem = try #require(settings.problem)
        #expect(problem.code == "bad-settings")
        #expect(!problem.hint.isEmpty)
    }

    @Test(arguments: [PhotoQuality.quality, .balanced, .merge]) func mergesCanBeLeftForLater(_ quality: PhotoQuality) {
        #expect(PhotoSettings(quality: quality, deferral: .required).problem == nil)
    }
}

@Suite(.timeLimit(.usual)) struct DeferralWithoutLibraryTests {
    @Test func itCannotBeRequired() async throws {
        let driven = try HandDrivenDesk()
        driven.frames(0..<20)
        let shot = driven.tap(at: 100, PhotoSettings(quality: .quality, deferral: .required))
        #expect(await shot.story() == "bad-settings")
        #expect(driven.isAtRest())
    }
}
