// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.option;

import io.retroscope.rql.evaluation.OuterLimits;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The option for the number of rows that a query over rows may hold. */
public final class OuterRowsOption {
  private static final String NAME = "--max-outer-rows";

  @Spec(Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  private int rows = OuterLimits.DEFAULT.maxRows();

  private boolean given;

  @Option(
      names = NAME,
      paramLabel = "N",
      description = {
        "The rows, groups and distinct values that a query over rows",
        "may hold (default: 1000000)."
      })
  void setRows(int rows) {
    if (rows <= 0) {
      throw new ParameterException(spec.commandLine(), NAME + " must be positive: " + rows);
    }
    this.rows = rows;
    this.given = true;
  }

  /** Whether the command line has the option. */
  public boolean given() {
    return given;
  }

  /** The limits of outer queries. */
  public OuterLimits limits() {
    return new OuterLimits(rows, OuterLimits.DEFAULT.maxBytes());
  }
}
