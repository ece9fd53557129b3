// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.sink.MemorySink;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MessageSampleTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int COUNT = 10_000;

  private final MemorySink sink = new MemorySink();

  private Recorder recorder(String node, double share) {
    return Recorder.builder().node(node).sink(sink).messages(share).build();
  }

  private List<String> ids(String node, Class<? extends EventBody> kind) {
    return sink.events().stream()
        .filter(event -> event.node().equals(node) && kind.isInstance(event.body()))
        .map(Event::body)
        .map(
            body ->
                body instanceof EventBody.Send send ? send.id() : ((EventBody.Receive) body).id())
        .toList();
  }

  @Test
  void messages_carriedOnly_moveTheClockAndAreNotRecorded() {
    try (Recorder a = recorder("a", 0);
        Recorder b = recorder("b", 0)) {
      long sent = a.send("b");
      long named = a.send("b", "m1");
      assertThat(named).isGreaterThan(sent);
      long ahead = HlcTimestamp.pack(HlcTimestamp.micros(named) + 100_000);
      assertThat(b.receive("a", ahead)).isGreaterThan(ahead);
      assertThat(b.receive("a", "m1", ahead + 4_096)).isGreaterThan(ahead + 4_096);
      assertThat(a.flush(PATIENCE) && b.flush(PATIENCE)).isTrue();
      assertThat(a.statistics().dropped()).isZero();
    }
    assertThat(ids("a", EventBody.Send.class)).isEmpty();
    assertThat(ids("b", EventBody.Receive.class)).isEmpty();
  }

  @Test
  void messages_sampled_areTheSameAtBothEnds() {
    long lastSent = Long.MIN_VALUE;
    try (Recorder a = recorder("a", 0.1);
        Recorder b = recorder("b", 0.1)) {
      for (int i = 0; i < COUNT; i++) {
        long sent = a.send("b");
        assertThat(sent).isGreaterThan(lastSent);
        lastSent = sent;
        if (i % 2 == 0) {
          b.receive("a", sent);
        } else {
          b.receive("a", HlcTimestamp.text(sent), sent);
        }
      }
      assertThat(a.flush(PATIENCE) && b.flush(PATIENCE)).isTrue();
      assertThat(a.statistics().dropped() + b.statistics().dropped()).isZero();
    }
    List<String> sent = ids("a", EventBody.Send.class);
    assertThat(sent).hasSizeBetween(COUNT / 10 - 200, COUNT / 10 + 200);
    assertThat(ids("b", EventBody.Receive.class)).containsExactlyInAnyOrderElementsOf(sent);
  }

  @Test
  @SuppressWarnings("NullAway") // null, as from a service that is not checked
  void messages_withoutNames_moveTheClock() {
    try (Recorder a = recorder("a", 0.5)) {
      long sent = a.send(null, null);
      assertThat(a.receive(null, null, sent)).isGreaterThan(sent);
    }
  }

  @Test
  void messages_withIdentities_areSelectedByThem() {
    List<String> all = IntStream.range(0, COUNT).mapToObj(i -> "order-" + i).toList();
    try (Recorder a = recorder("a", 0.2);
        Recorder b = recorder("b", 0.05)) {
      all.forEach(id -> b.receive("a", id, a.send("b", id)));
      assertThat(a.flush(PATIENCE) && b.flush(PATIENCE)).isTrue();
    }
    List<String> sent = ids("a", EventBody.Send.class);
    assertThat(sent).hasSizeBetween(COUNT / 5 - 300, COUNT / 5 + 300);
    assertThat(ids("b", EventBody.Receive.class))
        .as("the smaller share is a part of the larger one")
        .hasSizeBetween(COUNT / 20 - 150, COUNT / 20 + 150)
        .isSubsetOf(sent);
  }

  @Test
  void share_followsEachStart() {
    try (Recorder a = recorder("a", 0.5)) {
      a.restarted();
      assertThat(a.flush(PATIENCE)).isTrue();
    }
    List<Event> events = sink.events();
    List<Event> shares =
        events.stream().filter(event -> event.body() instanceof StateChange).toList();
    assertThat(shares).hasSize(2);
    for (Event share : shares) {
      assertThat(share.log()).isEqualTo(Recorder.OWN_LOG);
      assertThat(share.sequence()).isEqualTo(2);
      assertThat(((StateChange) share.body()).changes().get(0))
          .hasFieldOrPropertyWithValue("variable", "messages")
          .hasFieldOrPropertyWithValue("value", Value.of(0.5));
    }
  }

  @Test
  void messages_allRecorded_needNoShare() {
    try (Recorder a = Recorder.builder().node("a").sink(sink).build()) {
      a.receive("b", a.send("b"));
      assertThat(a.flush(PATIENCE)).isTrue();
    }
    assertThat(sink.events()).noneMatch(event -> event.body() instanceof StateChange);
    assertThat(ids("a", EventBody.Receive.class)).isEqualTo(ids("a", EventBody.Send.class));
  }

  @Test
  void setting_hasThreeForms() {
    assertThat(MessageSample.parse("on").isAll()).isTrue();
    assertThat(MessageSample.parse("1").isAll()).isTrue();
    assertThat(MessageSample.parse("off").selects("m1")).isFalse();
    assertThat(MessageSample.parse("0.25").announcement())
        .isEqualTo(MessageSample.of(0.25).announcement());
    for (double share : new double[] {-1, 0.0001, 1.5, Double.NaN}) {
      assertThatThrownBy(() -> MessageSample.of(share))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("messages must be 0 or within 0.001 to 1");
    }
    Map<String, String> bad = Map.of("retroscope.messages", "few");
    try (Recorder a = Recorder.builder().properties(bad::get).node("a").sink(sink).build()) {
      assertThat(a.health().reasons().toString()).contains("few").contains("on, off, or a share");
      assertThat(a.sample().isAll()).isTrue();
    }
  }
}
