// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.Watermark;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One step of live queries to a watermark. What is the same for many of them is looked up once,
 * when the first one needs it. Used by one thread.
 */
final class LiveStep {
  private final StreamingQuery.Parts parts;
  private final Watermark reached;
  private final boolean moved;
  private final long lateNumber;
  private final long heldMicros;
  private final Map<Set<String>, Unheard> unheard = new HashMap<>();
  private @Nullable Catalog names;

  /**
   * A step that begins now.
   *
   * @param moved whether the watermark is above that of the step before
   */
  LiveStep(StreamingQuery.Parts parts, Watermark reached, boolean moved) {
    this.parts = parts;
    this.reached = reached;
    this.moved = moved;
    this.lateNumber = parts.late().number();
    this.heldMicros = parts.watermarks().heldMicros();
  }

  /** The watermark up to which rows are sent. */
  Watermark reached() {
    return reached;
  }

  /** Whether the watermark is above that of the step before. */
  boolean moved() {
    return moved;
  }

  /** The number of the late blocks that the step may take into account. */
  long lateNumber() {
    return lateNumber;
  }

  /** As {@link WatermarkTracker#heldMicros}. */
  long heldMicros() {
    return heldMicros;
  }

  /** As {@link WatermarkTracker#unheard}. */
  Unheard unheard(Set<String> missing) {
    return unheard.computeIfAbsent(missing, parts.watermarks()::unheard);
  }

  /** The logs and variables that events have named so far, without the nodes. */
  Catalog names() {
    Catalog known = names;
    if (known == null) {
      try (EventSource.View view = parts.source().open()) {
        known = new Catalog(view.logs(), List.of());
      }
      names = known;
    }
    return known;
  }
}
