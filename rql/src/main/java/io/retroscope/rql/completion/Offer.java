// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.completion;

import java.util.List;
import java.util.Locale;

/**
 * Something that may be written at the place of the cursor. Immutable.
 *
 * @param text the text that is inserted
 * @param shown what a list shows: the signature of a function, otherwise the text
 * @param group its kind, as the title of a list
 * @param description of a function; empty otherwise
 * @param complete whether a blank may follow
 */
public record Offer(String text, String shown, String group, String description, boolean complete) {
  /**
   * Returns those with a word as a prefix or else those that contain it, case-insensitively. A name
   * that requires backquotes is also found without them.
   */
  public static List<Offer> matching(String word, List<Offer> offers) {
    if (word.startsWith("`")) {
      return offers.stream().filter(offer -> offer.text.startsWith(word)).toList();
    }
    List<Offer> begin = offers.stream().filter(offer -> offer.key().startsWith(key(word))).toList();
    return begin.isEmpty()
        ? offers.stream().filter(offer -> offer.key().contains(key(word))).toList()
        : begin;
  }

  private String key() {
    return key(text);
  }

  private static String key(String text) {
    String name = text.startsWith("`") ? text.substring(1) : text;
    return name.toLowerCase(Locale.ROOT);
  }
}
