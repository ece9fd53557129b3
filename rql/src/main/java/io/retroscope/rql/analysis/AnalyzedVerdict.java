// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.rql.ast.Statement;
import java.util.List;

/**
 * A verdict, which has one row.
 *
 * @param query as parsed
 * @param evidence the query whose rows decide
 */
public record AnalyzedVerdict(Statement.Verdict query, AnalyzedSelection evidence)
    implements AnalyzedSelection {
  /** The columns with the first row that decided; NULL without one. */
  public static final List<String> OF_FIRST =
      List.of(
          "hlc",
          "time",
          "uncertaintyMicros",
          "endHlc",
          "endTime",
          "durationMicros",
          "durationUncertaintyMicros",
          "open");

  private static final List<OutputColumn> COLUMNS =
      List.of(
          new OutputColumn("verdict", false, Type.STRING),
          new OutputColumn("episodes", false, Type.LONG),
          new OutputColumn("hlc", true, Type.TIMESTAMP),
          new OutputColumn("time", true, Type.STRING),
          new OutputColumn("uncertaintyMicros", true, Type.LONG),
          new OutputColumn("endHlc", true, Type.TIMESTAMP),
          new OutputColumn("endTime", true, Type.STRING),
          new OutputColumn("durationMicros", true, Type.LONG),
          new OutputColumn("durationUncertaintyMicros", true, Type.LONG),
          new OutputColumn("open", true, Type.BOOLEAN),
          new OutputColumn("cut", false, Type.ANY),
          new OutputColumn("reason", false, Type.STRING),
          new OutputColumn("borderline", false, Type.BOOLEAN));

  @Override
  public List<OutputColumn> columns() {
    return COLUMNS;
  }

  @Override
  public AnalyzedQuery walk() {
    return evidence.walk();
  }
}
