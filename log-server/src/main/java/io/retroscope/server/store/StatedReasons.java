// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.Incompleteness.AfterEnd;
import io.retroscope.rql.json.IncompletenessJson;
import io.retroscope.server.store.disk.StoreSchema;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The reasons that inputs stated why their events may be incomplete, each once. Immutable.
 *
 * @param textBytes the length of all as text
 */
record StatedReasons(List<Incompleteness> reasons, long textBytes) {
  static final StatedReasons NONE = new StatedReasons(List.of(), 0);

  /** The maximum length of all as text. */
  static final long MAX_BYTES = 16L << 20;

  /** Takes the place of all further reasons. It concerns all events, as some of them may have. */
  private static final Incompleteness FURTHER =
      new Incompleteness.Reported(
          "imported files and refused records gave more reasons why events are incomplete than are"
              + " kept");

  StatedReasons {
    reasons = List.copyOf(reasons);
  }

  /** Adds those that are not known yet to a change. */
  void add(Collection<Incompleteness> stated, Changes changes) {
    long bytes = textBytes;
    for (Incompleteness reason : stated) {
      bytes += textBytes(reason);
      Incompleteness kept = bytes > MAX_BYTES ? FURTHER : reason;
      boolean isKnown =
          Stream.concat(reasons.stream(), changes.reasons().stream())
              .anyMatch(known -> known.equals(kept) || isReplaced(kept, known));
      if (!isKnown) {
        reasons.stream()
            .filter(known -> isReplaced(known, kept))
            .forEach(known -> changes.removeReason(digest(known), known));
        changes.addReason(digest(kept), kept);
      }
    }
  }

  /** Whether one is the end of a recording that another recording of its nodes continues. */
  private static boolean isReplaced(Incompleteness one, Incompleteness other) {
    return one instanceof AfterEnd end
        && other instanceof AfterEnd later
        && end.hlc() <= later.hlc()
        && (later.nodes().isEmpty()
            || (!end.nodes().isEmpty() && later.nodes().containsAll(end.nodes())));
  }

  /**
   * Removes those that speak only of events that retention removes: their removal is a reason by
   * itself. Of one without an end, the events are those at its begin.
   *
   * @param hlc packed, the last stamp that is removed
   */
  void removeThrough(long hlc, Changes changes) {
    for (Incompleteness reason : reasons) {
      HlcRange range = reason.range();
      boolean isOfAny = range.equals(HlcRange.ALL);
      long last = range.to() == HlcTimestamp.MAX_PACKED ? range.from() : range.to();
      if (!isOfAny && last <= hlc) {
        changes.removeReason(digest(reason), reason);
      }
    }
  }

  /** The same after a change. */
  StatedReasons after(Changes change) {
    if (change.reasons().isEmpty() && change.removedReasons().isEmpty()) {
      return this;
    }
    Set<Incompleteness> all = new LinkedHashSet<>(reasons);
    all.removeAll(change.removedReasons());
    all.addAll(change.reasons());
    return of(all);
  }

  /** Those that are stored. */
  static StatedReasons of(Collection<Incompleteness> stored) {
    return new StatedReasons(
        List.copyOf(stored), stored.stream().mapToLong(StatedReasons::textBytes).sum());
  }

  private static long textBytes(Incompleteness reason) {
    return IncompletenessJson.text(reason).length();
  }

  private static String digest(Incompleteness reason) {
    byte[] text = IncompletenessJson.text(reason).getBytes(StandardCharsets.UTF_8);
    return HexFormat.of().formatHex(StoreSchema.checksum(text));
  }
}
