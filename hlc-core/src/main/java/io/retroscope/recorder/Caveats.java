// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The warnings that currently apply to query results about this node. Thread-safe. */
final class Caveats {
  /** The longest text, in characters. */
  private static final int MAX_LENGTH = 200;

  /** The number of caveats kept for later incarnations; further ones are only recorded. */
  private static final int MAX_COUNT = 100;

  private final EventLog log;
  private final Set<String> texts = ConcurrentHashMap.newKeySet();

  Caveats(EventLog log) {
    this.log = log;
  }

  void add(String text) {
    String cut = cut(text);
    if (texts.size() < MAX_COUNT) {
      texts.add(cut);
    }
    log.add(Recorder.CAVEATS, cut);
  }

  void remove(String text) {
    String cut = cut(text);
    texts.remove(cut);
    log.remove(Recorder.CAVEATS, cut);
  }

  private static String cut(String text) {
    return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH);
  }

  /** Records all of them again, because a new incarnation starts without them. */
  void repeat() {
    texts.forEach(text -> log.add(Recorder.CAVEATS, text));
  }

  List<String> texts() {
    return texts.stream().sorted().toList();
  }
}
