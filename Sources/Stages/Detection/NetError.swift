// SPDX-License-Identifier: MIT
// Why a net cannot be used.

import LivecapThreads

/// Why pictures cannot be understood.
package enum NetError: ExplainedError, Hashable, Sendable {
    /// None of the folders has the model.
    case noModel(name: String, folders: [String])
    /// The file is damaged, or of another version.
    case otherVersion(path: String)
    /// There is nothing that could run a net.
    case noRuntime(folders: [String])
    /// A library that could is there, but lacks what is needed of it.
    case otherLibrary(String)
    /// The runtime does not take the net, or cannot run it.
    case failed(String)
    /// There is not enough memory.
    case noMemory
}

extension NetError {
    package var message: String {
        switch self {
        case .noModel(let name, let folders):
            "the model of a neural net is not installed: no \(name) in \(folders.joined(separator: ", "))"
        case .otherVersion(let path): "\(path) is damaged, or of another version"
        case .noRuntime(let folders):
            "nothing is installed that runs neural nets: no libLiteRt.so in \(folders.joined(separator: ", ")), "
                + "and no libXNNPACK.so.0"
        case .otherLibrary(let name): "\(name) is of a version that cannot be used"
        case .failed(let name): "the neural net \(name) cannot be run"
        case .noMemory: "not enough memory for a neural net"
        }
    }

    package var hint: String {
        switch self {
        case .noModel, .noRuntime, .failed:
            "install the package livecap-effects, or run 'make effects' in livecap's source folder"
        case .otherVersion:
            "remove it, and install the package livecap-effects of this version or run 'make effects'"
        case .otherLibrary: "install the package livecap-effects"
        case .noMemory: "allow more memory"
        }
    }
}
