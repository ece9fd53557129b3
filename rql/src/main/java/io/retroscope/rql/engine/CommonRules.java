// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.cut.batch.QuietRule.Limit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * The rules of many queries for the next cut, which find the queries for which it may change
 * something. Used by one thread.
 *
 * @param <Q> a query
 */
final class CommonRules<Q> {
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
  final class Rung {
    private final Ladder ladder;
    private final long place;
    private final QuietRule rule;
    private final Set<Q> queries = new LinkedHashSet<>();
    private int holders;

    private Rung(Ladder ladder, long place, QuietRule rule) {
      this.ladder = ladder;
      this.place = place;
      this.rule = rule;
    }

    /** Makes it one of those that decide about the next cut of a query. */
    void add(Q query) {
      if (queries.isEmpty()) {
        ladder.taken.put(place, this);
        ladder.noteFirst();
      }
      queries.add(query);
    }

    /** Reverses {@link #add}. */
    void remove(Q query) {
      queries.remove(query);
      if (queries.isEmpty()) {
        ladder.taken.remove(place);
        ladder.noteFirst();
      }
    }
  }

  /** Returns the rung of a rule, until {@link #release}. */
  Rung hold(QuietRule rule) {
    Limit limit = rule.limit();
    Object key =
        limit == null ? rule.key() : new Side(limit.number(), limit.whileTrue(), limit.isUpper());
    Ladder ladder = byNumber.computeIfAbsent(key, this::newLadder);
    // The complement reverses the order.
    long place = limit == null ? 0 : limit.isUpper() ? limit.limit() : ~limit.limit();
    Rung rung = ladder.rungs.computeIfAbsent(place, at -> new Rung(ladder, at, rule));
    rung.holders++;
    return rung;
  }

  private Ladder newLadder(Object key) {
    Ladder ladder = new Ladder(key);
    ladders.add(ladder);
    return ladder;
  }

  /** Ends the use of a rung by one of its holders. */
  void release(Rung rung) {
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
      concerned.addAll(rung.queries);
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
