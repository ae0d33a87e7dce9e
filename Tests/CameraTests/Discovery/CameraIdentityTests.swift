// SPDX-License-Identifier: MIT
// Identities of cameras and the names they answer to, on machines made by hand.

import LivecapFrames
import Testing

@testable import Camera

@Suite struct CameraIdentityTests {
    private let machine = MachineTree()
    private func identities() -> [Int: String] {
        let nodes = machine.directory.cameras().map { (Int($0.path.drop { !$0.isNumber }.suffix(1))!, $0.identity) }
        return Dictionary(uniqueKeysWithValues: nodes)
    }
    /// By the number of the node.
    private func camera(_ number: Int) throws -> CameraRecord {
        try #require(machine.directory.cameras().first { $0.path == machine.path(number) })
    }

    @Test func aSerialNumberMakesTheIdentity() throws {
        machine.plug(0, port: "2.4", serial: "0EDF1234")
        let here = try camera(0)
        #expect(here.identity == "usb-046d:0825-serial-0EDF1234-if00" && !here.isTiedToPort)
        machine.unplug(0)
        machine.plug(3, port: "1", bus: 2, serial: "0EDF1234")
        #expect(try camera(3).identity == here.identity)
    }

    @Test func withoutASerialNumberThePortDoes() throws {
        machine.plug(0, port: "2.4")
        let camera = try camera(0)
        #expect(camera.identity == "usb-046d:0825-port-0000:00:14.0-0:2.4-if00" && camera.isTiedToPort)
    }

    @Test func anotherNumberOfTheBusIsTheSamePort() throws {
        machine.plug(0, port: "2.4", bus: 5)
        #expect(try camera(0).identity == "usb-046d:0825-port-0000:00:14.0-0:2.4-if00")
    }

    @Test func theBusesOfAControllerDiffer() {
        machine.plug(0, port: "2", bus: 1)
        machine.plug(1, port: "2", bus: 2)
        #expect(Set(identities().values).count == 2)
    }

    @Test(arguments: ["", "   ", "0", "000000000", "----", "SN0001", "01.00.00", "200901010001"])
    func aSerialNumberOfNobodyIsNotTrusted(_ serial: String) throws {
        machine.plug(0, serial: serial)
        #expect(try camera(0).isTiedToPort)
    }

