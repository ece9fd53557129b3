// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.check;

import io.retroscope.rql.rule.RuleResult;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.List;
import java.util.Locale;

/** The forms in which verdicts are written. */
public enum VerdictReport {
  /** For reading. */
  TEXT {
    @Override
    public void write(String target, List<RuleResult> results, List<String> cost, Writer out) {
      TextVerdicts text = new TextVerdicts(new PrintWriter(out));
      results.forEach(text::print);
      text.end(results, cost);
    }
  },
  /** One object. */
  JSON {
    @Override
    public void write(String target, List<RuleResult> results, List<String> cost, Writer out)
        throws IOException {
      JsonVerdicts.write(target, results, cost, out);
    }
  },
  /** The XML that JUnit's runners write: a rule is a test case. */
  JUNIT {
    @Override
    public void write(String target, List<RuleResult> results, List<String> cost, Writer out)
        throws IOException {
      JunitVerdicts.write(target, results, cost, out);
    }
  };

  /**
   * Writes all verdicts.
   *
   * @param target the name of the events
   * @param cost the blocks and events read, in the words of EXPLAIN ANALYZE; empty if it is not
   *     wanted
   */
  public abstract void write(String target, List<RuleResult> results, List<String> cost, Writer out)
      throws IOException;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
