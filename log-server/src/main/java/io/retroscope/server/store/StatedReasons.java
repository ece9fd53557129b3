// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.json.IncompletenessJson;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;

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
          "imported files gave more reasons why their events are incomplete than are kept");

  StatedReasons {
    reasons = List.copyOf(reasons);
  }

  /** Adds those that are not known yet to a change. */
  void add(Collection<Incompleteness> stated, Changes changes) {
    long bytes = textBytes;
    for (Incompleteness reason : stated) {
      bytes += textBytes(reason);
      Incompleteness kept = bytes > MAX_BYTES ? FURTHER : reason;
      if (!reasons.contains(kept) && !changes.reasons().contains(kept)) {
        changes.addReason(digest(kept), kept);
      }
    }
  }

  /** The same with those of a change. */
  StatedReasons and(Collection<Incompleteness> added) {
    if (added.isEmpty()) {
      return this;
    }
    List<Incompleteness> all = new ArrayList<>(reasons);
    all.addAll(added);
    return new StatedReasons(
        all, textBytes + added.stream().mapToLong(StatedReasons::textBytes).sum());
  }

  private static long textBytes(Incompleteness reason) {
    return IncompletenessJson.text(reason).length();
  }

  private static String digest(Incompleteness reason) {
    byte[] text = IncompletenessJson.text(reason).getBytes(StandardCharsets.UTF_8);
    return HexFormat.of().formatHex(StoreSchema.checksum(text));
  }
}
