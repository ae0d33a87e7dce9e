// SPDX-License-Identifier: MIT
// What goes on in a ring when its source is gone, or is to be replaced.

import LivecapThreads

/// Decides which source goes on in a ring in place of the present one. A class, so that asking it before each frame
/// costs no reference counting.
protocol Succession: AnyObject {
    /// Whether another source is to go on now, although the present one is there.
    var isSuperseded: Bool { get }

    /// The folder of device nodes in which the source appears when it returns; nil if it is no device node.
    var nodes: String? { get }

    /// Raises `event` from now on whenever another source may have become available. Returns false if it cannot.
    func reportArrivals(by event: WakeEvent) -> Bool

    /// Whether there is a source that could not be used when it was tried last.
    var hasSource: Bool { get }

    /// Opens the source again, or another one, to deliver by the same transport as before.
    /// - Throws: why there is none (yet).
    func open(_ transport: Transport?) throws(CameraError) -> any JoiningSource

    /// Whether another source can go on after that error of the present one.
    func replaces(after error: CameraError) -> Bool

    /// Whether to look again after that error of a source that was opened.
    func goesOn(after error: CameraError) -> Bool
}

/// The same source, once it is back.
final class SameSource: Succession {
    private let openAgain: (_ transport: Transport?) throws(CameraError) -> any JoiningSource
    let nodes: String?
    let hasSource = false

    /// A source that `open` finds again, among the device nodes of a folder if it has one.
    init(
        among nodes: String? = nil,
        open: @escaping (_ transport: Transport?) throws(CameraError) -> any JoiningSource
    ) {
        self.nodes = nodes
        openAgain = open
    }

    var isSuperseded: Bool { false }

    func reportArrivals(by event: WakeEvent) -> Bool { false }
    func open(_ transport: Transport?) throws(CameraError) -> any JoiningSource { try openAgain(transport) }
    func replaces(after error: CameraError) -> Bool { false }
    func goesOn(after error: CameraError) -> Bool { error.mayPass }
}

extension CameraError {
    /// Whether a camera that is being waited for may be usable a moment later.
    var mayPass: Bool {
        switch self {
        case .noSuchDevice, .permissionDenied, .busy, .disconnected, .notACamera, .driver, .streamFailed, .noBandwidth:
            true
        default: false
        }
    }

    /// Whether another camera may do better.
    var isOfCamera: Bool {
        switch self {
        case .noMemory, .shortage, .tooLittleMemory, .badSettings, .file, .sourceFailed: false
        default: true
        }
    }
}
