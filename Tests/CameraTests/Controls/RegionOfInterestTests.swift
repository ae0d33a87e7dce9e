// SPDX-License-Identifier: MIT
// Parts of pictures as parts of the sensor, and which cameras let their exposure be taken over.

import LivecapFrames
import Testing

@testable import Camera

@Suite struct RegionOfInterestTests {
    private func region(_ whole: RegionOfInterest.Area, least: Int = 1) -> RegionOfInterest {
        RegionOfInterest(
            area: whole, functions: [], possible: [.exposure], whole: whole,
            smallest: .init(width: least, height: least))
    }

    private func box(_ x: Float, _ y: Float, _ width: Float, _ height: Float) -> PictureBox {
        PictureBox(origin: PicturePoint(x: x, y: y), width: width, height: height)
    }

    @Test func aPictureOfTheSameShapeIsScaled() {
        let area = region(.init(width: 1920, height: 1080)).area(
            of: box(0.25, 0.5, 0.5, 0.25), inPicturesOf: FrameSize(width: 640, height: 360))
        #expect(area == .init(left: 480, top: 540, width: 960, height: 270))
    }

    @Test func aWidePictureIsTheMiddleOfTheSensor() {
        let area = region(.init(left: 8, top: 4, width: 1600, height: 1200)).area(
            of: box(0, 0, 1, 1), inPicturesOf: FrameSize(width: 1280, height: 720))
        #expect(area == .init(left: 8, top: 154, width: 1600, height: 900))
    }

    @Test func aFaceAtTheEdgeStaysInside() {
        let whole = RegionOfInterest.Area(width: 1000, height: 1000)
        let size = FrameSize(width: 500, height: 500)
        #expect(
            region(whole).area(of: box(-0.1, 0.9, 0.3, 0.3), inPicturesOf: size)
                == .init(left: 0, top: 900, width: 200, height: 100))
        #expect(
            region(whole, least: 400).area(of: box(0.95, 0.5, 0.1, 0.1), inPicturesOf: size)
                == .init(left: 600, top: 350, width: 400, height: 400))
        let outside = region(whole).area(of: box(2, 2, 1, 1), inPicturesOf: size)
        #expect(outside.left + outside.width <= 1000 && outside.width >= 1)
    }
}

@Suite struct ExposureControlsTests {
    private func control(
        _ id: UInt32, _ kind: CameraControl.Kind, _ range: ClosedRange<Int64>, _ value: Int64?
    ) -> CameraControl {
        CameraControl(
            id: .init(rawValue: id), name: "c\(id)", kind: kind, minimum: range.lowerBound, maximum: range.upperBound,
            step: 1, defaultValue: range.lowerBound, value: value, isInactive: false, isReadOnly: false)
    }

    private func camera(mode: Int64?, gain: Int64? = 5, autogain: Int64? = nil) -> [CameraControl] {
        [control(0x9A_0902, .integer, 3...2047, 100), control(0x98_0913, .integer, 0...100, gain)]
            + (mode.map { [control(0x9A_0901, .menu([1: "Manual", 3: "Aperture"]), 0...3, $0)] } ?? [])
            + (autogain.map { [control(0x98_0912, .boolean, 0...1, $0)] } ?? [])
    }

    @Test func onlyAnAutomaticExposureIsTakenOver() throws {
        let controls = try #require(ExposureControls(camera(mode: 3)))
        #expect(controls.automatic == 3 && controls.manual == 1 && controls.gain?.value == 5)
        #expect(ExposureControls(camera(mode: 1)) == nil)
        #expect(ExposureControls(camera(mode: nil)) == nil)
        #expect(ExposureControls([]) == nil)
    }

    @Test func aGainThatTheCameraTurnsStaysItsOwn() {
        #expect(ExposureControls(camera(mode: 3, autogain: 1))?.gain == nil)
        #expect(ExposureControls(camera(mode: 3, autogain: 0))?.gain != nil)
    }

    @Test func modesAreRead() {
        #expect(camera(mode: 3).exposureIsAutomatic && !camera(mode: 1).exposureIsAutomatic)
        #expect(!camera(mode: 3).focusIsAutomatic)
        #expect([control(0x9A_090C, .boolean, 0...1, 1)].focusIsAutomatic)
    }
}
