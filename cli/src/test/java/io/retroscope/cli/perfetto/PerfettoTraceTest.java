// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.perfetto;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.LogLine;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.Receive;
import io.retroscope.event.EventBody.Send;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.cut.state.CutTime;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class PerfettoTraceTest {
  private static final List<String> NODES = List.of("a", "b", "c");

  /** The fields that Chrome's format requires in events of each phase, besides those of all. */
  private static final Map<String, List<String>> REQUIRED =
      Map.of("M", List.of("args"), "X", List.of("dur"), "i", List.of("s"), "C", List.of("args"));

  /** Node b is 5 ms behind, within 4 to 6 ms. */
  private static final ClockOffsets OFFSETS =
      new ClockOffsets() {
        @Override
        public Optional<String> referenceNode() {
          return Optional.of("a");
        }

        @Override
        public Optional<Offset> offset(String node, long hlc) {
          long offset = node.equals("b") ? 5_000 : 0;
          return Optional.of(
              new Offset(offset, OptionalLong.of(offset * 4 / 5), OptionalLong.of(offset * 6 / 5)));
        }
      };

  @Test
  void everyEvent_hasTheFieldsOfItsPhase() throws Exception {
    for (JsonNode event : traced(events(1))) {
      String phase = event.get("ph").asString();
      assertThat(REQUIRED).containsKey(phase);
      assertThat(event.get("name").isString()).isTrue();
      assertThat(event.get("pid").isIntegralNumber()).isTrue();
      assertThat(event.get("tid").isIntegralNumber()).isTrue();
      assertThat(event.get("ts").isIntegralNumber()).isTrue();
      REQUIRED.get(phase).forEach(field -> assertThat(event.has(field)).as(field).isTrue());
      if (phase.equals("X")) {
        assertThat(event.get("dur").asLong()).isPositive();
      }
    }
  }

  @Test
  void flows_connectTheEndsOfEachMessage() throws Exception {
    for (long seed = 1; seed <= 20; seed++) {
      List<Event> events = events(seed);
      Map<String, JsonNode> sends = new HashMap<>();
      List<String> connected = new ArrayList<>();
      List<JsonNode> traced = traced(events);
      Map<Integer, String> processes = processes(traced);
      for (JsonNode event : traced) {
        if (event.has("flow_out")) {
          assertThat(sends.put(event.get("bind_id").asString(), event)).isNull();
        } else if (event.has("flow_in")) {
          connected.add(
              end(sends.get(event.get("bind_id").asString()), processes)
                  + " -> "
                  + end(event, processes));
        }
      }
      assertThat(connected).as("seed " + seed).isEqualTo(bruteForce(events));
    }
  }

  @Test
  void processes_haveTheOffsetAndTheIntervalOfTheirClocks() throws Exception {
    List<String> labels = new ArrayList<>();
    for (JsonNode event : traced(events(1))) {
      if (event.get("name").asString().equals("process_labels")) {
        labels.add(event.get("args").get("labels").asString());
      }
    }
    assertThat(labels)
        .containsExactly(
            "clock offset 0 us, from 0 to 0 us",
            "clock offset 5000 us, from 4000 to 6000 us",
            "clock offset 0 us, from 0 to 0 us");
  }

  private static String end(JsonNode event, Map<Integer, String> processes) {
    return "%s %s at %d"
        .formatted(
            processes.get(event.get("pid").asInt()),
            event.get("name").asString(),
            event.get("ts").asLong());
  }

  private static Map<Integer, String> processes(List<JsonNode> events) {
    Map<Integer, String> processes = new HashMap<>();
    for (JsonNode event : events) {
      if (event.get("name").asString().equals("process_name")) {
        processes.put(event.get("pid").asInt(), event.get("args").get("name").asString());
      }
    }
    return processes;
  }

  /** Each receipt with the latest send before it that has its identity and nodes. */
  private static List<String> bruteForce(List<Event> events) {
    List<String> pairs = new ArrayList<>();
    for (Event receipt : events) {
      if (!(receipt.body() instanceof Receive received)) {
        continue;
      }
      Optional<Event> latest = Optional.empty();
      for (Event send : events) {
        if (send.body() instanceof Send sent
            && sent.id().equals(received.id())
            && sent.to().equals(receipt.node())
            && received.from().equals(send.node())
            && send.hlc() < receipt.hlc()) {
          latest = Optional.of(send);
        }
      }
      latest.ifPresent(
          send ->
              pairs.add(
                  "%s send %s at %d -> %s receive %s at %d"
                      .formatted(
                          send.node(),
                          received.id(),
                          CutTime.of(send, OFFSETS).micros(),
                          receipt.node(),
                          received.id(),
                          CutTime.of(receipt, OFFSETS).micros())));
    }
    return pairs;
  }

  /** Events in the order of their stamps; many have the same microsecond, and identities repeat. */
  private static List<Event> events(long seed) {
    Random random = new Random(seed);
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      long micros = 1_000_000L + i / 5;
      String node = NODES.get(random.nextInt(3));
      String peer = NODES.get(random.nextInt(3));
      String id = "m" + random.nextInt(12);
      EventBody body =
          switch (random.nextInt(5)) {
            case 0, 1 -> new Send(peer, id);
            case 2, 3 -> new Receive(peer, id);
            default ->
                random.nextBoolean()
                    ? new LogLine("line \"" + i + "\"", Map.of())
                    : new StateChange(
                        List.of(
                            new Change(
                                Operation.SET,
                                random.nextBoolean() ? "x" : "role",
                                random.nextBoolean() ? Value.of(i) : Value.of("leader"))));
          };
      long reading = micros - (node.equals("b") ? 5_000 : 0);
      events.add(
          new Event(node, "t", HlcTimestamp.pack(micros, i % 5), reading, i + 1, Set.of(), body));
    }
    return events;
  }

  private static List<JsonNode> traced(List<Event> events) {
    StringWriter out = new StringWriter();
    PerfettoTrace.write(new InMemoryEventSource(events, OFFSETS), Map.of(), out);
    List<JsonNode> traced = new ArrayList<>();
    new ObjectMapper().readTree(out.toString()).get("traceEvents").forEach(traced::add);
    return traced;
  }
}
