// SPDX-License-Identifier: MIT
// Neural nets, run on the caller's thread by LiteRT or XNNPACK.

import LivecapCNets

/// What runs nets. Its library is loaded when this is first made, and stays until the process ends.
package final class Nets {
    /// Who does the arithmetic.
    package enum Backend: String, Sendable, CaseIterable {
        /// LiteRT, of `livecap-effects`.
        case liteRT = "LiteRT"
        /// XNNPACK, of Debian's libxnnpack0.
        case xnnpack = "XNNPACK"
    }

    /// Which one runs.
    package let backend: Backend
    fileprivate let handle: OpaquePointer
    private let folders: [String]

    /// Loads LiteRT, or XNNPACK where that is not installed; or the one that is `wanted`.
    /// - Throws: `noRuntime`, `otherVersion`, `otherLibrary`, `noMemory`.
    package init(in folders: [String] = NetFolders.usual, wanted: Backend? = nil) throws(NetError) {
        self.folders = folders
        var lack = NetError.noRuntime(folders: folders)
        if wanted != .xnnpack {
            do throws(NetError) {
                handle = try Self.liteRT(in: folders)
                backend = .liteRT
                return
            } catch { lack = error }
        }
        guard wanted != .liteRT else { throw lack }
        do throws(NetError) { handle = try Self.xnnpack(folders) } catch {
            if case .noRuntime = error { throw lack }
            throw error
        }
        backend = .xnnpack
    }

    /// LiteRT, if one of the folders has it.
    private static func liteRT(in folders: [String]) throws(NetError) -> OpaquePointer {
        guard let file = NetFile.liteRT, let checked = try CheckedFile(file, inOneOf: folders) else {
            throw .noRuntime(folders: folders)
        }
        // The file that was checked, whatever has its name by now.
        var opened: OpaquePointer?
        try check(lc_nets_open_litert("/proc/self/fd/\(checked.descriptor)", &opened), file.name)
        guard let opened else { throw .failed(file.name) }
        return opened
    }

    private static func xnnpack(_ folders: [String]) throws(NetError) -> OpaquePointer {
        var opened: OpaquePointer?
        let status = lc_nets_open_xnnpack(&opened)
        guard status != LC_NETS_NO_LIBRARY else { throw .noRuntime(folders: folders) }
        try check(status, "libXNNPACK.so.0")
        guard let opened else { throw .failed("libXNNPACK.so.0") }
        return opened
    }

    deinit { lc_nets_close(handle) }

    /// Loads a net.
    /// - Throws: `noModel`, `otherVersion`, `failed`, `noMemory`.
    package func open(_ model: NetModel) throws(NetError) -> Net {
        guard let file = try CheckedFile(model.file, inOneOf: folders) else {
            throw .noModel(name: model.file.name, folders: folders)
        }
        return try Net(model, file, self)
    }

    fileprivate static func check(_ status: lc_nets_status, _ name: String) throws(NetError) {
        switch status {
        case LC_NETS_OK: break
        case LC_NETS_NO_LIBRARY, LC_NETS_OTHER_LIBRARY: throw .otherLibrary(name)
        case LC_NETS_NO_MEMORY: throw .noMemory
        default: throw .failed(name)
        }
    }
}

/// A net with its working memory. Used by one thread at a time.
package final class Net {
    /// Numbers that a net takes or gives.
    package struct Tensor {
        package let values: UnsafeMutableBufferPointer<Float>
        package let width: Int
        package let height: Int
        package let channels: Int

        init(_ tensor: lc_net_tensor) {
            values = UnsafeMutableBufferPointer(start: tensor.values, count: tensor.count)
            height = Int(tensor.dimensions.1)
            width = Int(tensor.dimensions.2)
            channels = Int(tensor.dimensions.3)
        }
    }

    /// Which net it is.
    package let model: NetModel
    /// What it takes: a picture.
    package let input: Tensor
    /// What it gives.
    package let outputs: [Tensor]
    private let handle: OpaquePointer
    private let nets: Nets
    /// The net reads its weights where they are.
    private let file: CheckedFile

    fileprivate init(_ model: NetModel, _ file: CheckedFile, _ nets: Nets) throws(NetError) {
        var opened: OpaquePointer?
        let status = lc_net_open(
            nets.handle, file.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), file.bytes.count, &opened)
        try Nets.check(status, model.rawValue)
        guard let opened else { throw .failed(model.rawValue) }
        self.model = model
        self.file = file
        self.nets = nets
        handle = opened
        input = Tensor(lc_net_input(opened))
        outputs = (0..<lc_net_output_count(opened)).map { Tensor(lc_net_output(opened, $0)) }
    }

    deinit { lc_net_close(handle) }

    /// Makes `outputs` of `input`. Returns false if that fails.
    package func run() -> Bool { lc_net_run(handle) == LC_NETS_OK }
}
