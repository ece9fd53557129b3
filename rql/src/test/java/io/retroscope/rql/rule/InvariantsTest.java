// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.client.LocalSession;
import io.retroscope.rql.rule.RuleResult.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A test of the invariants in {@code examples/invariants}: each has a log for either verdict. */
class InvariantsTest {
  private static final Path FOLDER = Path.of("..", "examples", "invariants");
  private static final Path PAGE = Path.of("..", "docs", "invariants.md");

  @ParameterizedTest
  @CsvSource({
    "one-leader-per-term, one_leader_per_term@1795200000030000.0",
    "no-lost-update, no_lost_update[store]@1795200000015000.0",
    "read-your-writes, read_your_writes[ann]@1795200000030000.0",
    "monotonic-reads, monotonic_reads[seen_cart]@1795200000020000.0",
    "lease-held-once, lease_held_once[lease_eu]@1795200000200000.0",
    "committed-by-quorum, committed_by_quorum@1795200000014100.0",
    "exactly-once, exactly_once@1795200000040000.0",
    "causal-delivery, causal_delivery[cat]@1795200000008100.0",
    "bounded-staleness, bounded_staleness[cart]@1795200000100000.0",
    "answered-in-time, answered_in_time[18]@1795200000240000.4095",
    "no-ping-pong, no_ping_pong@1795200005400000.0",
    "config-agrees, config_agrees[limit]@1795200001000000.0",
    "owned-once, owned_once[part_7]@1795200000130100.0",
    "owned-always, owned_always[part_7]@1795200000100000.0",
    "joined-once, joined_once@1795200000900000.0",
    "role-filled, role_filled@1795200000500000.0",
    "oldest-leads, oldest_leads@1795200000520000.0",
    "same-order, same_order@1795200000013000.0",
    "shipped-prefix, shipped_prefix@1795200000060100.0",
    "balanced-load, balanced_load@1795200001000000.0",
  })
  void invariant_holdsOverItsFirstLog_andIsBrokenOnceByItsSecond(String name, String episode)
      throws IOException {
    RuleResult keeps = check(name, "keeps", new ArrayList<>());
    assertThat(keeps.outcome()).as("%s", keeps).isEqualTo(Outcome.HOLDS);
    assertThat(keeps.warnings()).isEmpty();

    List<String> episodes = new ArrayList<>();
    RuleResult breaks = check(name, "breaks", episodes);
    assertThat(breaks.outcome()).as("%s", breaks).isEqualTo(Outcome.BROKEN);
    assertThat(breaks.warnings()).isEmpty();
    assertThat(breaks.description()).isNotEmpty();
    assertThat(episodes).containsExactly(episode);
    assertThat(breaks.first().orElseThrow().id()).isEqualTo(episode);
  }

  private static RuleResult check(String name, String log, List<String> episodes)
      throws IOException {
    Path file = FOLDER.resolve(name + ".rql");
    RuleSet set = new RuleSet();
    set.add(file.getFileName().toString(), Files.readString(file));
    assertThat(set.faults()).isEmpty();
    assertThat(set.rules()).hasSize(1);
    try (LocalSession session = NdjsonSession.open(FOLDER.resolve(name + "-" + log + ".ndjson"))) {
      RuleCheck check = new RuleCheck(session, "", () -> 0);
      check.episodes(set.rules().get(0), episode -> episodes.add(episode.id()));
      return check.check(set.rules().get(0));
    }
  }

  /** A log of one event for the other verdict would not show which event matters. */
  @Test
  void logs_ofAnInvariant_beginAlike() throws IOException {
    for (String name : names()) {
      List<String> keeps = Files.readAllLines(FOLDER.resolve(name + "-keeps.ndjson"));
      List<String> breaks = Files.readAllLines(FOLDER.resolve(name + "-breaks.ndjson"));
      assertThat(keeps.subList(0, 3)).as(name).isEqualTo(breaks.subList(0, 3));
      assertThat(keeps).isNotEqualTo(breaks);
    }
  }

  @Test
  void page_hasEachRuleAsItIsInItsFile() throws IOException {
    String page = Files.readString(PAGE);
    assertThat(names()).hasSize(20);
    for (String name : names()) {
      assertThat(page)
          .contains("```rql\n" + Files.readString(FOLDER.resolve(name + ".rql")) + "```")
          .contains("(../examples/invariants/" + name + ".rql)");
    }
  }

  private static Set<String> names() throws IOException {
    Set<String> names = new TreeSet<>();
    try (Stream<Path> files = Files.list(FOLDER)) {
      files
          .map(file -> file.getFileName().toString())
          .filter(file -> file.endsWith(".rql"))
          .forEach(file -> names.add(file.replace(".rql", "")));
    }
    return names;
  }
}
