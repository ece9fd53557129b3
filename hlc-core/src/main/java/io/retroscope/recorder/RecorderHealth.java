// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a recorder, for health endpoints. Immutable.
 *
 * @param status whether it records
 * @param reasons the reasons why it does not record, or the losses and restrictions; empty if there
 *     are none
 */
public record RecorderHealth(Status status, List<String> reasons) {
  /** Whether a recorder records. */
  public enum Status {
    /** All events since the start have been recorded. */
    RECORDING,
    /** Events have been lost since the start. */
    RECORDING_WITH_LOSS,
    /** Nothing is recorded. */
    NOT_RECORDING
  }

  /** Copies the reasons. */
  public RecorderHealth {
    reasons = List.copyOf(reasons);
  }

  static RecorderHealth of(
      @Nullable String silence,
      RecorderStatistics statistics,
      List<String> problems,
      List<String> caveats) {
    List<String> reasons = new ArrayList<>();
    if (silence != null) {
      reasons.add(silence);
    }
    addCount(reasons, statistics.dropped(), "dropped");
    addCount(reasons, statistics.abandoned(), "abandoned");
    addCount(reasons, statistics.lostBySink(), "lost by the sink");
    addCount(reasons, statistics.missed(), "missed by an integration");
    addCount(reasons, statistics.lostByError(), "lost by an error of the recorder");
    boolean complete = reasons.isEmpty();
    if (statistics.boundAtRisk()) {
      reasons.add("the restart bound is not stored in time; events are marked as unbound");
    }
    reasons.addAll(problems);
    reasons.addAll(caveats);
    Status lossy = complete ? Status.RECORDING : Status.RECORDING_WITH_LOSS;
    return new RecorderHealth(silence == null ? lossy : Status.NOT_RECORDING, reasons);
  }

  private static void addCount(List<String> reasons, long count, String what) {
    if (count > 0) {
      reasons.add((count == 1 ? "1 event " : count + " events ") + what);
    }
  }

  /** A description such as "recording with loss: 12 events dropped". */
  @Override
  public String toString() {
    String words =
        switch (status) {
          case RECORDING -> "recording";
          case RECORDING_WITH_LOSS -> "recording with loss";
          case NOT_RECORDING -> "not recording";
        };
    return reasons.isEmpty() ? words : words + ": " + String.join("; ", reasons);
  }
}
