// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.sealed;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Distinct texts, numbered from 0 in the order in which they came. Used by one thread. */
final class TextTable {
  /*
   * Most texts are messages, nearly all of which differ, so that what counts is the cost of a new
   * one. An open table has no objects for its entries, and compares texts only if their hashes are
   * equal.
   *
   * HAZARD: texts come from outside, and can be made to have one hash. A text whose places are all
   * taken is kept in a map, which orders such texts instead of searching them one by one.
   */

  private static final int LEAST_PLACES = 1 << 10;
  private static final int MAX_STEPS = 16;
  private static final int SPREAD = 0x9E3779B9;

  private final List<String> texts = new ArrayList<>();

  /** The number of a text plus 1; 0 if the place is free. At most half of the places are taken. */
  private int[] places = new int[LEAST_PLACES];

  /** The hash of the text at each place that is taken. */
  private int[] hashes = new int[LEAST_PLACES];

  private final Map<String, Integer> crowded = new HashMap<>();

  /** The number of a text, which is added if it is new. */
  int numberOf(String text) {
    if (2 * texts.size() >= places.length) {
      grow();
    }
    int number = place(text, texts.size());
    if (number == texts.size()) {
      texts.add(text);
    }
    return number;
  }

  /** The number of a text that has a place, or else the given one, with which it takes a place. */
  private int place(String text, int number) {
    int hash = text.hashCode();
    int first = (hash * SPREAD) >>> Integer.numberOfLeadingZeros(places.length - 1);
    for (int step = 0; step < MAX_STEPS; step++) {
      int at = (first + step) & (places.length - 1);
      if (places[at] == 0) {
        places[at] = number + 1;
        hashes[at] = hash;
        return number;
      }
      if (hashes[at] == hash && texts.get(places[at] - 1).equals(text)) {
        return places[at] - 1;
      }
    }
    Integer known = crowded.putIfAbsent(text, number);
    return known == null ? number : known;
  }

  private void grow() {
    places = new int[2 * places.length];
    hashes = new int[places.length];
    crowded.clear();
    for (int number = 0; number < texts.size(); number++) {
      place(texts.get(number), number);
    }
  }

  int size() {
    return texts.size();
  }

  String get(int number) {
    return texts.get(number);
  }

  /** The number of texts that found no place near that of their hash. */
  int crowdedCount() {
    return crowded.size();
  }

  /** Removes all texts, but keeps the memory. */
  void clear() {
    Arrays.fill(places, 0);
    crowded.clear();
    texts.clear();
  }
}
