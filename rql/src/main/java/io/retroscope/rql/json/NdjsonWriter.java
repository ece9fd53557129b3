package io.retroscope.rql.json;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.EventSource.Gap;
import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;
import java.util.List;
import java.util.Locale;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

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
  public void warning(String sentence) throws IOException {
    out.write(RowJson.warning(sentence));
    out.write('\n');
  }

  /** Returns the line of a loss, without its end. */
  public static String line(Gap gap) {
    StringWriter text = new StringWriter(128);
    try (JsonGenerator json = JsonValues.JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      json.writeStringProperty("node", gap.node());
      writeIncarnation(json, gap.incarnation());
      json.writeStringProperty("hlc", HlcTimestamp.text(gap.range().to()));
      json.writeName("lost").writeStartObject();
      json.writeStringProperty("from", HlcTimestamp.text(gap.range().from()));
      json.writeNumberProperty("events", gap.eventCount());
      json.writeEndObject();
      json.writeEndObject();
    }
    return text.toString();
  }

  /** Returns the line of an event, without its end. */
  public static String line(Event event) {
    StringWriter text = new StringWriter(128);
    try (JsonGenerator json = JsonValues.JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
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
        event.marks().stream().sorted().forEach(mark -> json.writeString(lower(mark)));
        json.writeEndArray();
      }
      writeBody(json, event.body());
      json.writeEndObject();
    }
    return text.toString();
  }

  private static void writeIncarnation(JsonGenerator json, String incarnation) {
    if (!incarnation.isEmpty()) {
      json.writeStringProperty("incarnation", incarnation);
    }
  }

  private static void writeBody(JsonGenerator json, EventBody body) {
    if (body instanceof EventBody.StateChange change) {
      writeChanges(json, change.changes());
    } else if (body instanceof EventBody.LogLine line) {
      json.writeStringProperty("message", line.message());
      if (!line.fields().isEmpty()) {
        JsonValues.write(json.writeName("fields"), new Value.StructValue(line.fields()));
      }
    } else if (body instanceof EventBody.Send send) {
      writeEnd(json, "send", "to", send.to(), send.id());
    } else if (body instanceof EventBody.Receive receive) {
      writeEnd(json, "receive", "from", receive.from(), receive.id());
    } else if (body instanceof EventBody.Heartbeat heartbeat) {
      json.writeBooleanProperty("heartbeat", true);
      if (heartbeat.promiseMicros() > 0) {
        json.writeNumberProperty("promise", heartbeat.promiseMicros());
      }
    } else if (body instanceof EventBody.Stop) {
      json.writeBooleanProperty("stop", true);
    } else if (body instanceof EventBody.Start start) {
      writeStart(json, start);
    }
  }

  private static void writeChanges(JsonGenerator json, List<Change> changes) {
    for (Operation operation : Operation.values()) {
      List<Change> same = changes.stream().filter(c -> c.operation() == operation).toList();
      if (same.isEmpty()) {
        continue;
      }
      json.writeName(lower(operation));
      if (operation == Operation.UNSET) {
        json.writeStartArray();
        same.forEach(change -> json.writeString(change.variable()));
        json.writeEndArray();
      } else {
        json.writeStartObject();
        same.forEach(c -> JsonValues.write(json.writeName(c.variable()), c.value()));
        json.writeEndObject();
      }
    }
  }

  private static void writeEnd(
      JsonGenerator json, String kind, String peerName, String peer, String id) {
    json.writeName(kind).writeStartObject();
    if (!peer.isEmpty()) {
      json.writeStringProperty(peerName, peer);
    }
    json.writeStringProperty("id", id);
    json.writeEndObject();
  }

  private static void writeStart(JsonGenerator json, EventBody.Start start) {
    json.writeName("start").writeStartObject();
    json.writeStringProperty("incarnation", start.incarnation());
    if (start.floor() != HlcTimestamp.MIN_PACKED) {
      json.writeStringProperty("floor", HlcTimestamp.text(start.floor()));
    }
    if (!start.predecessor().isEmpty()) {
      json.writeStringProperty("predecessor", start.predecessor());
    }
    if (start.spill() != Spill.COMPLETE) {
      json.writeStringProperty("spill", lower(start.spill()));
    }
    json.writeEndObject();
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
