// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.lattice;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import java.util.List;

/**
 * What a reason for incompleteness makes doubtful in the cuts of a range. Returns whether it does;
 * if not, a warning is enough.
 */
record DetectionDoubt(Doubts doubts, List<String> nodes, HlcRange range)
    implements Incompleteness.Visitor<Boolean> {
  /** An event that is missing may have been a message or, at a node that counts, a value. */
  private boolean events(Incompleteness reason, String sentence) {
    if (reason.nodes().isEmpty() || reason.nodes().stream().anyMatch(nodes::contains)) {
      doubts.ofStates(sentence);
    } else if (reason.range().overlaps(range)) {
      doubts.ofMessages(sentence);
    }
    return true;
  }

  @Override
  public Boolean lost(Incompleteness.Lost lost) {
    Gap gap = lost.gap();
    String sentence =
        "events of node %s are lost between %s and %s"
            .formatted(
                gap.node(),
                new HlcTimestamp(gap.range().from()),
                new HlcTimestamp(gap.range().to()));
    return events(lost, sentence);
  }

  @Override
  public Boolean missingBlocks(Incompleteness.MissingBlocks missing) {
    return events(missing, missing.sentence());
  }

  @Override
  public Boolean silent(Incompleteness.Silent silent) {
    return events(silent, silent.sentence());
  }

  @Override
  public Boolean unsent(Incompleteness.Unsent unsent) {
    return false; // A killed process must not make a range undecidable for ever.
  }

  @Override
  public Boolean quarantined(Incompleteness.Quarantined quarantined) {
    return events(quarantined, quarantined.sentence());
  }

  @Override
  public Boolean damaged(Incompleteness.Damaged damaged) {
    return events(damaged, damaged.sentence());
  }

  @Override
  public Boolean removed(Incompleteness.Removed removed) {
    return events(removed, removed.sentence());
  }

  @Override
  public Boolean forgotten(Incompleteness.Forgotten forgotten) {
    return false;
  }

  @Override
  public Boolean cutOff(Incompleteness.CutOff cutOff) {
    return events(cutOff, cutOff.sentence());
  }

  @Override
  public Boolean reported(Incompleteness.Reported reported) {
    return events(reported, reported.sentence());
  }

  @Override
  public Boolean remarked(Incompleteness.Remarked remarked) {
    return false;
  }

  @Override
  public Boolean part(Incompleteness.Part part) {
    return events(part, part.sentence());
  }

  @Override
  public Boolean overlapping(Incompleteness.Overlapping overlapping) {
    if (overlapping.range().overlaps(range)) {
      doubts.ofStates(overlapping.sentence());
    }
    return true;
  }

  @Override
  public Boolean beforeHistory(Incompleteness.BeforeHistory before) {
    doubts.ofRange(before.sentence());
    return true;
  }

  @Override
  public Boolean afterEnd(Incompleteness.AfterEnd after) {
    doubts.ofRange(after.sentence());
    return true;
  }

  /** Clocks are not used, except that they order the events of one node. */
  @Override
  public Boolean derived(Incompleteness.Derived derived) {
    return false;
  }

  @Override
  public Boolean ahead(Incompleteness.Ahead ahead) {
    return false;
  }

  /** The recorded messages count, whatever their stamps say. */
  @Override
  public Boolean contradicting(Incompleteness.Contradicting contradicting) {
    return false;
  }
}
