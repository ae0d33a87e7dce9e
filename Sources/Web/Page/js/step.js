// SPDX-License-Identifier: MIT
// When sound is to be heard, so that it is in step with the picture: reckoning alone, without a clock or a browser.

const middle = values => values.toSorted((a, b) => a - b)[values.length >> 1];
/// What nineteen of twenty stay below.
const usualMost = values => values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1];

function note(list, value, most) {
  list.push(value);
  if (list.length > most) list.shift();
}

/// How long after their capture a picture is seen and a sound is heard, in milliseconds: the later of the two decides.
/// Pictures wait for sound, but not longer than `mostHeld`: each that waits takes memory.
export class Delay {
  static mostHeld = 300;
  #pictures = [];
  #sounds = [];
  /// What it is now: a little more than is needed, and it does not follow small changes, because sound would always be
  /// stretched.
  value = 0;

  /// A picture could be seen now, at this age.
  picture(age) {
    note(this.#pictures, age, 45);
    this.#settle();
  }

  /// A sound could be heard now, at this age.
  sound(age) {
    note(this.#sounds, age, 100);
    this.#settle();
  }

  /// What came before says nothing of what will come.
  forget() { [this.#pictures, this.#sounds] = [[], []]; }

  /// How long a picture of this age is to wait.
  wait(age) { return this.#sounds.length ? Math.max(0, this.value - age) : 0; }

  #settle() {
    const picture = this.#pictures.length ? middle(this.#pictures) : 0;
    const sound = this.#sounds.length ? usualMost(this.#sounds) : 0;
    const wanted = Math.max(picture, Math.min(sound, picture + Delay.mostHeld), 0);
    if (wanted > this.value || wanted < this.value - 40) this.value = wanted + 10;
  }
}

/// Which moment of a sound device is heard at a moment of the page. Devices report that with jitter, and have clocks of
/// their own.
export class DeviceClock {
  #offset = null;

  /// `device`, in seconds, is heard at `time`, in milliseconds.
  note(device, time) {
    const offset = device - time / 1000;
    const isOther = this.#offset === null || Math.abs(offset - this.#offset) > 0.05;
    this.#offset = isOther ? offset : this.#offset + (offset - this.#offset) * 0.05;
  }

  /// What is heard at `time`, in seconds of the device; null before anything was noted.
  at(time) { return this.#offset === null ? null : this.#offset + time / 1000; }
}

/// More than this, which people may notice, is not made up for little by little.
const jump = 0.035;
/// Less than this is not made up for.
const slack = 0.004;
/// By how much sound is stretched or pressed together at most: too little to be heard as another pitch.
const most = 0.01;

/// Where the next piece of sound goes, in seconds of the device: when it should begin, `ideal`; when what is placed
/// already ends, `end`, or null; how much is missing between the two; and `now`, before which nothing can be placed.
/// Returns when it begins, how fast it is played, and whether it is joined to what is before it; null if it is too late
/// to be heard.
export function place({ ideal, end, gap = 0, now }) {
  const next = end === null ? null : end + gap;
  if (next === null || next < now || Math.abs(next - ideal) > jump) {
    // Never over what is placed already. What is too late is left out, until it can begin in time.
    const at = Math.max(ideal, end ?? 0);
    return ideal < now || at - ideal > slack ? null : { at, rate: 1, isJoined: false };
  }
  const late = next - ideal;
  const rate = Math.abs(late) < slack ? 1 : 1 + Math.max(-most, Math.min(most, late));
  return { at: next, rate, isJoined: gap === 0 };
}
