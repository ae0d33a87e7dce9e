// SPDX-License-Identifier: MIT
// A row of the tables in docs/faults.md: how a recording with a fault must end, there and in truth.

import Foundation
import Testing

/// The expected end of a recording with a fault.
struct FaultRow: CustomTestStringConvertible, Sendable {
    /// The name of the row in docs/faults.md.
    let name: String
    var status: Int32 = 0
    var code: String?
    var testDescription: String { name }

    /// Checks how the program ended, and that the table says the same.
    func expect(_ outcome: Lab.Outcome) throws {
        #expect(outcome.status == status, "\(name): \(outcome.output) \(outcome.errors)")
        let codes = try Livecap.reports(outcome).compactMap(\.code)
        #expect(codes == [code].compactMap(\.self))
        let table = try String(contentsOfFile: "docs/faults.md", encoding: .utf8).split(separator: "\n")
        let line = try #require(table.first { $0.hasPrefix("| \(name) |") }, "no row '\(name)'")
        #expect(line.contains("| \(status)\(code.map { " `\($0)`" } ?? "") |"), "\(line)")
    }
}
