// SPDX-License-Identifier: MIT
// Which camera a name means. One that fits several is refused, and never decided by chance.

extension String {
    /// A driver's name of a camera without its repetition. uvcvideo joins the names of the device and of its function,
    /// often the same one, and cuts that off after 31 bytes: "Integrated Camera: Integrated C".
    var saidOnce: String {
        guard let colon = firstRange(of: ": ") else { return self }
        let (first, second) = (self[..<colon.lowerBound], self[colon.upperBound...])
        let isCut = utf8.count == 31 && !second.isEmpty
        return first == second || isCut && first.hasPrefix(second) ? String(first) : self
    }
}

extension [CameraRecord] {
    /// The camera that `name` means, of cameras in the order of preference; nil if none has the name.
    /// - Throws: `ambiguousName` if several have it.
    func camera(named name: String) throws(CameraError) -> CameraRecord? {
        if name == "auto" { return first }
        if let exact = first(where: { $0.identity == name || $0.path.hasSuffix("/" + name) }) { return exact }
        if let other = try onlyDevice(named: name, { $0.otherNames.contains(name) }) { return other }
        let wanted = name.lowercased()
        if let whole = try onlyDevice(named: name, { $0.name.lowercased() == wanted }) { return whole }
        return try onlyDevice(named: name) { $0.name.lowercased().contains(wanted) }
    }

    /// The camera that fits. Of several functions of one device, such as colour and infrared, the preferred one.
    private func onlyDevice(
        named name: String, _ fits: (CameraRecord) -> Bool
    ) throws(CameraError) -> CameraRecord? {
        let fitting = filter(fits)
        guard Set(fitting.map(\.device)).count > 1 else { return fitting.first }
        throw .ambiguousName(name, cameras: fitting.map { "\($0.identity) at \($0.path)" })
    }
}
