// SPDX-License-Identifier: MIT
// The library keeps the masks of photos with effects: of those made at once, of proxies and of finals.

import LivecapDetection
import LivecapEffects
import LivecapFrames
import LivecapPhotoStorage
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

private let areNetsInstalled = (try? Nets().open(.matte)) != nil

@Suite(.timeLimit(.usual), .enabled(if: areNetsInstalled, "'make effects' fetches the nets"))
struct KeptMaskTests {
    private let folder: PhotoFolder
    private let library: PhotoLibrary

    init() throws {
        folder = try PhotoFolder()
        library = try PhotoLibrary(folder.file("library"))
    }

    /// Takes the same photo each time. As PNG it is turned, and its mask with it; a proxy is a JPEG, which is not.
    private func shoot(_ deferral: DeferralPreference, _ effects: EffectSettings?) async throws -> Photo {
        var settings = PhotoSettings(
            quality: .merge, frames: 3, laterFrames: 1, format: .png, effects: effects, deferral: deferral)
        settings.metadata.orientation = .right
        let session = try fastSession("object:frames=20,seed=5", size: FrameSize(width: 96, height: 64)) {
            ($0.library, $0.finishingDelay) = (library, nil)
        }
        defer { session.end() }
        let capture = session.photoOutput.capture(settings, at: .offset(.milliseconds(320)))
        session.begin()
        return try await capture.photo()
    }

    @Test func finalsHaveTheMaskThatTheyWouldHaveHadAtOnce() async throws {
        let effects = EffectSettings(background: .colour(red: 0, green: 255, blue: 0))
        let direct = try await shoot(.never, effects), proxy = try await shoot(.required, effects)
        let ids = try [#require(direct.libraryID), #require(proxy.libraryID)]
        let mask = try #require(try await library.mask(of: ids[0]))
        #expect(mask == direct.mask && mask.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        #expect(proxy.isProxy && proxy.mask != nil)
        #expect(try await library.mask(of: ids[1]) == proxy.mask)
        let finisher = PhotoFinisher(library, threads: 2, level: nil, gate: nil, isLowPriority: false)
        guard case .finished(let photo, _)? = try await finisher.finish() else {
            return _ = Issue.record("it was not finished")
        }
        #expect(photo.id == ids[1] && photo.hasMask)
        #expect(mask != proxy.mask)
        #expect(try await library.mask(of: photo.id) == mask)
        #expect(try await library.verify().problems.isEmpty)
    }

    @Test func aPhotoWithoutEffectsHasNone() async throws {
        let id = try #require(try await shoot(.never, nil).libraryID)
        #expect(try await library.mask(of: id) == nil)
        #expect(try await !library.photo(id).hasMask)
    }
}
