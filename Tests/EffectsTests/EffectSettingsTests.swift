// SPDX-License-Identifier: MIT
// Effects as people write them.

import Foundation
import Testing

@testable import LivecapEffects

@Suite struct EffectSettingsTests {
    @Test func effectsHaveTheirStrengths() {
        let settings = EffectSettings(list: "portrait=0.25,light,framing,background=#204060,brighten")
        #expect(
            settings
                == EffectSettings(
                    portrait: 0.25, light: 0.6, background: .colour(red: 32, green: 64, blue: 96), framing: 1,
                    brighten: 0.6))
        #expect(
            EffectSettings(list: "background=pictures/a b=c.png,light")
                == EffectSettings(light: 0.6, background: .picture(path: "pictures/a b=c.png")))
    }

    @Test(arguments: [
        "none", "portrait=0.6,light=0.6,background=#204060", "brighten=1", "framing=0.3333333333333333",
        "background=/home/me/a picture.jpg,brighten=0.05", "background=#000a0f", "portrait=1e-05",
        "portrait=0.1,light=0.2,background=x,framing=0.3,brighten=0.4",
    ])
    func aListComesBack(_ list: String) throws {
        #expect(try #require(EffectSettings(list: list)).list == list)
    }

    @Test func everyListIsUnderstood() throws {
        for name in EffectSettings.names {
            let settings = try #require(EffectSettings(list: name == "background" ? "background=#010203" : name))
            #expect(!settings.areNone && settings.list.hasPrefix(name))
            #expect(EffectSettings(list: settings.list) == settings)
        }
        let odd = EffectSettings(background: .picture(path: "#1.png"))
        #expect(EffectSettings(list: odd.list) == EffectSettings(background: .picture(path: "./#1.png")))
    }

    @Test(arguments: EffectName.allCases) func aNameAloneHasItsUsualStrength(_ name: EffectName) throws {
        let settings = try #require(EffectSettings(list: name.example))
        #expect(settings.list == name.example && settings.names == [name.rawValue[...]])
        #expect(EffectSettings(list: name.rawValue) == (name == .background ? nil : settings))
        #expect((name.usual == nil) == [.background, .gestures].contains(name))
    }

    @Test(arguments: [
        "", "none,light", "portait", "portrait,", ",", "portrait=", "portrait=2", "portrait=-0.1", "portrait=nan",
        "portrait=x",
        "portrait,portrait", "portrait=0.5,portrait=0.5", "background", "background=",
        "background=#20406", "background=#+20406", "background=#2040607", "light=0.5=0.5", "PORTRAIT",
    ])
    func whatIsNoListOfEffectsIsRefused(_ list: String) {
        #expect(EffectSettings(list: list) == nil)
    }

    @Test func effectsOfNoStrengthAreNone() {
        #expect(EffectSettings(list: "portrait=0,light=0")?.areNone == true)
        #expect(EffectSettings(list: "none") == EffectSettings())
        #expect(EffectSettings(list: "portrait=0.1")?.areNone == false)
    }

    @Test(arguments: [
        "none", "portrait=0.25", "portrait=0.6,light=0.1,framing=1.0,background=#0a4060", "background=#000000",
    ])
    func aListSaysWhatItWasMadeOf(_ list: String) throws {
        let settings = try #require(EffectSettings(list: list))
        #expect(EffectSettings(list: settings.list) == settings)
        #expect(try JSONDecoder().decode(EffectSettings.self, from: JSONEncoder().encode(settings)) == settings)
    }
}
