package io.retroscope.cli.shiviz;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
            Map.of("f.log", written(EVENTS)), "shiviz", Optional.empty(), Optional.empty());
    assertThat(result.entryCount()).isEqualTo(4);
    assertThat(result.messageCount()).isEqualTo(1);
    assertThat(result.nodeCount()).isEqualTo(2);
  }

  private static String written(List<Event> events) throws IOException {
    StringWriter out = new StringWriter();
    ShivizExport.write(events, out);
    return out.toString();
  }
}
