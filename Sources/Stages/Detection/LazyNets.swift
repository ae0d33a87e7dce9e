// SPDX-License-Identifier: MIT
// What runs nets, loaded when the first of them is needed.

/// What runs nets, which is not loaded before it is needed. Used by one thread at a time.
package final class LazyNets {
    private let folders: [String]
    private let wanted: Nets.Backend?
    private var nets: Nets?

    /// LiteRT, or XNNPACK where that is not installed; or the one that is `wanted`.
    package init(in folders: [String] = NetFolders.usual, wanted: Nets.Backend? = nil) {
        self.folders = folders
        self.wanted = wanted
    }

    /// What runs nets, loaded now if it was not before.
    /// - Throws: what `Nets` throws.
    package func opened() throws(NetError) -> Nets {
        if let nets { return nets }
        let opened = try Nets(in: folders, wanted: wanted)
        nets = opened
        return opened
    }
}
