// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * A message of a protocol: its kind, and words without spaces. Immutable.
 *
 * @param kind such as {@code accept}
 */
record Message(String kind, List<String> words) {
  Message {
    words = List.copyOf(words);
  }

  static Message of(String kind, Object... words) {
    return new Message(kind, Arrays.stream(words).map(String::valueOf).toList());
  }

  String word(int index) {
    return words.get(index);
  }

  int number(int index) {
    return Integer.parseInt(words.get(index));
  }

  long ballot(int index) {
    return Long.parseLong(words.get(index));
  }

  /** A word of names that are separated by commas; a dash if there are none. */
  List<String> names(int index) {
    return words.get(index).equals("-") ? List.of() : List.of(words.get(index).split(",", -1));
  }

  static String join(Collection<String> names) {
    return names.isEmpty() ? "-" : String.join(",", names);
  }

  String text() {
    return words.isEmpty() ? kind : kind + " " + String.join(" ", words);
  }

  static Message parse(String text) {
    List<String> parts = List.of(text.split(" ", -1));
    return new Message(parts.get(0), parts.subList(1, parts.size()));
  }
}
