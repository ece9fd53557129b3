// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.ast.Statement.Emit;
import java.util.ArrayList;
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
      List.of("endHlc", "endTime", "durationMicros", "durationUncertaintyMicros", "cuts", "open");

  /** The column before the items of a row of EMIT EDGES: {@code rise} or {@code fall}. */
  public static final List<String> OF_EDGE = List.of("edge");

  /**
   * The columns after those of EMIT in a query with THEN or AFTER: the trigger, the number of
   * triggers that the row covers, whether the trigger held before the range, whether events of the
   * window are lost, and whether the uncertainty of clocks could reverse the row.
   */
  public static final List<String> OF_RESPONSE =
      List.of("triggerHlc", "triggers", "atStart", "gap", "borderline");

  /**
   * The column after them in a row of EMIT EDGES: whether the rise is a further one of an
   * obligation that is overdue already.
   */
  public static final String REPEAT = "repeat";

  /** The column after the items: the nodes that were left out of an incomplete cut. */
  public static final String MISSING = "missing";

  /**
   * The largest possible difference between {@code durationMicros} and the duration on the
   * reference node's clock. Tables leave it out.
   */
  public static final String DURATION_UNCERTAINTY = "durationUncertaintyMicros";

  /** The names that the headings of items must not use in any statement. */
  private static final Set<String> NAMES =
      Stream.of(OF_CUT, OF_INTERVAL, OF_EDGE, List.of(MISSING))
          .flatMap(List::stream)
          .filter(name -> !name.equals(DURATION_UNCERTAINTY))
          .collect(Collectors.toUnmodifiableSet());

  private AutomaticColumns() {}

  /** Whether the heading of an item in a query must not have a name. */
  static boolean isReserved(Statement.Query query, String name) {
    boolean responds = query.when().flatMap(Statement.When::response).isPresent();
    boolean isOfInterval = AnalyzedQuery.emit(query) == Emit.INTERVALS;
    return NAMES.contains(name)
        || (name.equals(DURATION_UNCERTAINTY) && isOfInterval)
        || (responds && isOfResponse(name));
  }

  /** Whether THEN or AFTER adds a column of a name. */
  public static boolean isOfResponse(String name) {
    return OF_RESPONSE.contains(name) || name.equals(REPEAT);
  }

  /** Whether a column is automatic in an answer with columns of these names. */
  public static boolean isAutomatic(String name, Set<String> all) {
    return NAMES.contains(name)
        || (name.equals(DURATION_UNCERTAINTY) && all.contains("durationMicros"))
        || (isOfResponse(name) && all.containsAll(OF_RESPONSE));
  }

  /**
   * Returns the columns before the items.
   *
   * @param responds whether the query has THEN or AFTER
   */
  static List<OutputColumn> before(Emit emit, boolean responds) {
    List<String> names = new ArrayList<>(OF_CUT);
    names.addAll(
        switch (emit) {
          case CUTS -> List.of();
          case INTERVALS -> OF_INTERVAL;
          case EDGES -> OF_EDGE;
        });
    if (responds) {
      names.addAll(ofResponse(emit));
    }
    return names.stream().map(name -> new OutputColumn(name, true, type(name))).toList();
  }

  /** Returns the names of the columns that THEN and AFTER add. */
  static List<String> ofResponse(Emit emit) {
    return emit == Emit.EDGES
        ? Stream.concat(OF_RESPONSE.stream(), Stream.of(REPEAT)).toList()
        : OF_RESPONSE;
  }

  /** Returns the column after the items. */
  static OutputColumn missing() {
    return new OutputColumn(MISSING, true, Type.SET);
  }

  private static Type type(String name) {
    return switch (name) {
      case "hlc", "endHlc", "triggerHlc" -> Type.TIMESTAMP;
      case "time", "endTime", "edge" -> Type.STRING;
      case "open", "atStart", "gap", "borderline", REPEAT -> Type.BOOLEAN;
      default -> Type.LONG;
    };
  }
}
