// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.rql.cut.Incompleteness.AfterEnd;
import io.retroscope.rql.cut.Incompleteness.Ahead;
import io.retroscope.rql.cut.Incompleteness.BeforeHistory;
import io.retroscope.rql.cut.Incompleteness.Contradicting;
import io.retroscope.rql.cut.Incompleteness.CutOff;
import io.retroscope.rql.cut.Incompleteness.Damaged;
import io.retroscope.rql.cut.Incompleteness.Derived;
import io.retroscope.rql.cut.Incompleteness.Forgotten;
import io.retroscope.rql.cut.Incompleteness.Lost;
import io.retroscope.rql.cut.Incompleteness.MissingBlocks;
import io.retroscope.rql.cut.Incompleteness.Overlapping;
import io.retroscope.rql.cut.Incompleteness.Part;
import io.retroscope.rql.cut.Incompleteness.Quarantined;
import io.retroscope.rql.cut.Incompleteness.Remarked;
import io.retroscope.rql.cut.Incompleteness.Removed;
import io.retroscope.rql.cut.Incompleteness.Reported;
import io.retroscope.rql.cut.Incompleteness.Silent;
import io.retroscope.rql.cut.Incompleteness.Unsent;

/** The effect of an {@link Incompleteness} on the verdict on a claim. */
public enum Bearing {
  /** The verdict stays, and a warning names the unknown. */
  WARNS,
  /** The verdict stays and is borderline: the uncertainty of the clocks could reverse it. */
  BORDERLINE,
  /** Nothing holds: the verdict is inconclusive, or what broke the claim is provisional. */
  UNDECIDES;

  /** The effect of each kind. */
  public static Bearing of(Incompleteness reason) {
    return reason.accept(OfKind.INSTANCE);
  }

  private enum OfKind implements Incompleteness.Visitor<Bearing> {
    INSTANCE;

    @Override
    public Bearing lost(Lost lost) {
      return UNDECIDES;
    }

    @Override
    public Bearing missingBlocks(MissingBlocks missing) {
      return UNDECIDES;
    }

    @Override
    public Bearing silent(Silent silent) {
      return UNDECIDES;
    }

    /** A killed process must not make a range undecidable for ever. */
    @Override
    public Bearing unsent(Unsent unsent) {
      return WARNS;
    }

    @Override
    public Bearing quarantined(Quarantined quarantined) {
      return UNDECIDES;
    }

    @Override
    public Bearing damaged(Damaged damaged) {
      return UNDECIDES;
    }

    @Override
    public Bearing removed(Removed removed) {
      return UNDECIDES;
    }

    /** An operator has decided that nothing more is expected. */
    @Override
    public Bearing forgotten(Forgotten forgotten) {
      return WARNS;
    }

    @Override
    public Bearing cutOff(CutOff cutOff) {
      return UNDECIDES;
    }

    @Override
    public Bearing reported(Reported reported) {
      return UNDECIDES;
    }

    @Override
    public Bearing remarked(Remarked remarked) {
      return WARNS;
    }

    @Override
    public Bearing part(Part part) {
      return UNDECIDES;
    }

    @Override
    public Bearing overlapping(Overlapping overlapping) {
      return UNDECIDES;
    }

    @Override
    public Bearing beforeHistory(BeforeHistory before) {
      return UNDECIDES;
    }

    @Override
    public Bearing afterEnd(AfterEnd after) {
      return UNDECIDES;
    }

    /** The lines of one node are in its own order. */
    @Override
    public Bearing derived(Derived derived) {
      return derived.nodes().size() == 1 ? WARNS : BORDERLINE;
    }

    /** The durations that a verdict depends on are examined one by one. */
    @Override
    public Bearing ahead(Ahead ahead) {
      return WARNS;
    }

    @Override
    public Bearing contradicting(Contradicting contradicting) {
      return UNDECIDES;
    }
  }
}
