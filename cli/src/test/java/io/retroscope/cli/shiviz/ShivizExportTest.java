// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shiviz;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ShivizExportTest {
  private static final List<Event> EVENTS =
      List.of(
          new Event("b 1", "net", HlcTimestamp.pack(30), new EventBody.Receive("a", "m1")),
          new Event("a", "", HlcTimestamp.pack(25), new EventBody.Heartbeat()),
          new Event(
              "a",
              "setd",
              HlcTimestamp.pack(10),
              new EventBody.StateChange(
                  List.of(
                      new EventBody.Change(EventBody.Operation.SET, "r1", Value.of(4)),
                      new EventBody.Change(
                          EventBody.Operation.UNSET, "r2", Value.NullValue.NULL)))),
          new Event("a", "net", HlcTimestamp.pack(20), new EventBody.Send("b 1", "m1")),
          new Event(
              "b 1",
              "app",
              HlcTimestamp.pack(40, 2),
              new EventBody.LogLine("two\nlines", Map.of("ms", Value.of(7)))));

  @Test
  void write_events_isALogThatShivizOpens() throws IOException {
    assertThat(written(EVENTS))
        .isEqualTo(
            """
            (?<host>\\S*) (?<clock>{.*})\\n(?<hlc>\\S*) (?<event>.*)

            a {"a":1}
            10.0 setd r1 = 4, r2 unset
            a {"a":2}
            20.0 net send m1 to b 1
            b%201 {"a":2, "b%201":1}
            30.0 net receive m1 from a
            b%201 {"a":2, "b%201":2}
            40.2 app two\\nlines ms=7
            """);
  }

  @Test
  void write_readBack_hasTheSameMessages() throws IOException {
    ShivizImport.Result result =
        ShivizImport.read(
            Map.of("f.log", written(EVENTS)),
            new ShivizImport.Form("shiviz", Optional.empty(), Optional.empty(), false));
    assertThat(result.entryCount()).isEqualTo(4);
    assertThat(result.messageCount()).isEqualTo(1);
    assertThat(result.nodeCount()).isEqualTo(2);
  }

  @Test
  void write_awkwardNamesAndTexts_keepsEveryRuleOfShiviz() throws IOException {
    List<String> names =
        List.of(
            "a b", "a%20b", "\u00A0", "\u2028x", "{\"a\":1}", "constructor", "__proto__", "é", "1");
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      String node = names.get(i);
      String text = "x\u2028host {\"a\":1}\u2029\r\ny {\"y\":1}\nz\\";
      events.add(
          new Event(node, "app", HlcTimestamp.pack(i), new EventBody.LogLine(text, Map.of())));
    }

    List<ShivizRules.Entry> entries = ShivizRules.check(written(events));

    assertThat(entries).extracting(ShivizRules.Entry::host).doesNotHaveDuplicates();
    assertThat(entries)
        .extracting(ShivizRules.Entry::text)
        .containsOnly("app x\\u2028host {\"a\":1}\\u2029\\r\\ny {\"y\":1}\\nz\\\\");
  }

  @Test
  void write_randomMessages_keepsEveryRuleOfShiviz() throws IOException {
    long seed = Long.getLong("retroscope.seed", 20261121);
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      List<Event> events = new ArrayList<>();
      int nodeCount = 1 + random.nextInt(5);
      for (int i = 0; i < 60; i++) {
        String node = "n" + random.nextInt(nodeCount);
        String peer = random.nextBoolean() ? "" : "n" + random.nextInt(nodeCount);
        String id = "m" + random.nextInt(20);
        EventBody body =
            switch (random.nextInt(4)) {
              case 0 -> new EventBody.Send(peer, id);
              case 1 -> new EventBody.Receive(peer, id);
              case 2 -> new EventBody.Heartbeat();
              default -> new EventBody.LogLine("", Map.of());
            };
        events.add(new Event(node, "l", HlcTimestamp.pack(i), body));
      }
      long written =
          events.stream().filter(e -> !(e.body() instanceof EventBody.Heartbeat)).count();
      assertThat(ShivizRules.check(written(events)))
          .as("seed %d, round %d", seed, round)
          .hasSize((int) written);
    }
  }

  @Test
  void write_idThatSeveralSendsShare_drawsOnlyTheArrowThatIsCertain() throws IOException {
    List<ShivizRules.Entry> entries =
        ShivizRules.check(
            written(
                List.of(
                    new Event("a", "l", HlcTimestamp.pack(1), new EventBody.Send("c", "m")),
                    new Event("b", "l", HlcTimestamp.pack(2), new EventBody.Send("", "m")),
                    new Event("c", "l", HlcTimestamp.pack(3), new EventBody.Receive("", "m")),
                    new Event("c", "l", HlcTimestamp.pack(4), new EventBody.Receive("a", "m")),
                    new Event("d", "l", HlcTimestamp.pack(5), new EventBody.Receive("", "m")))));

    assertThat(entries)
        .extracting(ShivizRules.Entry::clock)
        .containsExactly(
            Map.of("a", 1L),
            Map.of("b", 1L),
            Map.of("c", 1L),
            Map.of("a", 1L, "c", 2L),
            Map.of("b", 1L, "d", 1L));
  }

  private static String written(List<Event> events) throws IOException {
    StringWriter out = new StringWriter();
    ShivizExport.write(events, out);
    return out.toString();
  }
}
