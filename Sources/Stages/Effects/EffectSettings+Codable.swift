// SPDX-License-Identifier: MIT
// Effects among the settings of a photo, as their list.

extension EffectSettings: Codable {
    /// Reads a list.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer(), list = try container.decode(String.self)
        guard let settings = EffectSettings(list: list) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no list of effects: \(list)")
        }
        self = settings
    }

    /// Writes a list.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(list)
    }
}
