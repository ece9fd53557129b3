// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.access;

import java.util.Map;

/**
 * The limits of one token; {@link Long#MAX_VALUE} for none.
 *
 * @param eventsPerSecond events that it may send, on average
 * @param bytesPerSecond bytes that it may send, as transferred over the network, on average
 * @param queries concurrent historical queries and exports
 * @param streams concurrent live queries and readers of lines
 */
record QuotaLimits(long eventsPerSecond, long bytesPerSecond, long queries, long streams) {
  static final QuotaLimits NONE =
      new QuotaLimits(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);

  private static final String EVENTS = "events/s";
  private static final String BYTES = "bytes/s";
  private static final String QUERIES = "queries";
  private static final String STREAMS = "streams";

  /**
   * Parses limits by their names in a list of tokens.
   *
   * @throws IllegalArgumentException if a name is unknown or a number is not positive
   */
  static QuotaLimits of(Map<String, String> settings) {
    for (String name : settings.keySet()) {
      if (!name.equals(EVENTS)
          && !name.equals(BYTES)
          && !name.equals(QUERIES)
          && !name.equals(STREAMS)) {
        // The text is not included, because it may be a misplaced token.
        throw new IllegalArgumentException(
            "unknown limit: the limits are %s, %s, %s and %s"
                .formatted(EVENTS, BYTES, QUERIES, STREAMS));
      }
    }
    return new QuotaLimits(
        number(settings, EVENTS),
        number(settings, BYTES),
        number(settings, QUERIES),
        number(settings, STREAMS));
  }

  private static long number(Map<String, String> settings, String name) {
    String text = settings.getOrDefault(name, "");
    if (!settings.containsKey(name)) {
      return Long.MAX_VALUE;
    }
    if (!text.matches("[1-9]\\d{0,17}")) {
      throw new IllegalArgumentException(
          name + " must be a positive number, like " + name + "=1000");
    }
    return Long.parseLong(text);
  }
}
