// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.statement;

import io.retroscope.rql.parser.ParseLimits;
import io.retroscope.rql.parser.ParsedStatement;
import io.retroscope.rql.parser.RqlParser;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The statements that were parsed lately: many clients that send one text cost one parse. What a
 * statement means is found out anew each time, because that depends on the names stored by then.
 * Thread-safe.
 */
public final class ReadStatements {
  /** The largest number of texts that are remembered. */
  static final int MAX_TEXTS = 64;

  /** The length of a text from which on it is not remembered, in characters. */
  static final int LONG_CHARACTERS = 2_000;

  private final RqlParser parser;

  /** By text, the least recently used one first. Guarded by itself. */
  private final Map<String, ParsedStatement> known = new LinkedHashMap<>(16, 0.75f, true);

  /** Parses within limits; nothing has been read yet. */
  public ReadStatements(ParseLimits limits) {
    this.parser = new RqlParser(limits);
  }

  /** Parses a text as {@link RqlParser#read} does, or returns what that returned before. */
  public ParsedStatement of(String text) {
    ParsedStatement before;
    synchronized (known) {
      before = known.get(text);
    }
    return before != null ? before : remember(parser.read(text));
  }

  private ParsedStatement remember(ParsedStatement reading) {
    if (reading.text().length() < LONG_CHARACTERS) {
      synchronized (known) {
        known.put(reading.text(), reading);
        if (known.size() > MAX_TEXTS) {
          known.remove(known.keySet().iterator().next());
        }
      }
    }
    return reading;
  }
}
