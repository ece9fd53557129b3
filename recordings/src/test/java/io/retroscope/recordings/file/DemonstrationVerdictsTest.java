// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.client.LocalSession;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.rule.RuleCheck;
import io.retroscope.rql.rule.RuleResult;
import io.retroscope.rql.rule.RuleResult.Outcome;
import io.retroscope.rql.rule.RuleSet;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Rules over whole recordings of demonstrations, in which systems run for some seconds with slow
 * links: each is decided, and nothing is said to be missing.
 */
class DemonstrationVerdictsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "infinispan | BROKEN | NEVER SPREAD(r1) >= 2 FROM stock",
        "infinispan | HOLDS  | NEVER SPREAD(r1) >= 1000 FROM stock",
        "infinispan | HOLDS  | EVENTUALLY SPREAD(r1) >= 1 FROM stock",
        "infinispan | HOLDS  | ALWAYS SPREAD(r1) >= 2 THEN SPREAD(r1) < 2 WITHIN 1h FROM stock",
        "zookeeper  | BROKEN | NEVER SPREAD(r1) >= 3 FROM setd",
        "zookeeper  | HOLDS  | NEVER SPREAD(r1) >= 8 FOR 1s FROM setd",
        "zookeeper  | HOLDS  | ALWAYS SPREAD(r1) >= 3 THEN SPREAD(r1) = 0 WITHIN 1h FROM setd",
        "zookeeper  | HOLDS  | EVENTUALLY MAX(r1) > 10 FROM setd",
        "latency    | HOLDS  | NEVER EXISTS n IN NODES : (best@n > 100000000) FROM clt",
        "latency    | HOLDS  | EVENTUALLY MAX(sent) > 10 FROM clt",
        "latency    | HOLDS  | NEVER EXISTS a, b IN NODES : (b IN suspects@a AND Age(sent)@b > 1h)"
            + " FROM clt",
      })
  void rule_overARecording_isDecidedWithoutAWarning(String name, Outcome outcome, String claim)
      throws IOException {
    RuleSet rules = new RuleSet();
    rules.add("rules.rql", "CREATE RULE r AS (" + claim + ");");
    assertThat(rules.faults()).isEmpty();
    Path file = Path.of("src/test/resources/demonstrations", name + ".ndjson.gz");
    try (LocalSession session =
        EventFileSet.of(file, events -> ClockOffsets.UNKNOWN).session(QueryLimits.DEFAULT)) {
      RuleResult result = new RuleCheck(session, "", () -> 0).check(rules.rules().get(0));
      assertThat(result.outcome()).as("%s", result).isEqualTo(outcome);
      assertThat(result.provisional()).as("%s", result).isEmpty();
      assertThat(result.warnings()).isEmpty();
    }
  }
}
