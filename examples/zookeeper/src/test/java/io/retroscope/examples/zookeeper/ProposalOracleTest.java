// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class ProposalOracleTest {
  private static final List<Event> PROPOSALS = List.of(event("zk3", "proposal", 100, 1));

  @Test
  void check_allApplyLater_holds() {
    assertThat(ProposalOracle.check(PROPOSALS, applied(101)).holds()).isTrue();
  }

  @Test
  void check_oneAppliesBeforeTheProposal_fails() {
    assertThat(ProposalOracle.check(PROPOSALS, applied(99)).holds()).isFalse();
  }

  @Test
  void check_versionThatWasNeverProposed_fails() {
    assertThat(ProposalOracle.check(List.of(), applied(101)).holds()).isFalse();
  }

  @Test
  void check_serverWithoutEvents_fails() {
    assertThat(ProposalOracle.check(PROPOSALS, applied(101).subList(0, 2)).holds()).isFalse();
  }

  private static List<Event> applied(long atZk1) {
    return List.of(
        event("zk2", "setd", 102, 1), event("zk3", "setd", 103, 1), event("zk1", "setd", atZk1, 1));
  }

  private static Event event(String node, String log, long micros, long version) {
    return new Event(
        node,
        log,
        HlcTimestamp.pack(micros),
        Event.NO_PHYSICAL,
        Event.NO_SEQUENCE,
        Set.of(),
        new StateChange(List.of(new Change(Operation.SET, "r1", Value.of(version)))));
  }
}
