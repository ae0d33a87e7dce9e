// SPDX-License-Identifier: MIT
// What a camera answers when it is opened and asked.

/// The answers of a camera at a node.
struct CameraAnswers: Hashable, Sendable {
    var name: String
    var bus: String
    var driver: String
    var offers: [FormatOffer]
    var controls: [CameraControl] = []
    var trouble: CameraError?
}

extension CameraAnswers {

    /// Opens the node at `path` and asks. Nil if it delivers no video. With `waits`, a new node is given time to get
    /// its permissions.
    static func ask(_ path: String, waits: Bool) throws(CameraError) -> CameraAnswers? {
        let device = try V4L2Device(path: path, waitsForPermission: waits)
        let capabilities = try device.capabilities()
        guard capabilities.isCamera || capabilities.isMultiPlanar else { return nil }
        return CameraAnswers(device, capabilities)
    }

    /// Asks an open camera.
    init(_ device: borrowing V4L2Device, _ capabilities: Capabilities) {
        let isMultiPlanar = capabilities.isMultiPlanar
        self.init(
            name: capabilities.card, bus: capabilities.bus, driver: capabilities.driver,
            offers: isMultiPlanar ? [] : device.offers(), controls: (try? device.controls()) ?? [],
            trouble: isMultiPlanar
                ? .notSupported(path: device.path, detail: "it uses the multi-planar API") : nil)
    }

    /// Of a camera that could not be asked.
    init(name: String, trouble: CameraError) {
        self.init(name: name, bus: "", driver: "", offers: [], trouble: trouble)
    }
}
