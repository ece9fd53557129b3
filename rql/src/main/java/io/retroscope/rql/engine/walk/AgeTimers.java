// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.walk;

import io.retroscope.rql.evaluation.AgeComparison;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The comparisons of ages of one query among the alarms of its walk. Used by one thread. */
public final class AgeTimers {
  private final List<AgeComparison> comparisons;
  private final AgeAlarms alarms;
  private final Map<Question, List<AgeAlarms.Watch>> watches = new LinkedHashMap<>();
  private final Set<Question> turned = new LinkedHashSet<>();

  AgeTimers(List<AgeComparison> comparisons, AgeAlarms alarms) {
    this.comparisons = comparisons;
    this.alarms = alarms;
  }

  /** Sets alarms for a question, starting at the present stamp. */
  void watch(Question question) {
    if (!comparisons.isEmpty()) {
      watches.put(
          question,
          comparisons.stream().map(comparison -> alarms.add(comparison, question, this)).toList());
    }
  }

  /** Sets alarms for a question that begins in a cut whose values were written before. */
  void watchFromNow(Question question) {
    watch(question);
    watches.getOrDefault(question, List.of()).forEach(AgeAlarms.Watch::look);
  }

  /** Sets all alarms anew, because the state has moved without them. */
  public void resume() {
    watches.values().forEach(own -> own.forEach(AgeAlarms.Watch::setAlarm));
  }

  /** Removes the alarms of a question. */
  void forget(Question question) {
    List<AgeAlarms.Watch> own = watches.remove(question);
    if (own != null) {
      alarms.remove(own);
    }
  }

  /** Removes all alarms, because the query wants no more cuts. */
  public void close() {
    watches.values().forEach(alarms::remove);
    watches.clear();
    alarms.forget(this);
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
