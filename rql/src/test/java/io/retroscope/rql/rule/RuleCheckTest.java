// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.client.LocalSession;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.golden.EventNotation;
import io.retroscope.rql.rule.RuleResult.Outcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RuleCheckTest {
  private static final List<String> LOG =
      List.of(
          "1s    a raft role=\"follower\" term=1",
          "2s    b raft role=\"leader\" term=1",
          "4s    a raft role=\"leader\" term=2",
          "4500ms b raft role=\"follower\" term=2",
          "6s    b raft role=\"leader\" term=3",
          "7s    a raft role=\"follower\" term=3");

  private static final String TWO_LEADERS = "COUNT n IN NODES : (role@n = 'leader') >= 2";

  @Test
  void check_aClaimThatIsBroken_hasItsEpisodesAndTheFirstCut() {
    RuleResult result = check("NEVER " + TWO_LEADERS + " FROM raft");

    assertThat(result.outcome()).isEqualTo(Outcome.BROKEN);
    assertThat(result.episodes()).isEqualTo(2);
    Episode first = result.first().orElseThrow();
    assertThat(first.id()).isEqualTo("r@4000000.0");
    assertThat(first.time()).contains("1970-01-01T00:00:04.000000Z");
    assertThat(first.durationMicros()).hasValue(500_000);
    assertThat(first.open()).isFalse();
    assertThat(first.cut().fields())
        .containsEntry(
            "role", new StructValue(Map.of("a", Value.of("leader"), "b", Value.of("leader"))));
    assertThat(result.reason()).isEmpty();
  }

  /** Answers to requests, none of which has been cancelled. */
  private static final List<String> REQUESTS =
      List.of(
          "0 client http say \"ask\" request=\"q1\"",
          "50ms svc http say \"ok\" answer=\"q1\"",
          "1s client http say \"ask\" request=\"q2\"",
          "5s svc http say \"ok\" answer=\"q2\"",
          "6s svc http n=1");

  private static final String ANSWERED =
      "CREATE RULE answered AS (ALWAYS TRUE THEN r IN answer WITHIN 200ms UNLESS r IN cancelled"
          + " FROM http FOR EACH VALUE r IN request);";

  @Test
  void check_aNameThatIsDeclared_isDecidedWithoutIt() {
    assertThat(declared("").outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    assertThat(declared("").reason()).contains("unknown variable \"cancelled\"");
    for (String declaration :
        List.of(
            "DECLARE cancelled IN http;",
            "-- A comment.\nDECLARE cancelled STRING IN http;",
            "DECLARE other LONG IN http; DECLARE `cancelled` set IN http;")) {
      RuleResult result = declared(declaration);
      assertThat(result.outcome()).as(declaration).isEqualTo(Outcome.BROKEN);
      assertThat(result.episodes()).isEqualTo(1);
    }
    assertThat(declared("DECLARE cancelled IN other;").outcome()).isEqualTo(Outcome.INCONCLUSIVE);
  }

  @Test
  void check_aValueOfAnotherTypeThanDeclared_isAnErrorAtItsPlace() {
    RuleResult result = declared("DECLARE cancelled IN http;\nDECLARE answer LONG IN http;");

    assertThat(result.outcome()).isEqualTo(Outcome.WRONG);
    assertThat(result.reason())
        .contains(
            "\"answer\" is declared as LONG, but is a STRING at node svc, in the cut at"
                + " hlc'50000.0'")
        .contains("LINE 3: CREATE RULE answered AS (ALWAYS");
    String types = "DECLARE n DOUBLE IN http; CREATE RULE n AS (NEVER MAX(n) > 5 FROM http);";
    assertThat(only(types, REQUESTS).reason()).contains("\"n\" is declared as DOUBLE");
  }

  @Test
  void check_anErrorAfterADeclaration_isAtItsPlaceInTheFile() {
    String rules = "DECLARE x IN http;\nCREATE RULE r AS (NEVER MAX(nn) > 5 + 'a' FROM http);";

    assertThat(only(rules, REQUESTS).reason())
        .contains("LINE 2: CREATE RULE r AS (NEVER MAX(nn) > 5 + 'a' FROM http);")
        .contains("                                  ^^");
  }

  private static RuleResult declared(String declarations) {
    return only(declarations + "\n" + ANSWERED, REQUESTS);
  }

  private static RuleResult only(String rules, List<String> events) {
    RuleSet set = new RuleSet();
    set.add("r.rql", rules);
    assertThat(set.faults()).isEmpty();
    try (LocalSession session =
        new LocalSession("log", EventNotation.read(events).source(), QueryLimits.DEFAULT)) {
      return new RuleCheck(session, "", () -> 0).check(set.rules().get(0));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void check_aQueryWithRows_isBroken() {
    RuleResult result = check("SELECT term FROM raft WHEN " + TWO_LEADERS);

    assertThat(result.outcome()).isEqualTo(Outcome.BROKEN);
    assertThat(result.episodes()).isEqualTo(2);
    assertThat(result.first().orElseThrow().durationMicros()).hasValue(500_000);
    assertThat(result.first().orElseThrow().cut().fields()).containsOnlyKeys("term");
  }

  @Test
  void check_aQueryOverRows_isBrokenByItsRow() {
    String inner = "SELECT term FROM raft WHEN " + TWO_LEADERS + " EMIT INTERVALS";
    assertThat(check("SELECT COUNT(*) AS n FROM (" + inner + ")").outcome())
        .isEqualTo(Outcome.BROKEN);
    assertThat(
            check("SELECT durationMicros FROM (" + inner + ") WHERE durationMicros > 9000000")
                .outcome())
        .isEqualTo(Outcome.HOLDS);
  }

  @Test
  void check_whatHolds_hasNoEpisode() {
    RuleResult result = check("NEVER COUNT n IN NODES : (role@n = 'leader') >= 3 FROM raft");

    assertThat(result.outcome()).isEqualTo(Outcome.HOLDS);
    assertThat(result.episodes()).isZero();
    assertThat(result.first()).isEmpty();
  }

  @Test
  void check_alwaysAndEventually_areDecidedByTheirCuts() {
    assertThat(check("ALWAYS term@b >= 2 FROM raft").outcome()).isEqualTo(Outcome.BROKEN);
    assertThat(check("ALWAYS term@a >= 1 FROM raft").outcome()).isEqualTo(Outcome.HOLDS);
    assertThat(check("EVENTUALLY MIN(term) = 3 FROM raft").outcome()).isEqualTo(Outcome.HOLDS);
    RuleResult never = check("EVENTUALLY MIN(term) = 4 FROM raft");
    assertThat(never.outcome()).isEqualTo(Outcome.BROKEN);
    assertThat(never.first()).isEmpty();
  }

  @Test
  void check_aNameThatWasNeverSeen_isInconclusive_andSaysWhatWasMeant() {
    RuleResult result = check("NEVER MAX(terms) > 5 FROM raft");

    assertThat(result.outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    assertThat(result.reason()).contains("terms", "did you mean", "term");
    assertThat(check("NEVER MAX(term) > 5 FROM raff").outcome()).isEqualTo(Outcome.INCONCLUSIVE);
  }

  @Test
  void check_aRangeWithoutItsEvents_isInconclusive() {
    assertThat(check("NEVER MAX(term) > 5 FROM raft", "ON TIME HLC'8000000.0' TO HLC'9000000.0'"))
        .extracting(RuleResult::outcome, RuleResult::reason)
        .containsExactly(Outcome.INCONCLUSIVE, "nothing that it names was recorded in the range");
    assertThat(check("NEVER MAX(term) > 5 FROM raft", "ON TIME LAST 10s").reason())
        .startsWith("the range begins at ");
  }

  @Test
  void check_aRuleWithItsOwnTime_keepsIt() {
    RuleResult result =
        check(
            "NEVER " + TWO_LEADERS + " FROM raft ON TIME HLC'5000000.0' TO HLC'7000000.0'",
            "ON TIME HLC'4100000.0' TO HLC'7000000.0'");

    assertThat(result.episodes()).isEqualTo(1);
    assertThat(result.first().orElseThrow().hlc()).isEqualTo(HlcTimestamp.pack(6_000_000));
  }

  @Test
  void check_aWrongRule_showsItsPlaceInTheFile() {
    RuleSet set = new RuleSet();
    set.add(
        "r.rql",
        "-- one\nCREATE RULE x AS (\n  SELECT term FROM raft\n  WHEN MAX(term, 2) > foo(3)\n);\n");
    RuleResult result = check(set.rules().get(0), "ON TIME LAST 1s");

    assertThat(result.outcome()).isEqualTo(Outcome.WRONG);
    assertThat(result.reason()).contains("LINE 4:   WHEN MAX(term, 2) > foo(3)");
    assertThat(result.reason().lines().toList().get(2).indexOf('^'))
        .isEqualTo(result.reason().lines().toList().get(1).indexOf("foo"));
  }

  @Test
  void episodes_ofARule_areAllOfThem_withTheSameNamesAsInTheVerdict() {
    List<String> ids = episodes("NEVER " + TWO_LEADERS + " FROM raft");

    assertThat(ids).containsExactly("r@4000000.0", "r@6000000.0");
    assertThat(episodes("SELECT term FROM raft WHEN " + TWO_LEADERS)).isEqualTo(ids);
    assertThat(episodes("SELECT term FROM raft WHEN " + TWO_LEADERS + " EMIT EDGES"))
        .isEqualTo(ids);
  }

  @Test
  void episodes_ofEachVariable_nameIt() {
    String rule = "NEVER COUNT(v) > 1 FROM raft FOR EACH VARIABLE v";
    List<String> ids = episodes(rule);

    assertThat(ids).containsExactlyInAnyOrder("r[role]@2000000.0", "r[term]@2000000.0");
    assertThat(check(rule).first().orElseThrow().id()).isIn(ids);
  }

  @Test
  void check_severalRules_areIndependent_andShareAWalk() throws IOException {
    RuleSet set = new RuleSet();
    set.add(
        "r.rql",
        """
        CREATE RULE terms AS (NEVER MAX(term) > 2 FROM raft);
        CREATE RULE wrong AS (NEVER foo(term) FROM raft);
        CREATE RULE fails AS (NEVER term@a + 9223372036854775806 > 0 FROM raft);
        CREATE RULE unseen AS (NEVER MAX(trem) > 2 FROM raft);
        CREATE RULE high AS (NEVER MAX(term) > 3 FROM raft);
        """);
    RuleCheck.Verdicts verdicts;
    try (LocalSession session = session()) {
      verdicts = new RuleCheck(session, "", () -> 0).check(set.rules());
    }
    assertThat(verdicts.results())
        .extracting(RuleResult::rule, RuleResult::outcome)
        .containsExactly(
            tuple("terms", Outcome.BROKEN),
            tuple("wrong", Outcome.WRONG),
            tuple("fails", Outcome.WRONG),
            tuple("unseen", Outcome.INCONCLUSIVE),
            tuple("high", Outcome.HOLDS));
    assertThat(verdicts.results().get(2).reason()).contains("LINE 3: ", "does not fit");
    assertThat(verdicts.cost())
        .contains("walk of 3 statements over raft.term", "  events read: 6")
        .anyMatch(line -> line.startsWith("blocks: "));
  }

  @Test
  void episodes_ofSeveralRules_areSentRuleByRule_howeverMany() throws IOException {
    RuleSet set = new RuleSet();
    set.add(
        "r.rql",
        """
        CREATE RULE two AS (NEVER COUNT n IN NODES : (role@n = 'leader') >= 2 FROM raft);
        CREATE RULE unseen AS (NEVER MAX(trem) > 2 FROM raft);
        CREATE RULE each AS (SELECT term FROM raft WHEN MAX(term) > 0 EMIT CUTS);
        CREATE RULE wrong AS (NEVER foo(term) FROM raft);
        CREATE RULE high AS (NEVER MAX(term) > 2 FROM raft);
        """);
    List<String> expected = listed(set, 100);
    assertThat(expected)
        .startsWith("two@4000000.0", "two@6000000.0", "two ends []", "unseen ends [unknown")
        .contains("wrong fails", "high@6000000.0")
        .endsWith("high ends []");
    for (int most = 0; most < 12; most++) {
      assertThat(listed(set, most)).as("%d are held", most).isEqualTo(expected);
    }
  }

  private static List<String> listed(RuleSet set, int most) throws IOException {
    List<String> found = new ArrayList<>();
    try (LocalSession session = session()) {
      new RuleCheck(session, "", () -> 0, most)
          .episodes(
              set.rules(),
              new RuleCheck.EpisodeListener() {
                @Override
                public boolean episode(Episode episode) {
                  return found.add(episode.id());
                }

                @Override
                public void end(Rule rule, List<String> warnings, Optional<RqlException> failure) {
                  String text = warnings.toString();
                  found.add(
                      failure.isPresent()
                          ? rule + " fails"
                          : rule + " ends " + text.substring(0, Math.min(8, text.length())));
                }
              });
    }
    return found;
  }

  @Test
  void episodes_ofEachNodeOrValue_nameIt() {
    String ofNodes = "NEVER term@n > 2 FROM raft FOR EACH NODE n";
    assertThat(episodes(ofNodes)).containsExactlyInAnyOrder("r[b]@6000000.0", "r[a]@7000000.0");
    assertThat(check(ofNodes).first().orElseThrow().id()).isEqualTo("r[b]@6000000.0");
    assertThat(
            episodes(
                "NEVER COUNT n IN NODES : (term@n = t) > 1 FROM raft FOR EACH VALUE t IN term"))
        .containsExactly("r[1]@2000000.0", "r[2]@4500000.0", "r[3]@7000000.0");
    assertThat(episodes("SELECT n FROM raft FOR EACH NODE n WHEN term@n > 2"))
        .containsExactlyInAnyOrder("r[b]@6000000.0", "r[a]@7000000.0");
  }

  @Test
  void check_possiblyAndDefinitely_areBrokenIfTheyAreTrue() {
    RuleResult two = check("POSSIBLY " + TWO_LEADERS + " FROM raft");
    assertThat(two.outcome()).isEqualTo(Outcome.BROKEN);
    assertThat(two.reason()).isEmpty();
    assertThat(two.episodes()).isEqualTo(1);
    assertThat(two.first().orElseThrow().id()).isEqualTo("r@4000000.0");
    assertThat(two.first().orElseThrow().cut().fields()).containsOnlyKeys("cut", "messages");
    assertThat(episodes("POSSIBLY " + TWO_LEADERS + " FROM raft")).containsExactly("r@4000000.0");

    RuleResult each = check("DEFINITELY " + TWO_LEADERS + " FROM raft");
    assertThat(each.outcome()).isEqualTo(Outcome.HOLDS);
    assertThat(each.first()).isEmpty();
    assertThat(episodes("DEFINITELY " + TWO_LEADERS + " FROM raft")).isEmpty();
  }

  @Test
  void check_possiblyThatIsUndecided_isInconclusive() {
    String beforeAll = "ON TIME hlc'0.0' TO hlc'7000000.0'";
    RuleResult result = check("POSSIBLY role@a = 'none' FROM raft", beforeAll);
    assertThat(result.outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    assertThat(result.reason()).contains("the range begins at 1970-01-01T00:00:00.000000Z");
    assertThat(check("POSSIBLY role@a = 'leader' FROM raft", beforeAll).outcome())
        .isEqualTo(Outcome.BROKEN);
  }

  private static RuleResult check(String rule) {
    return check(rule, "");
  }

  private static RuleResult check(String rule, String onTime) {
    return check(rule(rule), onTime);
  }

  private static RuleResult check(Rule rule, String onTime) {
    try (LocalSession session = session()) {
      return new RuleCheck(session, onTime, () -> 0).check(rule);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static List<String> episodes(String rule) {
    List<String> ids = new ArrayList<>();
    try (LocalSession session = session()) {
      new RuleCheck(session, "", () -> 0).episodes(rule(rule), episode -> ids.add(episode.id()));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return ids;
  }

  private static LocalSession session() {
    return new LocalSession("log", EventNotation.read(LOG).source(), QueryLimits.DEFAULT);
  }

  private static Rule rule(String rule) {
    RuleSet set = new RuleSet();
    set.add("r.rql", "CREATE RULE r AS (" + rule + ");");
    assertThat(set.faults()).isEmpty();
    return set.rules().get(0);
  }
}
