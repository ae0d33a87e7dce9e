// SPDX-License-Identifier: MIT
// A machine made by hand: folders in place of /sys and /dev, and answers in place of cameras.

import Foundation
import LivecapFiles
import LivecapFrames
import LivecapThreads

@testable import Camera

/// A machine whose cameras are folders. Removed after the test.
final class MachineTree: Sendable {
    let root: String
    private let answers = Guarded<[String: Result<CameraAnswers?, CameraError>]>([:])
    private let questions = Guarded<[String]>([])

    init() {
        root = makeTemporaryFolder("/tmp/livecap-machine-")!
        for folder in ["sys/class/video4linux", "sys/bus/usb", "sys/bus/platform", "dev/v4l/by-id", "dev/v4l/by-path"] {
            makeFolder(folder)
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    var directory: CameraDirectory { directory() }

    func directory(history: CameraHistory? = nil) -> CameraDirectory {
        CameraDirectory(sysfs: root + "/sys/class/video4linux", devices: root + "/dev", history: history) {
            (path, _) throws(CameraError) in
            self.questions.withLock { $0.append(String(path.dropFirst(self.root.count))) }
            guard let answer = self.answers.withLock({ $0[path] }) else {
                throw .noSuchDevice(path, available: [])
            }
            return try answer.get()
        }
    }

    /// The nodes that were opened, in order.
    var asked: [String] { questions.withLock { $0 } }

    func makeFolder(_ path: String) {
        try! FileManager.default.createDirectory(atPath: "\(root)/\(path)", withIntermediateDirectories: true)
    }

    func write(_ text: String, to path: String) {
        try! Data(text.utf8).write(to: URL(filePath: "\(root)/\(path)"))
    }

    func link(_ path: String, to target: String) {
        try? FileManager.default.removeItem(atPath: "\(root)/\(path)")
        try! FileManager.default.createSymbolicLink(atPath: "\(root)/\(path)", withDestinationPath: target)
    }

    func path(_ number: Int) -> String { "\(root)/dev/video\(number)" }

    /// What the camera at a node answers from now on.
    func answer(_ number: Int, _ answer: Result<CameraAnswers?, CameraError>) {
        let path = path(number)
        answers.withLock { $0[path] = answer }
    }

    /// Connects a function of a USB camera, as the kernel and udev would.
    func plug(
        _ number: Int, port: String = "2", bus: Int = 1, controller: String = "0000:00:14.0",
        model: String = "046d:0825",
        serial: String? = nil, interface: String = "00", index: Int = 0, removable: String = "removable",
        name: String = "HD Webcam", formats: [PixelFormat] = [.mjpeg], controls: [CameraControl] = [],
        driver: String? = "uvcvideo"
    ) {
        let device = "sys/devices/pci0000:00/\(controller)/usb\(bus)/\(bus)-\(port)"
        let parent = "\(device)/\(bus)-\(port):1.\(Int(interface) ?? 0)"
        let ids = model.split(separator: ":")
        makeFolder(parent)
        write("\(ids[0])\n", to: device + "/idVendor")
        write("\(ids[1])\n", to: device + "/idProduct")
        write("\(removable)\n", to: device + "/removable")
        if let serial { write(serial + "\n", to: device + "/serial") }
        write(interface + "\n", to: parent + "/bInterfaceNumber")
        link(parent + "/subsystem", to: root + "/sys/bus/usb")
        if let driver {
            makeFolder("sys/bus/usb/drivers/\(driver)")
            link(parent + "/driver", to: root + "/sys/bus/usb/drivers/\(driver)")
        }
        let offers = formats.map {
            FormatOffer(pixelFormat: $0, size: FrameSize(width: 1280, height: 720), rates: [FrameRate(30)])
        }
        let answers = CameraAnswers(
            name: name, bus: "usb-mock", driver: "uvcvideo", offers: offers, controls: controls)
        answer(number, .success(answers))
        // Last, because a thread that follows the nodes asks at once.
        addNode(number, parent: parent, index: index, name: name)
    }

    /// A node of a device of any bus.
    func addNode(_ number: Int, parent: String?, index: Int = 0, name: String = "HD Webcam") {
        let node = "\(parent ?? "sys/devices/virtual")/video4linux/video\(number)"
        makeFolder(node)
        if let parent { link(node + "/device", to: "\(root)/\(parent)") }
        write("\(index)\n", to: node + "/index")
        write(name + "\n", to: node + "/name")
        link("sys/class/video4linux/video\(number)", to: "\(root)/\(node)")
        write("", to: "dev/video\(number)")
    }

    func unplug(_ number: Int) {
        try? FileManager.default.removeItem(atPath: "\(root)/sys/class/video4linux/video\(number)")
        try? FileManager.default.removeItem(atPath: path(number))
    }
}