    @Test func twinsAreNamedByTheirPorts() throws {
        machine.plug(0, port: "1", serial: "ABC1")
        machine.plug(2, port: "3", serial: "ABC1")
        #expect(
            identities() == [
                0: "usb-046d:0825-port-0000:00:14.0-0:1-if00", 2: "usb-046d:0825-port-0000:00:14.0-0:3-if00",
            ])
        #expect(try camera(0).isTiedToPort && camera(2).isTiedToPort)
        // Plugged in in another order, each port keeps its name.
        machine.unplug(0)
        machine.unplug(2)
        machine.plug(0, port: "3", serial: "ABC1")
        machine.plug(2, port: "1", serial: "ABC1")
        #expect(identities()[2] == "usb-046d:0825-port-0000:00:14.0-0:1-if00")
    }

    @Test func theSerialNumberOfTwinsIsAmbiguous() throws {
        machine.plug(0, port: "1", serial: "ABC1")
        let alone = try camera(0).identity
        machine.plug(2, port: "3", serial: "ABC1")
        #expect(
            throws: CameraError.ambiguousName(
                alone,
                cameras: [
                    "usb-046d:0825-port-0000:00:14.0-0:1-if00 at \(machine.path(0))",
                    "usb-046d:0825-port-0000:00:14.0-0:3-if00 at \(machine.path(2))",
                ])
        ) { try machine.directory.camera(named: alone) }
    }

    @Test func theNameByPortStaysWhenTheTwinHasGone() throws {
        machine.plug(0, port: "1", serial: "ABC1")
        let found = try machine.directory.camera(named: "usb-046d:0825-port-0000:00:14.0-0:1-if00")
        #expect(found.path == machine.path(0))
    }

    @Test func functionsOfOneDeviceDiffer() throws {
        machine.plug(0, serial: "ABC1", interface: "00")
        machine.plug(2, serial: "ABC1", interface: "02", formats: [.grey])
        machine.plug(4, serial: "ABC1", interface: "00", index: 2, formats: [.grey])
        #expect(
            identities() == [
                0: "usb-046d:0825-serial-ABC1-if00", 2: "usb-046d:0825-serial-ABC1-if02",
                4: "usb-046d:0825-serial-ABC1-if00-node2",
            ])
    }

    @Test func aHostileSerialNumberIsMadeHarmless() throws {
        machine.plug(0, serial: "a b/../$(x)\u{1B}[2J\u{e9}")
        #expect(try camera(0).identity == "usb-046d:0825-serial-a_b_.._$(x)__2J_-if00".replacing("$(x)", with: "__x_"))
    }

    @Test func otherBusesNameTheirDevices() throws {
        machine.makeFolder("sys/devices/platform/vivid.0")
        machine.link("sys/devices/platform/vivid.0/subsystem", to: machine.root + "/sys/bus/platform")
        machine.addNode(0, parent: "sys/devices/platform/vivid.0")
        machine.addNode(1, parent: nil)
        for number in 0...1 {
            machine.answer(number, .success(CameraAnswers(name: "v", bus: "b", driver: "d", offers: [])))
        }
        #expect(identities() == [0: "platform-vivid.0", 1: "node-video1"])
    }

    @Test func udevChangesNothing() throws {
        machine.plug(0, serial: "ABC1")
        let without = try camera(0).identity
        machine.link("dev/v4l/by-id/usb-Maker_HD_Webcam_ABC1-video-index0", to: machine.path(0))
        #expect(try camera(0).identity == without)
    }

    @Test(
        "Names of other kinds find the camera",
        arguments: [
            "video2", "usb-Maker_HD_Webcam_ABC1-video-index0", "pci-0000:00:14.0-usb-0:3:1.0-video-index0",
            "usb-046d-0825-ABC1", "Deep Eye", "deep eye", "eep", "usb-046d:0825-port-0000:00:14.0-0:3-if00",
        ])
    func otherNames(_ name: String) throws {
        machine.plug(0, port: "1", serial: "XYZ9")
        machine.plug(2, port: "3", serial: "ABC1", name: "Deep Eye")
        machine.link("dev/v4l/by-id/usb-Maker_HD_Webcam_ABC1-video-index0", to: machine.path(2))
        machine.link("dev/v4l/by-path/pci-0000:00:14.0-usb-0:3:1.0-video-index0", to: machine.path(2))
        #expect(try machine.directory.camera(named: name).path == machine.path(2))
    }

    @Test func aNameOfTwoCamerasIsRefused() {
        machine.plug(0, port: "1", serial: "ABC1")
        machine.plug(2, port: "3", serial: "XYZ9")
        for name in ["HD Webcam", "webcam"] {
            #expect(
                throws: CameraError.ambiguousName(
                    name,
                    cameras: [
                        "usb-046d:0825-serial-ABC1-if00 at \(machine.path(0))",
                        "usb-046d:0825-serial-XYZ9-if00 at \(machine.path(2))",
                    ])
            ) { try machine.directory.camera(named: name) }
        }
    }

    @Test func aNameOfTwoFunctionsOfOneDeviceMeansTheColourCamera() throws {
        machine.plug(0, serial: "ABC1", interface: "00", formats: [.grey])
        machine.plug(2, serial: "ABC1", interface: "02")
        #expect(try machine.directory.camera(named: "webcam").path == machine.path(2))
    }

    @Test func anIdentityIsTheSameWithoutPermission() throws {
        machine.plug(0, serial: "ABC1")
        let allowed = try camera(0).identity
        machine.answer(0, .failure(.permissionDenied(path: machine.path(0), group: "video")))
        #expect(try camera(0).identity == allowed)
    }

    @Test func aNodeIsFoundWithoutOpeningOtherCameras() throws {
        machine.plug(0, port: "1", serial: "ABC1")
        machine.plug(2, port: "3", serial: "ABC1")
        let found = try machine.directory.camera(named: machine.path(2))
        #expect(machine.asked == ["/dev/video2"])
        #expect(found.identity == "usb-046d:0825-port-0000:00:14.0-0:3-if00")
    }

    @Test(
        "Only cameras that a name can mean are opened for it",
        arguments: [
            ("usb-046d:0825-serial-ABC1-if00", ["/dev/video2"]), ("video2", ["/dev/video2"]),
            ("usb-046d-0825-ABC1", ["/dev/video2"]), ("Deep Eye", ["/dev/video2", "/dev/video4"]),
            ("eep", ["/dev/video2", "/dev/video4"]), ("HD Webcam", ["/dev/video0", "/dev/video4"]),
        ])
    func fewAreOpened(_ name: String, asked: [String]) throws {
        machine.plug(0, port: "1", serial: "XYZ9")
        machine.plug(2, port: "3", serial: "ABC1", name: "Deep Eye")
        // Other drivers give nodes names of their own.
        machine.plug(4, port: "4", serial: "DEF2", name: "Other", driver: nil)
        #expect(try machine.directory.camera(named: name).path == machine.path(name == "HD Webcam" ? 0 : 2))
        #expect(machine.asked == asked)
    }

    @Test func aNameOfTwoCamerasIsRefusedAlsoIfOthersAreNotAsked() {
        machine.plug(0, port: "1", serial: "ABC1")
        machine.plug(2, port: "3", serial: "XYZ9")
        machine.plug(4, port: "4", serial: "DEF2", name: "Other")
        #expect(
            throws: CameraError.ambiguousName(
                "webcam",
                cameras: [
                    "usb-046d:0825-serial-ABC1-if00 at \(machine.path(0))",
                    "usb-046d:0825-serial-XYZ9-if00 at \(machine.path(2))",
                ])
        ) { try machine.directory.camera(named: "webcam") }
        #expect(machine.asked == ["/dev/video0", "/dev/video2"])
    }

    @Test func aNameThatNoneHasListsAll() {
        machine.plug(0, port: "1", serial: "ABC1")
        machine.plug(2, port: "3", serial: "XYZ9")
        let all = [0, 2].map { "\(machine.path($0)) (HD Webcam)" }
        #expect(throws: CameraError.noSuchDevice("x", available: all)) { try machine.directory.camera(named: "x") }
    }

    @Test(
        "A name that the driver says twice is said once",
        arguments: [
            ("Lab A: Lab A", "Lab A"), ("Integrated Camera: Integrated C", "Integrated Camera"),
            ("Eye: Depth", "Eye: Depth"), ("Eye: E", "Eye: E"), ("Eye", "Eye"), ("Eye: ", "Eye: "),
        ])
    func namesAreSaidOnce(_ said: String, _ once: String) { #expect(said.saidOnce == once) }

    @Test func theNameAsTheDriverSaysItIsAName() throws {
        machine.plug(0, port: "1", serial: "ABC1", name: "Lab A: Lab A")
        machine.answer(
            0, .success(CameraAnswers(name: "Lab A", bus: "usb-mock", driver: "uvcvideo", offers: [])))
        machine.plug(2, port: "3", serial: "XYZ9", name: "Lab B")
        #expect(try machine.directory.camera(named: "Lab A: Lab A").name == "Lab A")
    }

    @Test(
        "A camera behind a hub that can be unplugged, or on a network, is external",
        arguments: [
            ("unknown", "removable", "0000:00:14.0", CameraPosition.external),
            ("unknown", "unknown", "0000:00:14.0", .unknown), ("fixed", "removable", "0000:00:14.0", .external),
            ("removable", "fixed", "0000:00:14.0", .external), ("fixed", "unknown", "0000:00:14.0", .builtIn),
            ("unknown", "unknown", "vhci_hcd.0", .external),
        ])
    func whereACameraIs(own: String, hub: String, controller: String, position: CameraPosition) throws {
        machine.plug(0, port: "2/1-2.4", controller: controller, removable: own)
        machine.write("\(hub)\n", to: "sys/devices/pci0000:00/\(controller)/usb1/1-2/removable")
        #expect(try camera(0).position == position)
    }

    @Test func twentyCamerasHaveTwentyIdentities() {
        for number in 0..<20 { machine.plug(number, port: "1.\(number + 1)", serial: number < 10 ? "ABC1" : nil) }
        #expect(Set(machine.directory.cameras().map(\.identity)).count == 20)
    }
}
