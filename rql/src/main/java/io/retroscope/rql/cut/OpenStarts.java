// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.event.EventKind;
import io.retroscope.rql.cut.EventSource.Overlap;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds out from the starts and stops of a node whether two of its runs overlap, although its
 * events do not name their runs: the node started twice, stopped once, and continues. Used by one
 * thread.
 */
public final class OpenStarts {
  private final String node;
  private final List<Overlap> overlaps = new ArrayList<>();
  private String latest = "";
  private int openCount;
  private boolean isDoubtful;
  private long fromHlc;
  private long toHlc;

  /** The starts of a node, of which none is known yet. */
  public OpenStarts(String node) {
    this.node = node;
  }

  /** Adds an event that is no heartbeat. Stamps must ascend. */
  public void add(EventKind kind, long hlc, String started) {
    if (kind == EventKind.START) {
      start(hlc, started);
    } else if (isDoubtful) {
      toHlc = hlc; // The continued run is the other one.
    }
    if (kind == EventKind.STOP) {
      isDoubtful |= openCount > 1;
      openCount = Math.max(0, openCount - 1);
    }
  }

  private void start(long hlc, String started) {
    if (started.equals(latest)) {
      return;
    }
    latest = started;
    if (isDoubtful) { // A run that never stopped has ended before.
      end();
      openCount = 0;
    }
    openCount++;
    if (openCount > 1) {
      fromHlc = hlc;
      toHlc = hlc;
    }
  }

  private void end() {
    if (toHlc > fromHlc) {
      overlaps.add(new Overlap(node, new HlcRange(fromHlc, toHlc), false));
    }
    isDoubtful = false;
  }

  /** The ranges in which two runs overlap. */
  public List<Overlap> overlaps() {
    List<Overlap> all = new ArrayList<>(overlaps);
    if (isDoubtful && toHlc > fromHlc) {
      all.add(new Overlap(node, new HlcRange(fromHlc, toHlc), false));
    }
    return all;
  }
}
