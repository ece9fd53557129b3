// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import io.retroscope.rql.evaluation.AgeComparison;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The comparisons of ages of one query among the alarms of its walk. Used by one thread. */
final class AgeTimers {
  private final List<AgeComparison> comparisons;
  private final AgeAlarms alarms;
  private final Set<Question> turned = new LinkedHashSet<>();

  AgeTimers(List<AgeComparison> comparisons, AgeAlarms alarms) {
    this.comparisons = comparisons;
    this.alarms = alarms;
  }

  /** Sets alarms for a question, starting at the present stamp. */
  void watch(Question question) {
    for (AgeComparison comparison : comparisons) {
      AgeAlarms.Watch unused = alarms.add(comparison, question, this);
    }
  }

  /** Sets alarms for a question that begins in a cut whose values were written before. */
  void watchFromNow(Question question) {
    comparisons.forEach(comparison -> alarms.add(comparison, question, this).look());
  }

  /** Sets all alarms anew, because the state has moved without them. */
  void resume() {
    if (!comparisons.isEmpty()) {
      alarms.resume(this);
    }
  }

  /** Removes the alarms of a question. */
  void forget(Question question) {
    if (!comparisons.isEmpty()) {
      alarms.forget(question);
    }
  }

  /** Removes all alarms, because the query wants no more cuts. */
  void close() {
    if (!comparisons.isEmpty()) {
      alarms.forget(this);
    }
  }

  /** Begins another stamp, at which nothing is written. */
  void forgetTurned() {
    turned.clear();
  }

  /** The questions for which the present stamp is a cut because time has passed. */
  Set<Question> turned() {
    return turned;
  }
}
