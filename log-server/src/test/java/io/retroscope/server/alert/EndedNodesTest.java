// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.alert;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.alert.Edge;
import io.retroscope.rql.alert.Notice;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.server.store.disk.StoreDamageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class EndedNodesTest {
  private static final long HOUR = 3_600_000_000L << 16;

  @Test
  void reason_ofAFallWithWhichNodesEnded_namesThem() {
    EventSource source = stops(List.of(stop("a", HOUR), stop("b", HOUR), stop("c", HOUR + 1)));
    Notice notice = resolved(HOUR, "");
    assertThat(EndedNodes.of(List.of(notice), source).reason(notice))
        .isEqualTo("node a stopped, node b stopped: their values no longer count");
  }

  @Test
  void reason_ofMoreThanFiveNodes_saysHowManyMore() {
    List<Event> stops = new ArrayList<>();
    for (int node = 1; node <= 8; node++) {
      stops.add(stop("n" + node, HOUR));
    }
    Notice notice = resolved(HOUR, "");
    assertThat(EndedNodes.of(List.of(notice), stops(stops)).reason(notice))
        .startsWith("node n1 stopped, ")
        .endsWith("node n5 stopped, and 3 more: their values no longer count");
  }

  /** Hours may be between the falls that are decided together after an outage. */
  @Test
  void of_fallsThatAreFarApart_readsOnlyTheirCuts() {
    List<Event> stops = new ArrayList<>();
    for (int node = 0; node < 10; node++) {
      stops.add(stop("n" + node, HOUR + node));
    }
    List<Notice> notices = List.of(resolved(HOUR, ""), resolved(HOUR + 9, ""), resolved(HOUR, ""));
    EndedNodes ended = EndedNodes.of(notices, stops(stops));
    assertThat(ended.cutCount()).isEqualTo(2);
    assertThat(ended.reason(notices.get(1)))
        .isEqualTo("node n9 stopped: its values no longer count");
  }

  /** The reason is only wording: the message must be sent without it. */
  @Test
  void of_aStoreThatCannotBeRead_leavesTheReasonOut() {
    EventSource damaged =
        () -> {
          throw new StoreDamageException("damaged, on purpose");
        };
    Notice notice = resolved(HOUR, "");
    Notice known = resolved(HOUR, "the rule has changed");
    EndedNodes ended = EndedNodes.of(List.of(notice, known), damaged);
    assertThat(ended.reason(notice)).isEmpty();
    assertThat(ended.reason(known)).isEqualTo("the rule has changed");
  }

  private static EventSource stops(List<Event> events) {
    return new InMemoryEventSource(events, ClockOffsets.UNKNOWN);
  }

  private static Event stop(String node, long hlc) {
    return new Event(node, "", hlc, new EventBody.Stop());
  }

  private static Notice resolved(long hlc, String reason) {
    Edge fall =
        new Edge(
            Edge.Kind.FALL,
            "",
            hlc,
            hlc,
            0,
            "",
            OptionalLong.empty(),
            false,
            new StructValue(Map.of()));
    return new Notice(
        "e", "", Notice.Kind.RESOLVED, 1, false, reason, Optional.empty(), Optional.of(fall));
  }
}
