// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.lines;

import io.retroscope.event.EventBody.LogLine;
import io.retroscope.event.Value;
import io.retroscope.event.Value.StringValue;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Sentences about the levels of lines that a request for a level cannot judge, each made once. Used
 * by one thread.
 */
final class LevelNotes {
  /** The number of unknown levels that are named; further ones are not. */
  static final int MAX_NAMED = 20;

  private static final int MAX_LENGTH = 40;

  private final Set<String> named = new LinkedHashSet<>();
  private final List<String> sentences = new ArrayList<>();
  private boolean isWithoutLevel;

  /** Notes a line that is requested except for its level. */
  void see(LogLine line) {
    if (LineLevel.of(line).isPresent()) {
      return;
    }
    Value level = line.fields().get(LineLevel.FIELD);
    if (level == null) {
      if (!isWithoutLevel) {
        isWithoutLevel = true;
        sentences.add("lines without a level are left out");
      }
    } else if (named.size() < MAX_NAMED && named.add(text(level))) {
      sentences.add(
          "the level \"%s\" is not known: its lines are not left out".formatted(text(level)));
    }
  }

  private static String text(Value level) {
    String text = level instanceof StringValue name ? name.value() : number(level);
    return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH) + "...";
  }

  private static String number(Value level) {
    return level instanceof Value.LongValue whole
        ? Long.toString(whole.value())
        : "a " + level.typeName();
  }

  /** Returns the sentences since the last call. */
  List<String> take() {
    List<String> taken = List.copyOf(sentences);
    sentences.clear();
    return taken;
  }
}
