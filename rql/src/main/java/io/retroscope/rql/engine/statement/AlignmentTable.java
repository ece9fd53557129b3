// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.statement;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.ClockOffsets.Offset;
import io.retroscope.rql.cut.NodeAlignment;
import io.retroscope.rql.cut.NodeAlignment.Drift;
import io.retroscope.rql.cut.NodeAlignment.Step;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The known clock offsets of the nodes as a result, with one row per node in natural order. SHOW
 * ALIGNMENT, {@code GET /v1/alignment} and {@code retroscope align} all show these columns. An
 * unknown value is NULL, never zero.
 */
public final class AlignmentTable {
  /** The name of the node. */
  public static final String NODE = "node";

  /**
   * The node from whose clock the offset is: the driver or, for nodes that no messages link to it,
   * the highest clock that messages link to them.
   */
  public static final String DRIVER = "driver";

  /** The stamp since which that node is the driver; NULL if it is not. */
  public static final String DRIVER_SINCE_HLC = "driverSinceHlc";

  /** The estimated microseconds to add to the node's readings to get the driver's. */
  public static final String OFFSET_MICROS = "offsetMicros";

  /** The least offset that is consistent with the evidence. */
  public static final String LOW_MICROS = "lowMicros";

  /** The greatest offset that is consistent with the evidence. */
  public static final String HIGH_MICROS = "highMicros";

  /** The rate at which the offset grows. */
  public static final String DRIFT_PPM = "driftPpm";

  /** The maximum difference between the true drift and the estimate. */
  public static final String DRIFT_UNCERTAINTY_PPM = "driftUncertaintyPpm";

  /** The number of the node's events that bound its offset. */
  public static final String EVIDENCE_COUNT = "evidenceCount";

  /** The age of the newest of these events. */
  public static final String EVIDENCE_AGE_MICROS = "evidenceAgeMicros";

  /** The stamp at which the last clock step was found. */
  public static final String LAST_STEP_HLC = "lastStepHlc";

  /** The least size of that step. */
  public static final String LAST_STEP_MICROS = "lastStepMicros";

  /** The columns of every row. */
  public static final List<Column> COLUMNS =
      Stream.of(
              NODE,
              DRIVER,
              DRIVER_SINCE_HLC,
              OFFSET_MICROS,
              LOW_MICROS,
              HIGH_MICROS,
              DRIFT_PPM,
              DRIFT_UNCERTAINTY_PPM,
              EVIDENCE_COUNT,
              EVIDENCE_AGE_MICROS,
              LAST_STEP_HLC,
              LAST_STEP_MICROS)
          .map(name -> new Column(name, false))
          .toList();

  private final String driver;
  private final Value driverSince;
  private final List<NodeAlignment> nodes;

  private AlignmentTable(ClockOffsets clocks) {
    nodes = clocks.alignment();
    driver = clocks.referenceNode().orElse("");
    driverSince =
        nodes.stream()
            .map(NodeAlignment::driverSinceHlc)
            .filter(OptionalLong::isPresent)
            .<Value>map(hlc -> new TimestampValue(hlc.getAsLong()))
            .findFirst()
            .orElse(NullValue.NULL);
  }

  /** Returns the rows for the present state of the alignment. */
  public static List<Row> rows(ClockOffsets clocks) {
    AlignmentTable table = new AlignmentTable(clocks);
    return IntStream.range(0, table.nodes.size()).mapToObj(table::row).toList();
  }

  private Row row(int ordinal) {
    NodeAlignment node = nodes.get(ordinal);
    // An offset without any bound is only a guess.
    Optional<Offset> offset =
        node.offset().filter(some -> some.lowMicros().isPresent() || some.highMicros().isPresent());
    List<Value> values =
        List.of(
            Value.of(node.node()),
            Value.of(node.reference()),
            node.reference().equals(driver) ? driverSince : NullValue.NULL,
            orNull(offset, known -> Value.of(known.estimateMicros())),
            orNull(offset.map(Offset::lowMicros).orElse(OptionalLong.empty())),
            orNull(offset.map(Offset::highMicros).orElse(OptionalLong.empty())),
            orNull(node.drift().map(Drift::ppm), Value::of),
            orNull(node.drift().map(Drift::uncertaintyPpm), Value::of),
            Value.of(node.evidenceCount()),
            orNull(node.evidenceAgeMicros()),
            orNull(node.lastStep(), step -> new TimestampValue(step.hlc())),
            orNull(node.lastStep().map(Step::sizeMicros), Value::of));
    return new Row(HlcTimestamp.MIN_PACKED, ordinal, values, Optional.empty());
  }

  private static <T> Value orNull(Optional<T> known, Function<T, Value> value) {
    return known.map(value).orElse(NullValue.NULL);
  }

  private static Value orNull(OptionalLong number) {
    return number.isPresent() ? Value.of(number.getAsLong()) : NullValue.NULL;
  }
}
