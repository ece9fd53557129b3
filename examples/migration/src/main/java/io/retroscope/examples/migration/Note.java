// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.migration;

/**
 * A user's own note about an access that is done. Immutable.
 *
 * @param micros by a stopwatch
 */
record Note(int act, int phase, long micros) {
  static Note parse(String line) {
    String[] words = line.split(" ", -1);
    return new Note(
        Integer.parseInt(words[0]), Integer.parseInt(words[1]), Long.parseLong(words[2]));
  }
}
