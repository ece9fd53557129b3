// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.Bearing;
import io.retroscope.rql.cut.Completeness.Scope;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/** The reasons why events of a stretch may be missing or wrong, as members of an object. */
final class KnownDoubts {
  /** The most reasons that are listed. */
  private static final int MAX_REASONS = 20;

  /** The most stretches that are marked as unknown. */
  private static final int MAX_STRETCHES = 1_000;

  private KnownDoubts() {}

  /** Adds the sentences, their number, and the stretches of nodes that they mean. */
  static void write(JsonGenerator out, View view, HlcRange shown) {
    List<Incompleteness> reasons = view.completeness(Scope.of(shown)).reasons();
    PageJson.texts(
        out,
        "unknown",
        reasons.stream().map(Incompleteness::sentence).distinct().limit(MAX_REASONS));
    out.writeNumberProperty("unknownCount", reasons.size());
    out.writeArrayPropertyStart("stretches");
    reasons.stream()
        .filter(reason -> Bearing.of(reason) == Bearing.UNDECIDES)
        .limit(MAX_STRETCHES)
        .forEach(
            reason -> {
              long from = Math.max(shown.from(), reason.range().from());
              long to = Math.min(shown.to(), reason.range().to());
              reason.nodes().forEach(node -> stretch(out, node, from, to));
            });
    out.writeEndArray();
  }

  private static void stretch(JsonGenerator out, String node, long from, long to) {
    out.writeStartArray();
    out.writeString(node);
    out.writeNumber(HlcTimestamp.micros(from));
    out.writeNumber(HlcTimestamp.micros(to));
    out.writeEndArray();
  }
}
