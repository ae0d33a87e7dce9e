// SPDX-License-Identifier: MIT
// Packets of Opus to samples: by WebCodecs, or in pieces that the browser takes for small files.

/// Samples of each channel per second.
export const rate = 48000;
/// Milliseconds of a packet.
const length = 20;

/// A decoder for packets of that many channels. `decoded(packet, planes)` gets the samples of each channel and the
/// packet that they begin with, `failed(error)` what it cannot do.
export async function decoder(context, channels, { decoded, failed }) {
  const config = { codec: "opus", sampleRate: rate, numberOfChannels: channels };
  // Browsers offer WebCodecs over TLS and from localhost alone.
  const answer = await globalThis.AudioDecoder?.isConfigSupported(config).catch(() => null);
  if (answer?.supported) return new Packets(config, { decoded, failed });
  return new Pieces(context, channels, { decoded, failed });
}

/// Decodes packet by packet.
class Packets {
  how = "packets";
  #pending = new Map();
  #count = 0;

  constructor(config, { decoded, failed }) {
    this.decoder = new AudioDecoder({
      error: failed,
      output: data => {
        const packet = this.#pending.get(data.timestamp);
        for (const timestamp of this.#pending.keys()) {
          if (timestamp > data.timestamp) break;
          this.#pending.delete(timestamp);
        }
        const planes = Array.from({ length: data.numberOfChannels }, (_, planeIndex) => {
          const plane = new Float32Array(data.numberOfFrames);
          data.copyTo(plane, { planeIndex, format: "f32-planar" });
          return plane;
        });
        data.close();
        if (packet) decoded(packet, planes);
      },
    });
    this.decoder.configure(config);
  }

  take(packet) {
    const timestamp = (this.#count += 1) * length * 1000;
    this.#pending.set(timestamp, packet);
    this.decoder.decode(new EncodedAudioChunk({
      type: "key", timestamp, duration: length * 1000, data: packet.bytes,
    }));
  }

  close() {
    if (this.decoder.state !== "closed") this.decoder.close();
  }
}

/// Decodes a few packets at a time, as a file. Each file begins with the last packets of the one before, because a
/// decoder that begins needs some before its sound is right.
class Pieces {
  how = "pieces";
  static count = 4;
  static warming = 4;
  #warm = [];
  #fresh = [];
  #waiting = [];
  #isDecoding = false;
  #isClosed = false;

  constructor(context, channels, { decoded, failed }) { Object.assign(this, { context, channels, decoded, failed }); }

  take(packet) {
    const last = this.#fresh.at(-1) ?? this.#warm.at(-1);
    // After a gap, sound begins anew.
    if (last && packet.number !== last.number + 1) [this.#warm, this.#fresh] = [[], []];
    this.#fresh.push(packet);
    if (this.#fresh.length < Pieces.count) return;
    const all = [...this.#warm, ...this.#fresh];
    // What a slow browser does not come to is left out.
    if (this.#waiting.length >= 3) this.#waiting.shift();
    this.#waiting.push({ all, fresh: this.#fresh });
    [this.#warm, this.#fresh] = [all.slice(-Pieces.warming), []];
    this.#decode();
  }

  close() { [this.#isClosed, this.#waiting] = [true, []]; }

  async #decode() {
    if (this.#isDecoding) return;
    this.#isDecoding = true;
    while (this.#waiting.length) {
      const { all, fresh } = this.#waiting.shift();
      try {
        const buffer = await this.context.decodeAudioData(webm(all, this.channels).buffer);
        if (this.#isClosed) break;
        const count = fresh.reduce((sum, { samples }) => sum + samples, 0), skipped = buffer.length - count;
        if (skipped < 0) continue;
        const planes = Array.from({ length: buffer.numberOfChannels }, (_, channel) =>
          buffer.getChannelData(channel).subarray(skipped));
        this.decoded(fresh[0], planes);
      } catch (error) {
        if (!this.#isClosed) this.failed(error);
      }
    }
    this.#isDecoding = false;
  }
}

const bytes = (value, count) => Array.from({ length: count }, (_, index) => value / 256 ** (count - 1 - index) & 255);
const ascii = text => [...text].map(letter => letter.charCodeAt(0));

/// An element of EBML (RFC 8794): its id, the size of its content in four bytes, and the content.
function element(id, ...content) {
  const all = content.flat(), size = bytes(all.length, 4);
  size[0] |= 0x10;
  return [...id, ...size, ...all];
}

/// A file of WebM (RFC 9559) with these packets.
export function webm(packets, channels) {
  // RFC 7845: nothing is to be skipped, and the gain is 0. These numbers are little endian.
  const head = [...ascii("OpusHead"), 1, channels, 0, 0, ...bytes(rate, 4).reverse(), 0, 0, 0];
  const frequency = [...new Uint8Array(new Float32Array([rate]).buffer)].reverse();
  const track = element([0xae], element([0xd7], [1]), element([0x73, 0xc5], [1]), element([0x83], [2]),
    element([0x86], ascii("A_OPUS")), element([0x63, 0xa2], head),
    element([0xe1], element([0xb5], frequency), element([0x9f], [channels])));
  const blocks = packets.map(({ bytes: data }, index) =>
    element([0xa3], [0x81, ...bytes(index * length, 2), 0x80], [...data]));
  return new Uint8Array([
    ...element([0x1a, 0x45, 0xdf, 0xa3], element([0x42, 0x86], [1]), element([0x42, 0xf7], [1]),
      element([0x42, 0xf2], [4]), element([0x42, 0xf3], [8]), element([0x42, 0x82], ascii("webm")),
      element([0x42, 0x87], [4]), element([0x42, 0x85], [2])),
    ...element([0x18, 0x53, 0x80, 0x67],
      element([0x15, 0x49, 0xa9, 0x66], element([0x2a, 0xd7, 0xb1], bytes(1_000_000, 3)),
        element([0x4d, 0x80], ascii("livecap")), element([0x57, 0x41], ascii("livecap"))),
      element([0x16, 0x54, 0xae, 0x6b], track),
      element([0x1f, 0x43, 0xb6, 0x75], element([0xe7], [0]), ...blocks)),
  ]);
}
