// SPDX-License-Identifier: MIT
// Effects as people write them.

import Testing

@testable import LivecapEffects

@Suite struct EffectSettingsTests {
    @Test func effectsHaveTheirStrengths() {
        let settings = EffectSettings(list: "portrait=0.25,light,framing,background=#204060")
        #expect(
            settings
                == EffectSettings(
                    portrait: 0.25, light: 0.6, background: .colour(red: 32, green: 64, blue: 96), framing: 1))
    }

    @Test(arguments: [
        "", "none,light", "portait", "portrait,", ",", "portrait=", "portrait=2", "portrait=-0.1", "portrait=nan",
        "portrait=x",
        "portrait,portrait", "portrait=0.5,portrait=0.5", "background", "background=", "background=204060",
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
}
