// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.batch;

import io.retroscope.blocks.zone.LongZone;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.ValueType;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.VariableColumn;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A walk over all cuts of a block that is not read, if its zone and a {@link QuietRule} show that
 * nothing happens at them. Used by one thread.
 *
 * <p>The zone knows the block, and the state the values before it. Together they bound the values
 * at each cut, and they determine the state after the last one.
 */
public final class QuietBlock {
  /**
   * The most variables: the rule is evaluated for each combination of their early and late cuts.
   */
  private static final int MAX_VARIABLES = 4;

  private final CutBatch batch;
  private final CutState state;
  private final List<Effect> effects = new ArrayList<>();
  private long cuts;

  /** What the block does to one followed variable. */
  private static final class Effect {
    private final LongZone.Variable zone;
    private final VariableColumn column;

    /** The ids of the zone's nodes. */
    private final int[] nodes;

    Effect(LongZone.Variable zone, VariableColumn column, int[] nodes) {
      this.zone = zone;
      this.column = column;
      this.nodes = nodes;
    }

    void apply() {
      for (int i = 0; i < nodes.length; i++) {
        LongZone.Node node = zone.nodes().get(i);
        boolean isConstant = node.changeHlc() == LongZone.NEVER;
        column.settleLong(
            nodes[i], node.number(), isConstant ? node.firstHlc() : node.changeHlc(), !isConstant);
      }
    }
  }

  public QuietBlock(CutBatch batch) {
    this.batch = batch;
    this.state = batch.state();
  }

  /** Applies the block if the rule allows it; returns whether it did. */
  public boolean pass(LongZone zone, QuietRule rule) {
    if (!resolve(zone) || !isQuiet(rule)) {
      return false;
    }
    effects.forEach(Effect::apply);
    return true;
  }

  /** The number of cuts passed. */
  public long cuts() {
    return cuts;
  }

  /** The packed stamp of the last cut passed. */
  public long lastCut() {
    long last = HlcTimestamp.MIN_PACKED;
    for (Effect effect : effects) {
      last = Math.max(last, effect.zone.lastHlc());
    }
    return last;
  }

  private boolean resolve(LongZone zone) {
    effects.clear();
    CutState.LogColumns columns = state.columnsOf(zone.log());
    if (columns == null) {
      return false;
    }
    for (String name : zone.written()) {
      if (columns.follows(name)) {
        Effect effect = effect(zone.variable(name), columns.holdingState(name));
        if (effect == null || effects.size() == MAX_VARIABLES) {
          return false;
        }
        effects.add(effect);
      }
    }
    // How many stamps some of several variables have in common is not known.
    boolean areAll = effects.size() == zone.written().size();
    cuts = effects.size() == 1 ? effects.get(0).zone.cuts() : zone.cuts();
    return effects.size() == 1 || (areAll && !effects.isEmpty());
  }

  /**
   * Returns null unless all nodes are part of the cut and have a LONG, which the block replaces.
   */
  private @Nullable Effect effect(
      LongZone.@Nullable Variable zone, @Nullable VariableColumn column) {
    if (zone == null || column == null || column.packedType() != ValueType.LONG) {
      return null;
    }
    int[] nodes = new int[zone.nodes().size()];
    for (int i = 0; i < nodes.length; i++) {
      nodes[i] = state.nodes().find(zone.nodes().get(i).name());
      if (!column.isPacked(nodes[i])) {
        return null;
      }
    }
    return new Effect(zone, column, nodes);
  }

  /** Evaluates the rule over the early and the late cuts; those of several variables may mix. */
  private boolean isQuiet(QuietRule rule) {
    boolean quiet = true;
    for (int early = 0; early < 1 << effects.size() && quiet; early++) {
      quiet = !exist(early) || isQuiet(rule, early);
    }
    return quiet;
  }

  /** Cuts before the first write of a variable are among its early ones if another is written. */
  private boolean exist(int early) {
    return effects.size() > 1 || early == 0 || effects.get(0).zone.early().exists();
  }

  private boolean isQuiet(QuietRule rule, int early) {
    long part = batch.beginPart();
    for (int i = 0; i < effects.size(); i++) {
      Effect effect = effects.get(i);
      boolean isEarly = (early & 1 << i) != 0;
      batch.of(effect.column).select(effect.zone, isEarly, effect.nodes, part);
    }
    return batch.isQuietOverBlock(rule);
  }
}
