// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zerocopy;

/**
 * A client's own note about a write that was acknowledged. Immutable.
 *
 * @param act the number of the act
 * @param end the offset after its last byte
 * @param micros until the acknowledgement, by a stopwatch
 */
record Note(int act, int bytes, long end, long micros) {
  String line() {
    return "%d %d %d %d".formatted(act, bytes, end, micros);
  }

  static Note parse(String line) {
    String[] words = line.split(" ", -1);
    return new Note(
        Integer.parseInt(words[0]),
        Integer.parseInt(words[1]),
        Long.parseLong(words[2]),
        Long.parseLong(words[3]));
  }
}
