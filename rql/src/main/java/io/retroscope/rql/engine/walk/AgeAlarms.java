// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.walk;

import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.CutTimers;
import io.retroscope.rql.cut.state.NodeSigns;
import io.retroscope.rql.cut.state.VariableColumn;
import io.retroscope.rql.evaluation.AgeComparison;
import io.retroscope.rql.evaluation.AgeComparison.Cause;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * The alarms of all queries of a walk, which make a cut when a comparison of an age with a constant
 * becomes true. Used by one thread.
 */
public final class AgeAlarms implements CutTimers {
  /*
   * A write resets the age at its node to 0, which postpones every comparison that waits for an age
   * to rise. An alarm may therefore remain set when the variable is written: it fires too early,
   * finds nothing, and is set again. The next alarm can become earlier only if a node gets its
   * first value or loses its value. So a stamp costs the same whatever the number of queries, as
   * long as all of them wait.
   *
   * A sign of a node resets its silence likewise, except that no write comes with it: the sign makes
   * a cut if it changes the truth of a comparison.
   */
  private final NodeSigns signs;
  private final Map<VariableColumn, Steady> steady = new HashMap<>();
  private final Set<Watch> unsteady = new LinkedHashSet<>();

  /** The watches with an alarm, the next one first. */
  private final NavigableSet<Watch> alarms =
      new TreeSet<>(
          Comparator.<Watch>comparingLong(watch -> watch.alarmHlc)
              .thenComparingLong(watch -> watch.number));

  /** The timers of which the present stamp is a cut. */
  private final Set<AgeTimers> turned = new LinkedHashSet<>();

  private long watchCount;
  private boolean awaitsSigns;

  /** The watches that only writes of one variable affect. */
  private static final class Steady {
    private final Set<Watch> watches = new LinkedHashSet<>();

    /** Those without an alarm, to which any write may give one. */
    private final Set<Watch> unset = new LinkedHashSet<>();

    private long appearances = -1;

    /** Updates the alarms after a write of the variable. */
    void written(VariableColumn column) {
      if (appearances != column.appearances()) {
        appearances = column.appearances();
        watches.forEach(Watch::setAlarm);
      } else if (!unset.isEmpty()) {
        List.copyOf(unset).forEach(Watch::setAlarm);
      }
    }
  }

  /**
   * Creates alarms, of which none is set.
   *
   * @param signs when nodes were heard from last
   */
  public AgeAlarms(NodeSigns signs) {
    this.signs = signs;
  }

  /** Adds a comparison of a question, which has no alarm yet. */
  Watch add(AgeComparison comparison, Question question, AgeTimers owner) {
    Watch watch = new Watch(comparison, question, owner);
    if (comparison.cause() == Cause.OWN_WRITES) {
      Steady others = steady.computeIfAbsent(watch.column, column -> new Steady());
      others.watches.add(watch);
      others.unset.add(watch);
    } else {
      unsteady.add(watch);
      awaitsSigns |= comparison.cause() == Cause.SIGNS;
    }
    return watch;
  }

  /** Removes watches. */
  void remove(List<Watch> leaving) {
    leaving.forEach(this::remove);
  }

  private void remove(Watch watch) {
    Steady others = steady.get(watch.column);
    if (others != null) {
      others.watches.remove(watch);
      others.unset.remove(watch);
    }
    unsteady.remove(watch);
    alarms.remove(watch);
  }

  /** Forgets that the present stamp is a cut of some timers. */
  void forget(AgeTimers owner) {
    turned.remove(owner);
  }

  /** The number of alarms. */
  public int size() {
    return alarms.size();
  }

  @Override
  public long next() {
    long next = alarms.isEmpty() ? NEVER : alarms.first().alarmHlc;
    return awaitsSigns ? Math.min(next, signs.nextChange()) : next;
  }

  @Override
  public boolean fire(CutState state) {
    forgetTurned();
    while (!alarms.isEmpty() && alarms.first().alarmHlc <= state.hlc()) {
      alarms.first().ring();
    }
    if (awaitsSigns && signs.takeChange()) {
      unsteady.forEach(Watch::noteSign);
    }
    if (!steady.isEmpty()) {
      updateSteady(state);
    }
    if (!unsteady.isEmpty() && !state.touched().isEmpty()) {
      unsteady.forEach(Watch::setAlarm);
    }
    return !turned.isEmpty();
  }

  private void updateSteady(CutState state) {
    for (VariableColumn column : state.touched()) {
      Steady some = steady.get(column);
      if (some != null) {
        some.written(column);
      }
    }
  }

  private void forgetTurned() {
    if (!turned.isEmpty()) {
      turned.forEach(AgeTimers::forgetTurned);
      turned.clear();
    }
  }

  /** One comparison of one question. */
  final class Watch {
    private final AgeComparison comparison;
    private final Question question;
    private final AgeTimers owner;
    private final VariableColumn column;
    private final long number = watchCount++;
    private long alarmHlc = NEVER;

    private Watch(AgeComparison comparison, Question question, AgeTimers owner) {
      this.comparison = comparison;
      this.question = question;
      this.owner = owner;
      this.column = comparison.column(question.frame());
    }

    private void ring() {
      setAlarm(NEVER);
      look();
    }

    /** Decides whether the comparison becomes true now, and when it does next. */
    void look() {
      if (comparison.turnsNow(question.frame())) {
        turn();
      }
      setAlarm();
    }

    /** Decides whether a sign of a node changes the truth of the comparison. */
    private void noteSign() {
      if (comparison.cause() == Cause.SIGNS) {
        if (comparison.turnsBySign(question.frame())) {
          turn();
        }
        setAlarm();
      }
    }

    private void turn() {
      owner.turned().add(question);
      turned.add(owner);
    }

    /** Sets the alarm for the next time at which the comparison becomes true. */
    void setAlarm() {
      setAlarm(comparison.nextTurn(question.frame()));
      noteUnset();
    }

    private void setAlarm(long hlc) {
      if (hlc != alarmHlc) {
        alarms.remove(this); // Before its place in the order changes.
        alarmHlc = hlc;
        if (hlc != NEVER) {
          alarms.add(this);
        }
      }
    }

    private void noteUnset() {
      Steady others = steady.get(column);
      if (others != null && comparison.cause() == Cause.OWN_WRITES) {
        if (alarmHlc == NEVER) {
          others.unset.add(this);
        } else {
          others.unset.remove(this);
        }
      }
    }
  }
}
