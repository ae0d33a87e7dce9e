// SPDX-License-Identifier: MIT
// Which values of controls were set by hand.

import LivecapFrames
import Testing

@testable import Camera

@Suite struct ManualSettingsTests {
    private static let (exposureMode, exposure): (UInt32, UInt32) = (0x9A_0901, 0x9A_0902)
    private static let gain: UInt32 = 0x98_0913
    private static let (whiteBalanceAuto, whiteBalance): (UInt32, UInt32) = (0x98_090C, 0x98_091A)
    private static let (focusAuto, focus): (UInt32, UInt32) = (0x9A_090C, 0x9A_090A)

    private func manual(_ values: [UInt32: Int64]) -> ManualSettings { ManualSettings { values[$0.rawValue] } }

    @Test("A manual or shutter-priority exposure holds; its unit is 100 microseconds")
    func byHand() {
        #expect(manual([Self.exposureMode: 1, Self.exposure: 156]).exposure == .microseconds(15_600))
        #expect(manual([Self.exposureMode: 2, Self.exposure: 1]).exposure == .microseconds(100))
        #expect(manual([Self.exposure: 10]).exposure == .milliseconds(1))
    }

    @Test("An automatic mode keeps changing it")
    func automatic() {
        #expect(manual([Self.exposureMode: 0, Self.exposure: 156]).exposure == nil)
        #expect(manual([Self.exposureMode: 3, Self.exposure: 156]).exposure == nil)
    }

    @Test("Impossible values are not trusted")
    func nonsense() {
        for units in [0, -5, 600_001, Int64.max] {
            #expect(manual([Self.exposureMode: 1, Self.exposure: units]).exposure == nil)
        }
        #expect(manual([Self.whiteBalanceAuto: 0, Self.whiteBalance: .max]).whiteBalance == nil)
    }

    @Test("A gain without a switch of its own changes with the automatic exposure")
    func gainOfAnAutomaticExposure() {
        #expect(manual([Self.exposureMode: 3, Self.exposure: 156, Self.gain: 9]).gain == nil)
        #expect(manual([Self.exposureMode: 1, Self.exposure: 156, Self.gain: 9]).gain == 9)
        #expect(manual([Self.gain: 9]).gain == 9)
    }

    @Test("White balance and focus have switches")
    func switches() {
        let automatic = manual([Self.whiteBalanceAuto: 1, Self.whiteBalance: 4600, Self.focusAuto: 1, Self.focus: 30])
        #expect(automatic == ManualSettings())
        let set = manual([Self.whiteBalanceAuto: 0, Self.whiteBalance: 4600, Self.focusAuto: 0, Self.focus: 30])
        #expect(set == ManualSettings(whiteBalance: 4600, focus: 30))
    }
}
