// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.live;

import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.analysis.AutomaticColumns;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A digest of the rows of one query: equal for equal rows, in every process. It leaves out what
 * later evidence may refine, which are the aligned times, and the nodes that were missing. Used by
 * one thread.
 */
final class AnswerDigest implements Value.Visitor<Long> {
  /*
   * The parameters of FNV-1a with 64 bits, applied to characters, and a final mix, so that sums of
   * digests differ as well.
   */
  private static final long BASIS = 0xcbf29ce484222325L;
  private static final long PRIME = 0x100000001b3L;
  private static final long MIX = 0x9e3779b97f4a7c15L;

  /* The digests of the names of the types. */
  private static final long NULL = of("NULL");
  private static final long BOOLEAN = of("BOOLEAN");
  private static final long LONG = of("LONG");
  private static final long DOUBLE = of("DOUBLE");
  private static final long STRING = of("STRING");
  private static final long DURATION = of("DURATION");
  private static final long TIMESTAMP = of("TIMESTAMP");
  private static final long SET = of("SET");
  private static final long STRUCT = of("STRUCT");

  private static final Set<String> REFINED =
      Set.of(
          "time",
          "uncertaintyMicros",
          "endTime",
          AutomaticColumns.DURATION_UNCERTAINTY,
          "borderline",
          AutomaticColumns.MISSING);

  private final boolean[] counts;

  AnswerDigest(List<Column> columns) {
    counts = new boolean[columns.size()];
    for (int i = 0; i < counts.length; i++) {
      Column column = columns.get(i);
      counts[i] = !column.automatic() || !REFINED.contains(column.name());
    }
  }

  long of(Row row) {
    long hash = next(BASIS, row.hlc());
    for (int i = 0; i < counts.length; i++) {
      if (counts[i]) {
        hash = next(hash, row.values().get(i).accept(this));
      }
    }
    return mixed(hash);
  }

  private static long next(long hash, long value) {
    return mixed(hash ^ value) * PRIME;
  }

  private static long mixed(long hash) {
    long mixed = (hash ^ (hash >>> 32)) * MIX;
    return mixed ^ (mixed >>> 29);
  }

  private static long of(String text) {
    long hash = BASIS;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * PRIME;
    }
    return hash;
  }

  @Override
  public Long nullValue(NullValue value) {
    return next(NULL, 0);
  }

  @Override
  public Long booleanValue(BooleanValue value) {
    return next(BOOLEAN, value.value() ? 1 : 0);
  }

  @Override
  public Long longValue(LongValue value) {
    return next(LONG, value.value());
  }

  @Override
  public Long doubleValue(DoubleValue value) {
    return next(DOUBLE, Double.doubleToLongBits(value.value()));
  }

  @Override
  public Long stringValue(StringValue value) {
    return next(STRING, of(value.value()));
  }

  @Override
  public Long durationValue(DurationValue value) {
    return next(DURATION, value.micros());
  }

  @Override
  public Long timestampValue(TimestampValue value) {
    return next(TIMESTAMP, value.packed());
  }

  @Override
  public Long setValue(SetValue value) {
    long hash = BASIS;
    for (Value element : value.elements()) {
      hash = next(hash, element.accept(this));
    }
    return next(SET, hash);
  }

  @Override
  public Long structValue(StructValue value) {
    long hash = BASIS;
    for (Map.Entry<String, Value> field : value.fields().entrySet()) {
      hash = next(next(hash, of(field.getKey())), field.getValue().accept(this));
    }
    return next(STRUCT, hash);
  }
}
