// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.file;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.json.EventConsumer;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.rql.print.CsvText;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A writer of events as CSV (RFC 4180, but with LF), for spreadsheets and data frames: a line for
 * each variable that an event changes, so that one filter selects a variable. Values are JSON. A
 * name or a text that a spreadsheet would evaluate is prefixed with an apostrophe. Heartbeats are
 * omitted. Used by one thread.
 */
public final class CsvEventWriter implements EventConsumer {
  /** The first line. */
  public static final String HEADER = "hlc,node,log,pt,seq,kind,name,value";

  /** The lines of an event's body; none for a heartbeat. */
  private static final EventBody.Visitor<List<Cells>> CELLS =
      new EventBody.Visitor<>() {
        @Override
        public List<Cells> stateChange(EventBody.StateChange state) {
          return state.changes().stream().map(Cells::of).toList();
        }

        @Override
        public List<Cells> logLine(EventBody.LogLine line) {
          List<Cells> lines = new ArrayList<>();
          lines.add(new Cells("message", "", CsvText.plain(line.message())));
          line.fields().forEach((n, v) -> lines.add(new Cells("field", n, JsonValues.text(v))));
          return lines;
        }

        @Override
        public List<Cells> send(EventBody.Send send) {
          return List.of(new Cells("send", send.id(), CsvText.plain(send.to())));
        }

        @Override
        public List<Cells> receive(EventBody.Receive receive) {
          return List.of(new Cells("receive", receive.id(), CsvText.plain(receive.from())));
        }

        @Override
        public List<Cells> heartbeat(EventBody.Heartbeat heartbeat) {
          return List.of();
        }

        @Override
        public List<Cells> start(EventBody.Start start) {
          return List.of(new Cells("start", start.incarnation(), ""));
        }

        @Override
        public List<Cells> stop(EventBody.Stop stop) {
          return List.of(new Cells("stop", "", ""));
        }
      };

  private final Writer out;

  /** The cells of a line that depend on the kind of the event. */
  private record Cells(String kind, String name, String value) {
    static Cells of(EventBody.Change change) {
      boolean unset = change.operation() == EventBody.Operation.UNSET;
      return new Cells(
          change.operation().name().toLowerCase(Locale.ROOT),
          change.variable(),
          unset ? "" : JsonValues.text(change.value()));
    }
  }

  /** Writes the header to {@code out}, which should be buffered. */
  public CsvEventWriter(Writer out) throws IOException {
    this.out = out;
    out.write(HEADER + "\n");
  }

  /** Writes the lines of one event. */
  @Override
  public void event(Event event) throws IOException {
    for (Cells cells : event.body().accept(CELLS)) {
      line(event, cells.kind, cells.name, cells.value);
    }
  }

  /** Writes the end and the start of a loss, and the number of lost events. */
  @Override
  public void gap(Gap gap) throws IOException {
    cell(HlcTimestamp.text(gap.range().to()), ',');
    cell(CsvText.plain(gap.node()), ',');
    out.write(",,,lost,");
    cell(HlcTimestamp.text(gap.range().from()), ',');
    cell(Long.toString(gap.eventCount()), '\n');
  }

  /** Does nothing, because no line has room for it; the export prints it. */
  @Override
  public void incomplete(Incompleteness reason) {}

  private void line(Event event, String kind, String name, String value) throws IOException {
    cell(HlcTimestamp.text(event.hlc()), ',');
    cell(CsvText.plain(event.node()), ',');
    cell(CsvText.plain(event.log()), ',');
    cell(event.hasPhysical() ? Long.toString(event.physicalMicros()) : "", ',');
    cell(event.sequence() == Event.NO_SEQUENCE ? "" : Long.toString(event.sequence()), ',');
    cell(kind, ',');
    cell(CsvText.plain(name), ',');
    cell(value, '\n');
  }

  private void cell(String text, char end) throws IOException {
    boolean quoted = text.chars().anyMatch(c -> c == '"' || c == ',' || c == '\n' || c == '\r');
    out.write(quoted ? "\"" + text.replace("\"", "\"\"") + "\"" : text);
    out.write(end);
  }
}
