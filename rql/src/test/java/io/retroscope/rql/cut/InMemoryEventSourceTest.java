package io.retroscope.rql.cut;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.blocks.ArrivalWindow;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class InMemoryEventSourceTest {
  /** The twelfth node is between the first and the second one in the order of characters. */
  @Test
  void scan_equalStampsOfManyNodes_isABlockInTheOrderOfTheNodesNumbers() {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 120; i++) {
      Change set = new Change(Operation.SET, "r1", Value.of(i));
      events.add(
          new Event(
              "n" + (12 - i % 12),
              "t",
              HlcTimestamp.pack(1_000 + i / 12),
              new StateChange(List.of(set))));
    }
    InMemoryEventSource source = new InMemoryEventSource(events, ClockOffsets.UNKNOWN);
    Interest interest =
        new Interest() {
          @Override
          public Set<String> logs() {
            return Set.of("t");
          }

          @Override
          public boolean follows(String log, String variable) {
            return true;
          }

          @Override
          public boolean counts(String node) {
            return true;
          }

          @Override
          public boolean usesAges() {
            return false;
          }

          @Override
          public boolean isCancelled() {
            return false;
          }
        };
    ArrivalWindow window =
        source
            .open()
            .scan(interest, new HlcRange(HlcTimestamp.MIN_PACKED, HlcTimestamp.MAX_PACKED));
    assertThat(window.next()).isTrue();
    assertThat(window.size()).isEqualTo(120);
    assertThat(window.isOfOneBlock()).isTrue();
    for (int i = 0; i < 120; i++) {
      Event event = window.block(i).event(window.row(i));
      assertThat(event.node()).isEqualTo("n" + (1 + i % 12));
    }
  }
}
