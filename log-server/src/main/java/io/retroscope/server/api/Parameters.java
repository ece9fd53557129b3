// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import java.util.HashSet;
import java.util.Set;

/** The parameters in an address, each checked. */
final class Parameters {
  private Parameters() {}

  /**
   * A stamp.
   *
   * @param absent packed, if there is no such parameter
   */
  static long stamp(Context context, String name, long absent) {
    String text = context.queryParam(name);
    try {
      return text == null ? absent : HlcTimestamp.parse(text);
    } catch (IllegalArgumentException e) {
      throw ProblemException.of(400, "No stamp", name + ": " + e.getMessage());
    }
  }

  /** The stored part of the range from {@code from} to {@code until}, by default of all. */
  static HlcRange range(Context context, EventSource.View view) {
    HlcRange all =
        view.extent().orElse(new HlcRange(HlcTimestamp.MIN_PACKED, HlcTimestamp.MIN_PACKED));
    long from = Math.max(all.from(), stamp(context, "from", all.from()));
    long until = Math.min(all.to(), stamp(context, "until", all.to()));
    return new HlcRange(from, until);
  }

  /** A number from {@code least} to {@code most}. */
  static int number(Context context, String name, int absent, int least, int most) {
    String text = context.queryParam(name);
    try {
      int number = text == null ? absent : Integer.parseInt(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Handled below, as for other numbers.
    }
    throw ProblemException.of(
        400,
        "Not a possible number",
        "%s must be a number from %,d to %,d".formatted(name, least, most));
  }

  /** The names that are wanted, of those that are known; empty if none are given. */
  static Set<String> names(Context context, String kind, Set<String> known) {
    Set<String> wanted = new HashSet<>(context.queryParams(kind));
    for (String name : wanted) {
      if (!known.contains(name)) {
        throw ProblemException.of(
            400, "No such " + kind, "nothing is stored for " + kind + " " + name);
      }
    }
    return wanted;
  }
}
