// SPDX-License-Identifier: MIT
// Which command lines have memory reserved for photos with effects.

import LiveCapture
import LivecapCommandTable
import Testing

@testable import livecap

@Suite struct EffectMemoryTests {
    /// What a command tells its session of photos.
    private func mayHaveEffects(_ line: String) throws -> Bool {
        let words = line.split(separator: " ").map(String.init)
        guard case .run(_, let arguments) = try Livecap.program.parse(words) else {
            throw UsageError("asked for help", hint: "")
        }
        let effects =
            words[0] == "shoot" ? arguments[EffectOptions.ofPictures] : EffectOptions.ofPhotos(arguments)
        var options = try arguments.sessionOptions(try PictureOptions(arguments, effects: effects))
        if words[0] == "serve" { ServedPage.adjust(&options, arguments) }
        return options.photosMayHaveEffects
    }

    @Test(arguments: [
        "shoot --effects portrait", "shoot --effects framing,light", "run --effects-in photos",
        "run --effects none --effects-in photos,to", "serve --effects light --effects-in photos",
        // Whoever hides the room on the page hides it in its photos.
        "serve --effects light", "serve --effects-in page", "serve --effects last",
    ])
    func memoryIsReservedForEffectsThatPhotosMayHave(_ line: String) throws {
        #expect(try mayHaveEffects(line))
    }

    @Test(arguments: [
        "shoot", "shoot --effects none", "shoot --effects framing", "run", "run --effects light --effects-in to",
        "serve", "serve --effects light --effects-in to",
    ])
    func noneIsReservedForOthers(_ line: String) throws {
        #expect(try !mayHaveEffects(line))
    }
}
