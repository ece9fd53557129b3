// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.rule.Chance.Unit;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A situation in which a rule can be broken, and the query whose rows are its occurrences. It runs
 * in the walk of the rule itself, see {@link io.retroscope.rql.client.Session#runTogether}.
 *
 * @param part in RQL, for users
 * @param query with EMIT INTERVALS; the first column that is not automatic is the element of FOR
 *     EACH, if there is one
 */
record Situation(Unit unit, String part, String query) {
  /** The most elements of FOR EACH that are distinguished; a count may be less beyond them. */
  private static final int MAX_ELEMENTS = 100_000;

  /** The same situation in the range of a clause ON TIME. */
  Situation during(String onTime) {
    return new Situation(unit, part, query + " " + onTime);
  }

  /** A receiver of the rows, which counts. */
  Counter counter() {
    return new Counter();
  }

  /** The count of a situation. Used by one thread. */
  final class Counter implements RowSink {
    private final Set<Value> elements = new HashSet<>();
    private int cuts = -1;
    private int element = -1;
    private long rows;
    private long sum;

    @Override
    public void columns(List<Column> columns) {
      for (int i = columns.size() - 1; i >= 0; i--) {
        if (columns.get(i).automatic() && columns.get(i).name().equals("cuts")) {
          cuts = i;
        } else if (!columns.get(i).automatic()) {
          element = i;
        }
      }
    }

    @Override
    public boolean row(Row row) {
      rows++;
      sum += cuts >= 0 && row.values().get(cuts) instanceof LongValue count ? count.value() : 0;
      if (unit == Unit.ELEMENTS && elements.size() < MAX_ELEMENTS) {
        elements.add(row.values().get(element));
      }
      return true;
    }

    /** A warning about the walk is one of the rule as well. */
    @Override
    public void warning(String message) {}

    String part() {
      return part;
    }

    Chance chance() {
      long count =
          switch (unit) {
            case CUTS -> sum;
            case TRIGGERS -> rows;
            case ELEMENTS -> elements.size();
          };
      return new Chance(unit, part, count);
    }
  }
}
