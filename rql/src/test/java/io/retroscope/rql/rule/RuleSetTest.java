// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.DiagnosticPrinter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class RuleSetTest {
  /** A fenced block of a page that defines rules. */
  private static final Pattern RULES =
      Pattern.compile("(?ms)^```\\w*\n((?:--[^\n]*\n)*CREATE .*?)^```");

  private final RuleSet set = new RuleSet();

  @Test
  void add_rulesThatPagesShow_haveNoFaults() throws IOException {
    for (String page : List.of("alerts.md", "testing.md")) {
      String text = Files.readString(Path.of("../docs", page));
      RULES.matcher(text).results().forEach(block -> set.add(page, block.group(1)));
    }
    assertThat(set.faults()).isEmpty();
    assertThat(set.rules()).hasSizeGreaterThanOrEqualTo(3);
  }

  @Test
  void add_rules_haveTheirNamePlaceAndDescription() {
    set.add(
        "raft.rql",
        """
        -- The rules of Raft.

        -- At most one node
        -- leads.
        CREATE RULE one_leader AS (NEVER MAX(term) > 5 FROM raft);
        # another style
        CREATE RULE `two words` AS (
          SELECT term FROM raft
        );
        """);

    assertThat(set.faults()).isEmpty();
    assertThat(set.rules()).extracting(Rule::name).containsExactly("one_leader", "two words");
    assertThat(set.rules()).extracting(Rule::place).containsExactly("raft.rql:5", "raft.rql:7");
    assertThat(set.rules())
        .extracting(Rule::description)
        .containsExactly("At most one node leads.", "");
  }

  @Test
  void add_wrongStatements_areFaultsWithTheirPlace_andTheOthersAreRules() {
    set.add(
        "x.rql",
        """
        CREATE RULE a AS (NEVER MAX(x) > 5 FROM t);
        CREATE RULE b AS (NEVER MAX(x > 5 FROM t);
        SELECT x FROM t;
        CREATE RULE a AS (ALWAYS MAX(x) < 5 FROM t);
        CREATE RULE c AS (SELECT STREAM x FROM t);
        CREATE RULE d AS (ALWAYS MAX(x) < 7 FROM t);
        """);

    assertThat(set.rules()).extracting(Rule::name).containsExactly("a", "d");
    assertThat(set.faults()).extracting(RuleFault::name).containsExactly("b", "x.rql:3", "a", "c");
    assertThat(set.faults())
        .extracting(RuleFault::place)
        .containsExactly("x.rql:2", "x.rql:3", "x.rql:4", "x.rql:5");
    assertThat(set.faults().stream().flatMap(fault -> fault.error().diagnostics().stream()))
        .extracting(Diagnostic::code)
        .contains("RQL0117", "RQL0118", "RQL0115");
    assertThat(DiagnosticPrinter.print(set.faults().get(2).error()))
        .contains("LINE 4: CREATE RULE a AS")
        .contains("the first is at x.rql:1");
  }

  @Test
  void add_aNameOfAnotherFile_isAFaultWithBothPlaces() {
    set.add("a.rql", "CREATE ALERT a AS (NEVER MAX(x) > 5 FROM t);");
    set.add("b.rql", "\nCREATE ALERT a AS (NEVER MAX(x) > 6 FROM t)");

    assertThat(set.rules()).extracting(Rule::place).containsExactly("a.rql:1");
    assertThat(set.faults()).extracting(RuleFault::place).containsExactly("b.rql:2");
    assertThat(DiagnosticPrinter.print(set.faults().get(0).error()))
        .contains("the first is at a.rql:1");
  }

  @Test
  void add_orReplace_replacesTheRuleOfAnotherFile() {
    set.add("a.rql", "CREATE RULE a AS (NEVER MAX(x) > 5 FROM t);");
    set.add("b.rql", "CREATE OR REPLACE RULE a AS (NEVER MAX(x) > 6 FROM t)");

    assertThat(set.faults()).isEmpty();
    assertThat(set.rules()).extracting(Rule::place).containsExactly("b.rql:1");
  }

  @Test
  void verdict_ofAClaim_isItsTextAtItsPlace() {
    assertThat(rule("CREATE RULE a AS (NEVER MAX(x) > 5 FROM t);").verdict(""))
        .isEqualTo("                  NEVER MAX(x) > 5 FROM t ");
  }

  @Test
  void verdict_ofAQuery_isThatItHasNoRow_withIntervals() {
    assertThat(rule("CREATE RULE a AS (SELECT x FROM t WHEN MAX(x) > 5);").verdict(""))
        .isEqualTo("NEVER            (SELECT x FROM t WHEN MAX(x) > 5 EMIT INTERVALS )");
  }

  @Test
  void verdict_ofAQueryThatSaysWhichRows_keepsThem() {
    assertThat(rule("CREATE RULE a AS (SELECT x FROM t WHEN MAX(x) > 5 EMIT EDGES);").verdict(""))
        .isEqualTo("NEVER            (SELECT x FROM t WHEN MAX(x) > 5 EMIT EDGES )");
    assertThat(rule("CREATE RULE a AS (SELECT x FROM t);").verdict(""))
        .isEqualTo("NEVER            (SELECT x FROM t )");
    assertThat(rule("CREATE RULE a AS (SELECT y FROM (SELECT x@n AS y FROM t));").verdict(""))
        .isEqualTo("NEVER            (SELECT y FROM (SELECT x@n AS y FROM t) )");
  }

  @Test
  void verdict_withATime_hasItInTheInnermostQuery_unlessTheRuleHasItsOwn() {
    String time = "ON TIME LAST 5s";
    assertThat(rule("CREATE RULE a AS (NEVER MAX(x) > 5 FROM t);").verdict(time))
        .isEqualTo("                  NEVER MAX(x) > 5 FROM t ON TIME LAST 5s ");
    assertThat(rule("CREATE RULE a AS (SELECT y FROM (SELECT x@n AS y FROM t));").verdict(time))
        .isEqualTo("NEVER            (SELECT y FROM (SELECT x@n AS y FROM t ON TIME LAST 5s) )");
    assertThat(rule("CREATE RULE a AS (NEVER MAX(x) > 5 FROM t ON TIME LAST 1h);").verdict(time))
        .isEqualTo("                  NEVER MAX(x) > 5 FROM t ON TIME LAST 1h ");
  }

  @Test
  void verdict_ofSeveralLines_keepsThemAndCommentsBetween() {
    String text =
        """
        CREATE RULE a AS ( -- why (not)
          NEVER MAX(x) > 5 -- too large
          FROM t
          -- the end
        );
        """;
    assertThat(rule(text).verdict("").lines().map(String::stripTrailing))
        .containsExactlyElementsOf(
            List.of("", "  NEVER MAX(x) > 5 -- too large", "  FROM t", "", ""));
  }

  @Test
  void episodes_areTheRowsThatDecide() {
    assertThat(rule("CREATE RULE a AS (SELECT x FROM t WHEN MAX(x) > 5);").episodes(""))
        .isEqualTo("                  SELECT x FROM t WHEN MAX(x) > 5 EMIT INTERVALS ");
    assertThat(rule("CREATE RULE a AS (ALWAYS x@n > 5 FROM t);").episodes("ON TIME LAST 5s"))
        .contains("WHEN NOT", "EMIT INTERVALS", "ON TIME LAST 5s");
  }

  private static Rule rule(String text) {
    RuleSet one = new RuleSet();
    one.add("a.rql", text);
    assertThat(one.faults()).isEmpty();
    return one.rules().get(0);
  }
}
