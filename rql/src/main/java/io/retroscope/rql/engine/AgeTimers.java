// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.CutTimers;
import io.retroscope.rql.cut.state.NodeSigns;
import io.retroscope.rql.cut.state.VariableColumn;
import io.retroscope.rql.evaluation.AgeComparison;
import io.retroscope.rql.evaluation.AgeComparison.Cause;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.stream.Stream;

/** Timers that make a cut when a comparison of an age with a constant becomes true. */
final class AgeTimers implements CutTimers {
  /*
   * A write resets the age at its node to 0, which postpones every comparison that waits for an age
   * to rise. An alarm may therefore remain set when the variable is written: it fires too early,
   * finds nothing, and is set again. The next alarm can become earlier only if a node gets its
   * first value or loses its value.
   *
   * A sign of a node resets its silence likewise, except that no write comes with it: the sign makes
   * a cut if it changes the truth of a comparison.
   */
  private final List<AgeComparison> comparisons;
  private final NodeSigns signs;
  private final boolean awaitsSigns;
  private final Map<VariableColumn, List<Watch>> steady = new HashMap<>();
  private final List<Watch> unsteady = new ArrayList<>();
  private final PriorityQueue<Alarm> alarms =
      new PriorityQueue<>(Comparator.comparingLong(Alarm::hlc));
  private final Set<Question> turned = new LinkedHashSet<>();

  private record Alarm(long hlc, Watch watch) {}

  AgeTimers(List<AgeComparison> comparisons, NodeSigns signs) {
    this.comparisons = comparisons;
    this.signs = signs;
    this.awaitsSigns = comparisons.stream().anyMatch(one -> one.cause() == Cause.SIGNS);
  }

  /** Sets alarms for a question, starting at the present stamp. */
  void watch(Question question) {
    for (AgeComparison comparison : comparisons) {
      Watch watch = new Watch(comparison, question);
      if (comparison.cause() == Cause.OWN_WRITES) {
        steady.computeIfAbsent(watch.column, column -> new ArrayList<>()).add(watch);
      } else {
        unsteady.add(watch);
      }
    }
  }

  /** Sets alarms for a question that begins in a cut whose values were written before. */
  void watchFromNow(Question question) {
    watch(question);
    Stream.concat(steady.values().stream().flatMap(List::stream), unsteady.stream())
        .filter(watch -> watch.question == question)
        .forEach(Watch::look);
  }

  /** Sets all alarms anew, because the state has moved without them. */
  void resume() {
    steady.values().forEach(watches -> watches.forEach(Watch::setAlarm));
    unsteady.forEach(Watch::setAlarm);
  }

  /** Removes the alarms of a question. */
  void forget(Question question) {
    if (!comparisons.isEmpty()) {
      steady.values().forEach(watches -> watches.removeIf(watch -> watch.question == question));
      unsteady.removeIf(watch -> watch.question == question);
      alarms.removeIf(alarm -> alarm.watch().question == question);
    }
  }

  @Override
  public long next() {
    long next = alarms.isEmpty() ? NEVER : alarms.peek().hlc();
    return awaitsSigns ? Math.min(next, signs.nextChange()) : next;
  }

  /** Begins another stamp, at which nothing is written. */
  void forgetTurned() {
    turned.clear();
  }

  /** The questions for which the present stamp is a cut because time has passed. */
  Set<Question> turned() {
    return turned;
  }

  @Override
  public boolean fire(CutState state) {
    if (comparisons.isEmpty()) {
      return false;
    }
    turned.clear();
    while (!alarms.isEmpty() && alarms.peek().hlc() <= state.hlc()) {
      Alarm alarm = alarms.remove();
      if (alarm.hlc() == alarm.watch().alarm.hlc()) {
        alarm.watch().look();
      }
    }
    if (awaitsSigns && signs.takeChange()) {
      unsteady.forEach(Watch::noteSign);
    }
    for (VariableColumn column : state.touched()) {
      steady.getOrDefault(column, List.of()).forEach(Watch::update);
    }
    if (!state.touched().isEmpty()) {
      unsteady.forEach(Watch::setAlarm);
    }
    return !turned.isEmpty();
  }

  /** One comparison of one question. */
  private final class Watch {
    private final AgeComparison comparison;
    private final Question question;
    private final VariableColumn column;
    private Alarm alarm = new Alarm(NEVER, this);
    private long appearances = -1;

    Watch(AgeComparison comparison, Question question) {
      this.comparison = comparison;
      this.question = question;
      this.column = comparison.column(question.frame());
    }

    /** Updates the alarm after a write of the variable. */
    void update() {
      if (alarm.hlc() == NEVER || appearances != column.appearances()) {
        setAlarm();
      }
    }

    /** Decides whether the comparison becomes true now, and when it does next. */
    void look() {
      if (comparison.turnsNow(question.frame())) {
        turned.add(question);
      }
      setAlarm();
    }

    /** Decides whether a sign of a node changes the truth of the comparison. */
    void noteSign() {
      if (comparison.cause() == Cause.SIGNS) {
        if (comparison.turnsBySign(question.frame())) {
          turned.add(question);
        }
        setAlarm();
      }
    }

    void setAlarm() {
      appearances = column.appearances();
      long next = comparison.nextTurn(question.frame());
      if (next != alarm.hlc()) {
        alarm = new Alarm(next, this);
        if (next != NEVER) {
          alarms.add(alarm);
        }
      }
    }
  }
}
