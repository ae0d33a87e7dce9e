// SPDX-License-Identifier: MIT
// H.264 frames as fragmented MP4 (ISO/IEC 14496-12 and -15), one frame a fragment, for Media Source.

const parameterKinds = { sequence: 7, picture: 8 };
/// What a container says elsewhere, or need not say: parameters, and marks between frames.
const leftOut = new Set([7, 8, 9, 12]);
/// Of all times, per second.
const timescale = 1000;

/// The units of a frame in the byte stream of ITU-T H.264, Annex B, without their start codes.
export function units(bytes) {
  const begins = [];
  for (let at = 0; at + 2 < bytes.length; at += 1) {
    if (bytes[at + 2] > 1) at += 2;
    else if (bytes[at] === 0 && bytes[at + 1] === 0 && bytes[at + 2] === 1) begins.push(at + 3);
  }
  return begins.map((begin, index) => {
    let end = index + 1 < begins.length ? begins[index + 1] - 3 : bytes.length;
    // Zeros before a start code are no part of the unit.
    while (end > begin && bytes[end - 1] === 0) end -= 1;
    return bytes.subarray(begin, end);
  }).filter(unit => unit.length);
}

const u8 = (...values) => Uint8Array.from(values);
const u16 = (...values) => u8(...values.flatMap(value => [value >> 8, value]));
const u32 = (...values) => u8(...values.flatMap(value => [value >>> 24, value >>> 16, value >>> 8, value]));
const zeros = count => new Uint8Array(count);
const ascii = text => Uint8Array.from(text, letter => letter.charCodeAt(0));

/// All parts, one after the other.
export function joined(parts) {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const box = (type, ...parts) =>
  joined([u32(8 + parts.reduce((sum, { length }) => sum + length, 0)), ascii(type), ...parts]);
/// A box with a version and flags.
const full = (type, version, flags, ...parts) => box(type, u32(version << 24 | flags), ...parts);

const matrix = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);

/// What comes before all fragments, with the parameters of a key frame; null if that has none. There is no length, by
/// which browsers know that frames come live, and keep none back.
export function beginning(frame, width, height) {
  const all = units(frame), having = kind => all.filter(unit => (unit[0] & 0x1f) === kind);
  const sequences = having(parameterKinds.sequence), pictures = having(parameterKinds.picture);
  if (!sequences.length || !pictures.length || sequences[0].length < 4) return null;
  const lists = (marks, sets) => [u8(marks | sets.length), ...sets.flatMap(set => [u16(set.length), set])];
  const description = box("avcC", u8(1, ...sequences[0].subarray(1, 4), 0xff), ...lists(0xe0, sequences),
    ...lists(0, pictures));
  const entry = box("avc1", zeros(6), u16(1), zeros(16), u16(width, height), u32(0x480000, 0x480000, 0), u16(1),
    zeros(32), u16(24, 0xffff), description);
  const table = box("stbl", full("stsd", 0, 0, u32(1), entry), full("stts", 0, 0, u32(0)),
    full("stsc", 0, 0, u32(0)), full("stsz", 0, 0, u32(0, 0)), full("stco", 0, 0, u32(0)));
  const media = box("mdia", full("mdhd", 0, 0, u32(0, 0, timescale, 0), u16(0x55c4, 0)),
    full("hdlr", 0, 0, u32(0), ascii("vide"), zeros(13)),
    box("minf", full("vmhd", 0, 1, zeros(8)),
      box("dinf", full("dref", 0, 0, u32(1), full("url ", 0, 1))), table));
  const track = box("trak", full("tkhd", 0, 3, u32(0, 0, 1, 0, 0), zeros(16), matrix, u32(width << 16, height << 16)),
    media);
  const movie = box("moov", full("mvhd", 0, 0, u32(0, 0, timescale, 0, 0x10000), u16(0x100), zeros(10), matrix,
    zeros(24), u32(2)), track, box("mvex", full("trex", 0, 0, u32(1, 1, 0, 0, 0))));
  return joined([box("ftyp", ascii("iso6"), u32(1), ascii("iso6avc1mp41")), movie]);
}

/// A frame as a fragment. Times are in milliseconds.
export function fragment(frame, { number, time, duration, isKey }) {
  const samples = units(frame).filter(unit => !leftOut.has(unit[0] & 0x1f)).flatMap(unit => [u32(unit.length), unit]);
  const data = box("mdat", ...samples), flags = isKey ? 0x2000000 : 0x1010000;
  const head = offset => box("moof", full("mfhd", 0, 0, u32(number)), box("traf", full("tfhd", 0, 0x20000, u32(1)),
    full("tfdt", 1, 0, u32(Math.floor(time / 2 ** 32), time)),
    // One sample, with its duration, size and flags.
    full("trun", 0, 0x701, u32(1, offset, duration, data.length - 8, flags))));
  return joined([head(head(0).length + 8), data]);
}
