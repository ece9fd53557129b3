// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shiviz;

import io.retroscope.cli.file.InputException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * One event of a ShiViz log.
 *
 * @param line the line of its clock, counted from 1
 * @param clock the vector clock without zeros, ordered by host
 * @param fields the other groups that matched a text, in their order
 */
record LogEntry(
    String file,
    int line,
    String host,
    Map<String, Integer> clock,
    String text,
    Map<String, String> fields) {
  LogEntry {
    clock = Collections.unmodifiableMap(new TreeMap<>(clock));
    fields = new LinkedHashMap<>(fields);
  }

  /** The host's own count of its events, from 1. */
  int own() {
    return clock.getOrDefault(host, 0);
  }

  InputException refuse(String reason) {
    return new InputException(file, line, reason);
  }
}
