// SPDX-License-Identifier: MIT
// Reads the kernel's accounts of pressure (PSI) and its thermal zones.

import Camera
import LivecapFrames

/// Reads pressure from `/proc/pressure` and `/sys/class/thermal`, below a root of one's own in tests. What is missing
/// or makes no sense counts as no pressure: containers and old kernels lack some of it.
struct PressureReader: Sendable {
    let root: String

    /// The kernel's names of the resources it accounts for.
    static let accounts: [(resource: SystemPressure.Resource, name: String)] = [
        (.memory, "memory"), (.processor, "cpu"), (.io, "io"),
    ]

    /// The share of ten seconds, in percent, from which waiting counts as fair, serious and critical. Waiting for
    /// memory is thrashing. Processors may be busy all the time without harm, also with photos.
    private static let limits: [SystemPressure.Resource: [Double]] = [
        .memory: [5, 20, 50], .processor: [50, 75, 90], .io: [30, 60, 85],
    ]

    /// The file with the kernel's account.
    func path(of account: String) -> String { "\(root)/proc/pressure/\(account)" }

    /// The present causes of pressure, the strongest first.
    var factors: [SystemPressure.Factor] {
        (Self.accounts.compactMap { stall($0.resource, $0.name) } + heat).sorted { $0.level > $1.level }
    }

    private func stall(_ resource: SystemPressure.Resource, _ name: String) -> SystemPressure.Factor? {
        guard let share = SystemFiles.text(path(of: name)).flatMap(Self.share) else { return nil }
        let level = Self.level(share, Self.limits[resource] ?? [])
        let cause = resource == .io ? "disks" : resource == .processor ? "a processor" : "memory"
        return level.map {
            SystemPressure.Factor(
                resource: resource, level: $0,
                words: "processes wait for \(cause) \(Int(share.rounded())) % of the time")
        }
    }

    /// The share of the last ten seconds, in percent, in which some process waited: `avg10` of the line `some`.
    static func share(_ account: String) -> Double? {
        for line in account.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.first == "some", let word = words.first(where: { $0.hasPrefix("avg10=") }),
                let share = Double(word.dropFirst(6)), (0...100).contains(share)
            else { continue }
            return share
        }
        return nil
    }

    /// The level of a value by the limits of fair, serious and critical; nil below all.
    private static func level(_ value: Double, _ limits: [Double]) -> SystemPressure.Level? {
        let count = limits.count { value >= $0 }
        return count == 0 ? nil : SystemPressure.Level.allCases[count]
    }

    // MARK: Temperatures

    private var heat: [SystemPressure.Factor] {
        let folder = "\(root)/sys/class/thermal"
        return SystemFiles.names(in: folder).filter { $0.hasPrefix("thermal_zone") }
            .compactMap { heat(of: "\(folder)/\($0)") }
    }

    /// The pressure of a thermal zone: fair 5 degrees below the temperature at which the kernel slows the machine down,
    /// serious from there on, critical 5 degrees below that at which it switches off.
    private func heat(of zone: String) -> SystemPressure.Factor? {
        guard let now = degrees("\(zone)/temp") else { return nil }
        var (slow, off) = (Double.infinity, Double.infinity)
        for name in SystemFiles.names(in: zone) where name.hasPrefix("trip_point_") && name.hasSuffix("_temp") {
            guard let limit = degrees("\(zone)/\(name)") else { continue }
            switch SystemFiles.text("\(zone)/\(name.dropLast(4))type") {
            case "passive": slow = min(slow, limit)
            case "hot", "critical": off = min(off, limit)
            default: break
            }
        }
        // A zone whose only limit is that at which the machine switches off is slowed down before, if by nothing else.
        slow = min(slow, off - 10)
        return Self.level(now, [slow - 5, slow, off - 5].sorted()).map {
            let name = SystemFiles.text("\(zone)/type") ?? "a sensor"
            return SystemPressure.Factor(
                resource: .temperature, level: $0, words: "\(name) has \(Int(now.rounded())) °C")
        }
    }

    /// A temperature in degrees Celsius. Zones without a sensor report nonsense.
    private func degrees(_ path: String) -> Double? {
        guard let text = SystemFiles.text(path), let thousandths = Double(text), (1...200_000).contains(thousandths)
        else { return nil }
        return thousandths / 1000
    }
}
