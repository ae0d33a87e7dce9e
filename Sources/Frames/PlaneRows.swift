// SPDX-License-Identifier: MIT
// The rows of one plane of a picture, lent for as long as its bytes are.

/// One plane of a picture, row by row.
///
/// ```swift
/// lease.withPlane(0) { rows in
///     for y in 0..<rows.count { brightest = max(brightest, rows[y][0]) }
/// }
/// ```
public struct PlaneRows: ~Escapable {
    private let bytes: RawSpan
    private let stride: Int
    /// The number of rows.
    public let count: Int
    /// The number of bytes of each row, without padding.
    public let rowBytes: Int

    /// The rows of a plane in the bytes of its frame. The bytes must hold all of them.
    @_lifetime(copy bytes)
    package init(_ plane: Plane, in bytes: RawSpan) {
        self.bytes = bytes.extracting(plane.offset..<plane.usedEnd)
        stride = plane.stride
        rowBytes = plane.rowBytes
        count = plane.rows
    }

    /// A row's samples of 8 bits, or its bytes if samples are wider.
    public subscript(row: Int) -> Span<UInt8> {
        @_lifetime(copy self)
        get { Span(_bytes: bytes(ofRow: row)) }
    }

    /// A row's samples of 16 bits, as formats with more than 8 bits have them. The plane must begin at an even address,
    /// as those of frames do.
    @_lifetime(copy self)
    public func words(_ row: Int) -> Span<UInt16> { Span(_bytes: bytes(ofRow: row)) }

    @_lifetime(copy self)
    private func bytes(ofRow row: Int) -> RawSpan {
        precondition(row >= 0 && row < count, "row \(row) of \(count)")
        return bytes.extracting(row * stride..<row * stride + rowBytes)
    }
}
