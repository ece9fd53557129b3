package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RecorderTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final MemorySink sink = new MemorySink();
  private final Recorder recorder = Recorder.builder().node("zk1").sink(sink).build();
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
