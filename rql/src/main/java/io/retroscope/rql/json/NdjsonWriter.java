// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import java.io.IOException;
import java.io.Writer;
import tools.jackson.core.JsonGenerator;

/**
 * A writer of events as newline-delimited JSON, which {@link NdjsonReader} reads back as equal
 * events. Used by one thread. It does not flush or close the underlying writer.
 */
public final class NdjsonWriter implements EventConsumer {
  private final Writer out;

  /** Creates a writer to {@code out}, which should be buffered. */
  public NdjsonWriter(Writer out) {
    this.out = out;
  }

  @Override
  public void event(Event event) throws IOException {
    out.write(line(event));
    out.write('\n');
  }

  @Override
  public void gap(Gap gap) throws IOException {
    out.write(line(gap));
    out.write('\n');
  }

  @Override
  public void incomplete(Incompleteness reason) throws IOException {
    out.write(line(reason));
    out.write('\n');
  }

  /** Returns the line of a loss, without its end. */
  public static String line(Gap gap) {
    return JsonText.object(
        json -> {
          json.writeStringProperty("node", gap.node());
          writeIncarnation(json, gap.incarnation());
          json.writeStringProperty("hlc", HlcTimestamp.text(gap.range().to()));
          json.writeObjectPropertyStart("lost");
          json.writeStringProperty("from", HlcTimestamp.text(gap.range().from()));
          json.writeNumberProperty("events", gap.eventCount());
          json.writeEndObject();
        });
  }

  /** Returns the line of another reason why the events may be incomplete, without its end. */
  public static String line(Incompleteness reason) {
    return reason instanceof Incompleteness.Reported reported
            && reported.of().equals(Incompleteness.Extent.ALL)
        ? RowJson.warning(reason.sentence())
        : JsonText.object(
            json ->
                JsonValues.write(json.writeName("incomplete"), IncompletenessJson.struct(reason)));
  }

  /** Returns the line of an event, without its end. */
  public static String line(Event event) {
    return JsonText.object(json -> write(event, json));
  }

  private static void write(Event event, JsonGenerator json) {
    json.writeStringProperty("node", event.node());
    writeIncarnation(json, event.incarnation());
    if (!event.log().isEmpty()) {
      json.writeStringProperty("log", event.log());
    }
    json.writeStringProperty("hlc", HlcTimestamp.text(event.hlc()));
    if (event.hasPhysical()) {
      json.writeNumberProperty("pt", event.physicalMicros());
    }
    if (event.sequence() != Event.NO_SEQUENCE) {
      json.writeNumberProperty("seq", event.sequence());
    }
    if (!event.marks().isEmpty()) {
      json.writeName("marks").writeStartArray();
      event.marks().stream().sorted().forEach(mark -> json.writeString(JsonFields.nameOf(mark)));
      json.writeEndArray();
    }
    BodyJson.write(event.body(), json);
  }

  private static void writeIncarnation(JsonGenerator json, String incarnation) {
    if (!incarnation.isEmpty()) {
      json.writeStringProperty("incarnation", incarnation);
    }
  }
}
