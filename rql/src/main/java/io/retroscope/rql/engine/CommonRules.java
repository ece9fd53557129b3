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
   * for each ladder, and one for each rung that is not quiet, whatever the number of queries.
   */
  private final Map<Object, Ladder<Q>> byNumber = new HashMap<>();

  private final List<Ladder<Q>> ladders = new ArrayList<>();
  private final List<Q> concerned = new ArrayList<>();

  /** What the rules of a ladder have in common. */
  private record Side(Object number, boolean whileTrue, boolean isUpper) {}

  private static final class Ladder<Q> {
    private final Object key;
    private final NavigableMap<Long, Rung<Q>> rungs = new TreeMap<>();

    /** The first rung. */
    private QuietRule strictest = QuietRule.ALWAYS;

    Ladder(Object key) {
      this.key = key;
    }

    void noteFirst() {
      strictest = rungs.isEmpty() ? QuietRule.ALWAYS : rungs.firstEntry().getValue().rule;
    }
  }

  /** A rule, and the queries that have it or an equivalent one. */
  static final class Rung<Q> {
    private final Ladder<Q> ladder;
    private final long place;
    private final QuietRule rule;
    private final Set<Q> queries = new LinkedHashSet<>();

    private Rung(Ladder<Q> ladder, long place, QuietRule rule) {
      this.ladder = ladder;
      this.place = place;
      this.rule = rule;
    }
  }

  /** Adds a rule of a query; returns its rung, for {@link #remove}. */
  Rung<Q> add(Q query, QuietRule rule) {
    Limit limit = rule.limit();
    Object key =
        limit == null ? rule : new Side(limit.number(), limit.whileTrue(), limit.isUpper());
    Ladder<Q> ladder = byNumber.computeIfAbsent(key, this::newLadder);
    // The complement reverses the order.
    long place = limit == null ? 0 : limit.isUpper() ? limit.limit() : ~limit.limit();
    Rung<Q> rung = ladder.rungs.computeIfAbsent(place, at -> new Rung<>(ladder, at, rule));
    rung.queries.add(query);
    ladder.noteFirst();
    return rung;
  }

  private Ladder<Q> newLadder(Object key) {
    Ladder<Q> ladder = new Ladder<>(key);
    ladders.add(ladder);
    return ladder;
  }

  /** Removes a rule of a query. */
  void remove(Q query, Rung<Q> rung) {
    rung.queries.remove(query);
    if (rung.queries.isEmpty()) {
      Ladder<Q> ladder = rung.ladder;
      ladder.rungs.remove(rung.place);
      ladder.noteFirst();
      if (ladder.rungs.isEmpty()) {
        byNumber.remove(ladder.key);
        ladders.remove(ladder);
      }
    }
  }

  /**
   * Returns the queries of which a rule is not quiet in the present state; one may be there several
   * times. The list is valid until the next call.
   */
  List<Q> concerned() {
    concerned.clear();
    for (int i = 0; i < ladders.size(); i++) {
      Ladder<Q> ladder = ladders.get(i);
      if (!ladder.strictest.isQuiet()) {
        addConcerned(ladder);
      }
    }
    return concerned;
  }

  private void addConcerned(Ladder<Q> ladder) {
    for (Rung<Q> rung : ladder.rungs.values()) {
      if (rung.rule.isQuiet()) {
        return;
      }
      concerned.addAll(rung.queries);
    }
  }

  /** The number of rules that differ. */
  int size() {
    return ladders.stream().mapToInt(ladder -> ladder.rungs.size()).sum();
  }
}
