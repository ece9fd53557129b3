// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

/**
 * A client's own note about a command that is done, by the machine's clock and a stopwatch.
 * Immutable.
 *
 * @param act the number of the act
 * @param slot in which it was chosen; 0 if the protocol has no slots
 * @param beganMicros since 1970, when it was sent
 * @param micros until the reply
 */
record ClientNote(
    int act, Protocol protocol, String command, int slot, long beganMicros, long micros) {
  String line() {
    return "%d %s %s %d %d %d".formatted(act, protocol, command, slot, beganMicros, micros);
  }

  static ClientNote parse(String line) {
    String[] words = line.split(" ", -1);
    return new ClientNote(
        Integer.parseInt(words[0]),
        Protocol.valueOf(words[1]),
        words[2],
        Integer.parseInt(words[3]),
        Long.parseLong(words[4]),
        Long.parseLong(words[5]));
  }
}
