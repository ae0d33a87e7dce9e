// SPDX-License-Identifier: MIT
// Figures in the text format of Prometheus.

import LivecapHTTP

/// Figures for those who watch over machines.
struct Metrics {
    private let text: String

    /// Each with its name, its kind, what it means, and its value.
    init(_ figures: [(name: String, kind: String, help: String, value: Double)]) {
        text = figures.map { figure in
            "# HELP \(figure.name) \(figure.help)\n# TYPE \(figure.name) \(figure.kind)\n\(figure.name) \(figure.value)\n"
        }.joined()
    }

    var response: HTTPResponse {
        HTTPResponse(type: "text/plain; version=0.0.4; charset=utf-8", .bytes(Array(text.utf8)))
            .with("Cache-Control", "no-store")
    }
}
