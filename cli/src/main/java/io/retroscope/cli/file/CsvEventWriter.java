package io.retroscope.cli.file;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.json.EventConsumer;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.rql.print.CsvText;
import java.io.IOException;
import java.io.Writer;
import java.util.Locale;
import java.util.Map;

/**
 * A writer of events as CSV (RFC 4180, but with LF), for spreadsheets and data frames: a line for
 * each variable that an event changes, so that one filter selects a variable. Values are JSON. A
 * name or a text that a spreadsheet would evaluate is prefixed with an apostrophe. Heartbeats are
 * omitted. Used by one thread.
 */
public final class CsvEventWriter implements EventConsumer {
  /** The first line. */
  public static final String HEADER = "hlc,node,log,pt,seq,kind,name,value";

  private final Writer out;

  /** Writes the header to {@code out}, which should be buffered. */
  public CsvEventWriter(Writer out) throws IOException {
    this.out = out;
    out.write(HEADER + "\n");
  }

  /** Writes the lines of one event. */
  @Override
  public void event(Event event) throws IOException {
    EventBody body = event.body();
    if (body instanceof EventBody.StateChange state) {
      for (EventBody.Change change : state.changes()) {
        String kind = change.operation().name().toLowerCase(Locale.ROOT);
        boolean unset = change.operation() == EventBody.Operation.UNSET;
        line(event, kind, change.variable(), unset ? "" : JsonValues.text(change.value()));
      }
    } else if (body instanceof EventBody.LogLine line) {
      line(event, "message", "", CsvText.plain(line.message()));
      for (Map.Entry<String, Value> field : line.fields().entrySet()) {
        line(event, "field", field.getKey(), JsonValues.text(field.getValue()));
      }
    } else if (body instanceof EventBody.Send send) {
      line(event, "send", send.id(), CsvText.plain(send.to()));
    } else if (body instanceof EventBody.Receive receive) {
      line(event, "receive", receive.id(), CsvText.plain(receive.from()));
    } else if (body instanceof EventBody.Start start) {
      line(event, "start", start.incarnation(), "");
    } else if (body instanceof EventBody.Stop) {
      line(event, "stop", "", "");
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

  /** No line has room for it; the export shows it beside. */
  @Override
  public void warning(String sentence) {}

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
