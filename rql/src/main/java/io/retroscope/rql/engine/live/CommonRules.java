// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.live;

import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.cut.batch.QuietRule.Limit;
import io.retroscope.rql.engine.walk.JointRule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The rules of many queries for the next cut, which find the queries for which it may change
 * something. Used by one thread.
 *
 * @param <Q> a query
 */
final class CommonRules<Q> {
  private static final int NOT_TAKEN = -1;

  /*
   * Rules that compare the same number in the same direction are the rungs of one ladder, the one
   * that is quiet least often first. If a rung is quiet, all after it are. So a cut costs one rule
   * for each ladder, and one for each rung that is not quiet, whatever the number of queries. Equal
   * rules without a limit are one rung, so that many clients of one query cost the rules of one.
   *
   * Queries take and leave the same few rungs again and again, so that they keep hold of them.
   */
  private final Map<Object, Ladder> byNumber = new HashMap<>();

  private final List<Ladder> ladders = new ArrayList<>();
  private final List<Q> concerned = new ArrayList<>();
  private final JointRule joint = new JointRule();

  /** Whether the joint rule consists of the present first rungs. */
  private boolean isJoint;

  /** What the rules of a ladder have in common. */
  private record Side(Object number, boolean whileTrue, boolean isUpper) {}

  private final class Ladder {
    private final Object key;
    private final Map<Long, Rung> rungs = new HashMap<>();
    private final NavigableMap<Long, Rung> taken = new TreeMap<>();

    /** The rule of the first rung that is taken. */
    private QuietRule strictest = QuietRule.ALWAYS;

    Ladder(Object key) {
      this.key = key;
    }

    void noteFirst() {
      strictest = taken.isEmpty() ? QuietRule.ALWAYS : taken.firstEntry().getValue().rule;
      isJoint = false;
    }
  }

  /** A rule, and the queries of which the next cut depends on it or on an equivalent one. */
  private final class Rung {
    private final Ladder ladder;
    private final long place;
    private final QuietRule rule;
    private final List<Hold> taken = new ArrayList<>();
    private int holders;

    Rung(Ladder ladder, long place, QuietRule rule) {
      this.ladder = ladder;
      this.place = place;
      this.rule = rule;
    }
  }

  /** A query's hold of a rung, until {@link #release}. */
  final class Hold {
    private final Rung rung;
    private final Q query;

    /** Its index among those that have taken the rung. */
    private int index = NOT_TAKEN;

    private Hold(Rung rung, Q query) {
      this.rung = rung;
      this.query = query;
    }

    /** Makes the rung one of those that decide about the next cut of the query. */
    void take() {
      if (rung.taken.isEmpty()) {
        rung.ladder.taken.put(rung.place, rung);
        rung.ladder.noteFirst();
      }
      index = rung.taken.size();
      rung.taken.add(this);
    }

    /** Reverses {@link #take}. */
    void leave() {
      Hold last = rung.taken.remove(rung.taken.size() - 1);
      if (last != this) {
        rung.taken.set(index, last);
        last.index = index;
      }
      index = NOT_TAKEN;
      if (rung.taken.isEmpty()) {
        rung.ladder.taken.remove(rung.place);
        rung.ladder.noteFirst();
      }
    }
  }

  /** Returns a query's hold of the rung of a rule, which it has not taken. */
  Hold hold(QuietRule rule, Q query) {
    Limit limit = rule.limit();
    Object key =
        limit == null ? rule.key() : new Side(limit.number(), limit.whileTrue(), limit.isUpper());
    Ladder ladder = byNumber.computeIfAbsent(key, this::newLadder);
    // The complement reverses the order.
    long place = limit == null ? 0 : limit.isUpper() ? limit.limit() : ~limit.limit();
    Rung rung = ladder.rungs.computeIfAbsent(place, at -> new Rung(ladder, at, rule));
    rung.holders++;
    return new Hold(rung, query);
  }

  private Ladder newLadder(Object key) {
    Ladder ladder = new Ladder(key);
    ladders.add(ladder);
    return ladder;
  }

  /** Ends a hold, of which the rung is not taken. */
  void release(Hold hold) {
    Rung rung = hold.rung;
    Ladder ladder = rung.ladder;
    if (--rung.holders == 0) {
      ladder.rungs.remove(rung.place);
    }
    if (ladder.rungs.isEmpty()) {
      byNumber.remove(ladder.key);
      ladders.remove(ladder);
    }
  }

  /**
   * Returns the queries of which a rule is not quiet in the present state; one may be there several
   * times. The list is valid until the next call.
   */
  List<Q> concerned() {
    concerned.clear();
    for (int i = 0; i < ladders.size(); i++) {
      Ladder ladder = ladders.get(i);
      if (!ladder.strictest.isQuiet()) {
        addConcerned(ladder);
      }
    }
    return concerned;
  }

  private void addConcerned(Ladder ladder) {
    for (Rung rung : ladder.taken.values()) {
      if (rung.rule.isQuiet()) {
        return;
      }
      for (int i = 0; i < rung.taken.size(); i++) {
        concerned.add(rung.taken.get(i).query);
      }
    }
  }

  /** The rule that is quiet if all are, valid until a query joins or leaves a rung. */
  QuietRule joint() {
    if (!isJoint) {
      isJoint = true;
      joint.clear();
      ladders.forEach(ladder -> joint.add(ladder.strictest, ladder.strictest.limit()));
    }
    return joint;
  }

  /** The number of ladders and of rungs. */
  int size() {
    return ladders.stream().mapToInt(ladder -> 1 + ladder.rungs.size()).sum();
  }
}
