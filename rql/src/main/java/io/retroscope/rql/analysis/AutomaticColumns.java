package io.retroscope.rql.analysis;

import io.retroscope.rql.ast.Statement.Emit;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The columns that a result has in addition to the items of its query. */
public final class AutomaticColumns {
  /**
   * The columns before the items of every row: the cut, its aligned time and half that time's
   * width.
   */
  public static final List<String> OF_CUT = List.of("hlc", "time", "uncertaintyMicros");

  /** The columns before the items of a row of EMIT INTERVALS, after those of its first cut. */
  public static final List<String> OF_INTERVAL =
      List.of("endHlc", "endTime", "durationMicros", "cuts", "open");

  /** The column before the items of a row of EMIT EDGES: {@code rise} or {@code fall}. */
  public static final List<String> OF_EDGE = List.of("edge");

  /** The column after the items: the nodes that were left out of an incomplete cut. */
  public static final String MISSING = "missing";

  /** The names of all these columns, which the headings of items must not use. */
  public static final Set<String> NAMES =
      Stream.of(OF_CUT, OF_INTERVAL, OF_EDGE, List.of(MISSING))
          .flatMap(List::stream)
          .collect(Collectors.toUnmodifiableSet());

  private AutomaticColumns() {}

  /** Returns the columns before the items. */
  static List<OutputColumn> before(Emit emit) {
    List<String> added =
        switch (emit) {
          case CUTS -> List.of();
          case INTERVALS -> OF_INTERVAL;
          case EDGES -> OF_EDGE;
        };
    return Stream.concat(OF_CUT.stream(), added.stream())
        .map(name -> new OutputColumn(name, true, type(name)))
        .toList();
  }

  /** Returns the column after the items. */
  static OutputColumn missing() {
    return new OutputColumn(MISSING, true, Type.SET);
  }

  private static Type type(String name) {
    return switch (name) {
      case "hlc", "endHlc" -> Type.TIMESTAMP;
      case "time", "endTime", "edge" -> Type.STRING;
      case "open" -> Type.BOOLEAN;
      default -> Type.LONG;
    };
  }
}
