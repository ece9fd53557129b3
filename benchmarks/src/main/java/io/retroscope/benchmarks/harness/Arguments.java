// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.harness;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The arguments of a measurement. A missing or a wrong one ends it with a message that names all of
 * them. Immutable.
 */
public final class Arguments {
  private final List<String> given;
  private final String names;

  /**
   * Arguments as the program got them.
   *
   * @param names what the program takes, in order
   */
  public Arguments(String[] given, String names) {
    this.given = List.of(given);
    this.names = names;
  }

  /** Whether there is an argument at an index, from 0. */
  public boolean has(int index) {
    return index < given.size();
  }

  /** The text at an index. */
  public String text(int index) {
    if (!has(index)) {
      throw wrong();
    }
    return given.get(index);
  }

  /** The text at an index, or another one without it. */
  public String text(int index, String otherwise) {
    return has(index) ? given.get(index) : otherwise;
  }

  /** The whole number at an index. */
  public int number(int index) {
    try {
      return Integer.parseInt(text(index));
    } catch (NumberFormatException e) {
      throw wrong();
    }
  }

  /** The whole number at an index, or another one without it. */
  public int number(int index, int otherwise) {
    return has(index) ? number(index) : otherwise;
  }

  /** The whole numbers from an index on, at least one. */
  public List<Integer> numbers(int index) {
    return IntStream.range(index, Math.max(index + 1, given.size()))
        .mapToObj(this::number)
        .toList();
  }

  /** All texts from an index on; may be none. */
  public List<String> from(int index) {
    return has(index) ? given.subList(index, given.size()) : List.of();
  }

  private IllegalArgumentException wrong() {
    return new IllegalArgumentException("give " + names + "; not " + String.join(" ", given));
  }
}
