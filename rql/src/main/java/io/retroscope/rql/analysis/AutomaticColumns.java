package io.retroscope.rql.analysis;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The columns that an answer adds by itself, beside the items that its query asks for. */
public final class AutomaticColumns {
  /** Before the items of every row: the cut, its aligned time and half that time's width. */
  public static final List<String> OF_CUT = List.of("hlc", "time", "uncertaintyMicros");

  /** Before the items of a row of EMIT INTERVALS, after those of its first cut. */
  public static final List<String> OF_INTERVAL =
      List.of("endHlc", "endTime", "durationMicros", "cuts", "open");

  /** Before the items of a row of EMIT EDGES: {@code rise} or {@code fall}. */
  public static final List<String> OF_EDGE = List.of("edge");

  /** After the items: the nodes that were left out of an incomplete cut. */
  public static final String MISSING = "missing";

  /** All their names: an item must not be headed by one. */
  public static final Set<String> NAMES =
      Stream.of(OF_CUT, OF_INTERVAL, OF_EDGE, List.of(MISSING))
          .flatMap(List::stream)
          .collect(Collectors.toUnmodifiableSet());

  private AutomaticColumns() {}
}
