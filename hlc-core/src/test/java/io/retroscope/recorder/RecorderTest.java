// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.sink.MemorySink;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RecorderTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final MemorySink sink = new MemorySink();

  /** Its time stands still, of which an event may take a limited amount. */
  private final Recorder recorder =
      Recorder.builder().node("zk1").sink(sink).nanos(() -> 0).build();

  private final EventLog log = recorder.log("setd");

  @AfterEach
  void close() {
    recorder.close();
  }

  @Test
  void build_firstEvent_isTheStart() {
    EventBody first = recorded().get(0).body();
    assertThat(first).isInstanceOf(EventBody.Start.class);
    assertThat(((EventBody.Start) first).incarnation()).isEqualTo(recorder.incarnation());
  }

  @Test
  void set_everyType_isRecordedInOrder() {
    log.set("r1", 4);
    log.set("load", 0.5);
    log.set("leader", true);
    log.set("role", "follower");
    log.set("gone", (String) null);
    log.unset("r1");
    log.set("peers", Value.setOf(Value.of("zk2")));
    assertThat(changes())
        .containsExactly(
            new Change(Operation.SET, "r1", Value.of(4)),
            new Change(Operation.SET, "load", Value.of(0.5)),
            new Change(Operation.SET, "leader", Value.of(true)),
            new Change(Operation.SET, "role", Value.of("follower")),
            new Change(Operation.UNSET, "gone", Value.NullValue.NULL),
            new Change(Operation.UNSET, "r1", Value.NullValue.NULL),
            new Change(Operation.SET, "peers", Value.setOf(Value.of("zk2"))));
  }

  @Test
  void addAndRemove_elements_areSets() {
    log.add("members", "zk3");
    log.remove("members", 7);
    assertThat(changes())
        .containsExactly(
            new Change(Operation.ADD, "members", Value.setOf(Value.of("zk3"))),
            new Change(Operation.REMOVE, "members", Value.setOf(Value.of(7))));
  }

  private enum Role {
    LEADER
  }

  @Test
  void set_objectsOfAnyClass_keepsTheirTypes() {
    log.set("long", (Object) 7);
    log.set("boxed", (Integer) null);
    log.set("boolean", (Object) true);
    log.set("char", 'c');
    log.set("Character", (Object) 'd');
    log.set("enum", Role.LEADER);
    log.set("uuid", new UUID(1, 2));
    log.set("bytes", new byte[] {1, (byte) 0xAF});
    log.set("list", List.of(2, 1));
    log.set("value", (Object) Value.of(1.5));
    log.event(e -> e.set("x", 'c').set("y", Role.LEADER).set("z", (Object) null).add("s", 2.5));
    assertThat(changes())
        .containsExactly(
            new Change(Operation.SET, "long", Value.of(7)),
            new Change(Operation.UNSET, "boxed", Value.NullValue.NULL),
            new Change(Operation.SET, "boolean", Value.of(true)),
            new Change(Operation.SET, "char", Value.of("c")),
            new Change(Operation.SET, "Character", Value.of("d")),
            new Change(Operation.SET, "enum", Value.of("LEADER")),
            new Change(Operation.SET, "uuid", Value.of(new UUID(1, 2).toString())),
            new Change(Operation.SET, "bytes", Value.of("01af")),
            new Change(Operation.SET, "list", Value.setOf(Value.of(1), Value.of(2))),
            new Change(Operation.SET, "value", Value.of(1.5)),
            new Change(Operation.SET, "x", Value.of("c")),
            new Change(Operation.SET, "y", Value.of("LEADER")),
            new Change(Operation.UNSET, "z", Value.NullValue.NULL),
            new Change(Operation.ADD, "s", Value.setOf(Value.of(2.5))));
  }

  @Test
  void addAndRemove_everyScalar_isAnElement() {
    List<Object> scalars = List.of(true, 'c', 2.5, 7L, "t", Role.LEADER, new UUID(1, 2));
    List<Value> values =
        List.of(
            Value.of(true),
            Value.of("c"),
            Value.of(2.5),
            Value.of(7),
            Value.of("t"),
            Value.of("LEADER"),
            Value.of(new UUID(1, 2).toString()));
    for (Object scalar : scalars) {
      log.add("s", scalar);
      log.event(e -> e.remove("s", scalar));
    }
    log.add("s", 'c');
    log.remove("s", (Object) null);
    assertThat(changes())
        .filteredOn(change -> change.operation() == Operation.REMOVE)
        .extracting(Change::value)
        .containsExactlyElementsOf(values.stream().map(value -> Value.setOf(value)).toList());
    assertThat(changes())
        .filteredOn(change -> change.operation() == Operation.ADD)
        .last()
        .extracting(Change::value)
        .isEqualTo(Value.setOf(Value.of("c")));
    assertThat(recorder.statistics().refused()).isEqualTo(1);
  }

  @Test
  void eventAndLine_ofAFunction_areRecordedOnce() {
    List<ChangeDraft> escaped = new ArrayList<>();
    log.event(
        e -> {
          escaped.add(e.set("x", 1));
          e.record();
          return e;
        });
    escaped.get(0).record();
    long hlc = log.line("timeout", line -> line.with("ms", 1200).with("grade", 'a'));
    assertThat(changes()).containsExactly(new Change(Operation.SET, "x", Value.of(1)));
    assertThat(last().hlc()).isEqualTo(hlc);
    assertThat(last().body())
        .isEqualTo(
            new EventBody.LogLine("timeout", Map.of("ms", Value.of(1200), "grade", Value.of("a"))));
  }

  @Test
  void event_ofAFunctionThatThrows_recordsNothingAndPassesItOn() {
    assertThatThrownBy(
            () ->
                log.event(
                    e -> {
                      throw new IllegalStateException("the service's own");
                    }))
        .hasMessage("the service's own");
    assertThat(changes()).isEmpty();
  }

  @Test
  void refusedEvents_takeSequenceNumbers() {
    log.set("r1", 1);
    long before = last().sequence();
    log.event().set("x", 1).set("n".repeat(100_000), 2).record();
    log.set("n".repeat(100_000), 3);
    log.set("r1", 2);

    assertThat(last().sequence()).isEqualTo(before + 3);
    assertThat(recorder.statistics().refused()).isEqualTo(2);
  }

  @Test
  void event_severalVariables_changeAtOneStamp() {
    log.event().unset("vote").add("peers", "b").set("term", 3).set("role", "leader").record();
    Event event = last();
    assertThat(event.log()).isEqualTo("setd");
    assertThat(event.body())
        .isEqualTo(
            new EventBody.StateChange(
                List.of(
                    new Change(Operation.SET, "term", Value.of(3)),
                    new Change(Operation.SET, "role", Value.of("leader")),
                    new Change(Operation.UNSET, "vote", Value.NullValue.NULL),
                    new Change(Operation.ADD, "peers", Value.setOf(Value.of("b"))))));
  }

  @Test
  void line_withPairs_keepsTheirTypes() {
    log.line("timeout").with("ms", 1200).with("level", "WARN").with("last", true).record();
    assertThat(last().body())
        .isEqualTo(
            new EventBody.LogLine(
                "timeout",
                Map.of("ms", Value.of(1200), "level", Value.of("WARN"), "last", Value.of(true))));
  }

  @Test
  void line_withNumbersAndArraysOfOtherClasses_keepsWhatTheyAre() {
    log.line("sold")
        .with("price", new BigDecimal("1.50"))
        .with("count", new BigInteger("7"))
        .with("huge", BigInteger.TWO.pow(64))
        .with("left", new AtomicLong(3))
        .with("ids", new int[] {2, 1, 2})
        .with("tags", new String[] {"new", null})
        .record();
    assertThat(((EventBody.LogLine) last().body()).fields())
        .isEqualTo(
            Map.of(
                "price", Value.of(1.5),
                "count", Value.of(7),
                "huge", Value.of("18446744073709551616"),
                "left", Value.of(3),
                "ids", Value.setOf(Value.of(1), Value.of(2)),
                "tags", Value.setOf(Value.of("new"), Value.NullValue.NULL)));
  }

  @Test
  void line_manyCollections_shareOneBudget() {
    int[] many = LongStream.range(0, 6_000).mapToInt(i -> (int) i).toArray();
    log.line("timeout").with("a", many).with("b", many).with("c", many).with("ms", 4).record();
    Map<String, Value> fields = ((EventBody.LogLine) last().body()).fields();
    assertThat(fields.values())
        .extracting(value -> value instanceof Value.SetValue set ? set.elements().size() : -1)
        .containsExactly(6_000, 4_000, 0, -1);
    assertThat(recorder.statistics().truncated()).isEqualTo(1);
  }

  @Test
  void sendAndReceive_stampTravels_receiveIsAbove() {
    long sent = recorder.send("zk2", "m1");
    long remote = sent + (5_000L << 12);
    long received = recorder.receive("zk2", "m2", remote);
    assertThat(received).isGreaterThan(remote);
    List<Event> events = recorded();
    assertThat(events.get(events.size() - 2).body()).isEqualTo(new EventBody.Send("zk2", "m1"));
    assertThat(last().hlc()).isEqualTo(received);
    assertThat(last().body()).isEqualTo(new EventBody.Receive("zk2", "m2"));
  }

  @Test
  void close_afterwards_stopIsLastAndCallsAreIgnoredAndCounted() {
    log.set("r1", 1);
    recorder.close();
    log.set("r1", 2);
    recorder.close();
    List<Event> events = sink.events();
    assertThat(events.get(events.size() - 1).body()).isEqualTo(new EventBody.Stop());
    assertThat(events).hasSize(3);
    assertThat(recorder.statistics().afterClose()).isEqualTo(1);
    EventBlock last = sink.blocks().get(sink.blocks().size() - 1);
    assertThat(last.heartbeat()).isEqualTo(last.lastHlc());
    assertThat(last.lastSequence()).isEqualTo(3);
  }

  @Test
  void recorded_events_areNumberedWithoutGaps() {
    for (int i = 0; i < 10_000; i++) {
      log.set("r1", i);
    }
    // Sorted, because an event whose writer was preempted is in a later block than the events after
    // it.
    assertThat(recorded().stream().map(Event::sequence).sorted())
        .containsExactlyElementsOf(LongStream.rangeClosed(1, 10_001).boxed().toList());
  }

  private List<Event> recorded() {
    assertThat(recorder.flush(PATIENCE)).isTrue();
    return sink.events();
  }

  @Test
  void sendAndReceive_withoutIdentity_areKnownByTheStampCarried() {
    long sent = recorder.send("");
    long received = recorder.receive("", sent);
    List<EventBody> bodies = recorded().stream().map(Event::body).toList();
    assertThat(bodies)
        .contains(
            new EventBody.Send("", HlcTimestamp.text(sent)),
            new EventBody.Receive("", HlcTimestamp.text(sent)));
    assertThat(received).isGreaterThan(sent);
  }

  @Test
  void record_logLine_givesItsStamp() {
    long hlc = log.line("timeout").with("ms", 1200).record();
    assertThat(last().hlc()).isEqualTo(hlc);
  }

  @Test
  void shared_afterShare_isThatRecorder() {
    assertThat(recorder.share()).isSameAs(recorder);
    assertThat(Recorder.shared()).isSameAs(recorder);
  }

  private Event last() {
    List<Event> events = recorded();
    return events.get(events.size() - 1);
  }

  private List<Change> changes() {
    return recorded().stream()
        .map(Event::body)
        .filter(EventBody.StateChange.class::isInstance)
        .flatMap(body -> ((EventBody.StateChange) body).changes().stream())
        .toList();
  }
}
