// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventMark;
import io.retroscope.event.LostBlocks;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/** A reader of one event, or of a report of lost events, from one JSON object. Used once. */
final class EventReader {
  private static final int MAX_NAME_LENGTH = 200;

  private final JsonParser in;
  private final Set<String> seen = new HashSet<>();
  private final JsonFields fields;
  private final BodyJson body;

  private @Nullable String node;
  private String incarnation = "";
  private @Nullable String log;
  private @Nullable Long hlc;
  private long physicalMicros = Event.NO_PHYSICAL;
  private long sequence = Event.NO_SEQUENCE;
  private Set<EventMark> marks = Set.of();
  private @Nullable Lost lost;
  private @Nullable Incompleteness reason;

  /** Lost events: the stamp at which they begin, and their number. */
  private record Lost(long from, long eventCount) {}

  private EventReader(JsonParser in) {
    this.in = in;
    fields = new JsonFields(in);
    body = new BodyJson(fields);
  }

  /**
   * Reads the event in the first {@code length} characters; empty if they report missing events.
   *
   * @param gaps takes a loss
   * @param reasons takes anything else
   * @throws JsonFieldException if the text is not exactly one of these
   */
  static Optional<Event> read(
      char[] text, int length, Consumer<Gap> gaps, Consumer<Incompleteness> reasons) {
    try (JsonParser parser =
        JsonValues.EVENTS.createParser(ObjectReadContext.empty(), text, 0, length)) {
      return new EventReader(parser).read(gaps, reasons);
    } catch (JacksonException e) {
      throw new JsonFieldException("", JsonValues.syntaxError(e));
    }
  }

  private Optional<Event> read(Consumer<Gap> gaps, Consumer<Incompleteness> reasons) {
    if (in.nextToken() != JsonToken.START_OBJECT) {
      throw new JsonFieldException("", "expected one JSON object");
    }
    for (String name = in.nextName(); name != null; name = in.nextName()) {
      if (!seen.add(name)) {
        throw new JsonFieldException(name, "is given twice");
      }
      readField(name, in.nextToken());
    }
    if (in.nextToken() != null) {
      throw new JsonFieldException("", "more than one JSON object on the line");
    }
    if (reason != null) {
      if (seen.size() > 1) {
        String field = seen.contains("warning") ? "warning" : "incomplete";
        throw new JsonFieldException(field, "must be the only field of its line");
      }
      reasons.accept(reason);
      return Optional.empty();
    }
    return build(gaps);
  }

  private void readField(String name, JsonToken token) {
    switch (name) {
      case "node" -> node = fields.name(token, name, MAX_NAME_LENGTH);
      case "incarnation" -> incarnation = fields.name(token, name, Event.MAX_INCARNATION_LENGTH);
      case "log" -> log = fields.name(token, name, MAX_NAME_LENGTH);
      case "hlc" -> hlc = fields.stamp(token, name);
      case "pt" -> physicalMicros = fields.integer(token, name, 0, HlcTimestamp.MAX_MICROS);
      case "seq" -> sequence = fields.integer(token, name, 1, Long.MAX_VALUE);
      case "marks" -> marks = marks(token);
      case "lost" -> {
        body.define(name);
        lost = lost(token);
      }
      case "warning" -> reason = new Incompleteness.Reported(fields.text(token, name));
      case "incomplete" ->
          reason = incomplete(fields.object(token, name, IncompletenessJson.FIELDS));
      default -> {
        if (!body.read(name, token)) {
          throw new JsonFieldException(name, "is not a field of an event");
        }
      }
    }
  }

  private Optional<Event> build(Consumer<Gap> gaps) {
    if (node == null) {
      throw new JsonFieldException("node", "is missing");
    }
    if (hlc == null) {
      throw new JsonFieldException("hlc", "is missing");
    }
    if (lost != null) {
      gaps.accept(gap(node, incarnation, lost, hlc));
      return Optional.empty();
    }
    EventBody read = body.body();
    boolean ofNode = read.kind().isOfNode();
    if (log == null && !ofNode) {
      throw new JsonFieldException("log", "is missing");
    }
    String logName = log == null || ofNode ? "" : log;
    return Optional.of(
        new Event(node, incarnation, logName, hlc, physicalMicros, sequence, marks, read));
  }

  private static Gap gap(String node, String incarnation, Lost lost, long hlc) {
    if (lost.from > hlc) {
      throw new JsonFieldException("lost.from", "is after \"hlc\", where the loss ends");
    }
    return new Gap(node, incarnation, new HlcRange(lost.from, hlc), lost.eventCount);
  }

  private static Incompleteness incomplete(Map<String, Value> stated) {
    try {
      return IncompletenessJson.of(stated);
    } catch (IllegalArgumentException e) {
      throw new JsonFieldException("incomplete", String.valueOf(e.getMessage()));
    }
  }

  private Lost lost(JsonToken token) {
    Map<String, Value> lost = fields.object(token, "lost", Set.of("from", "events"));
    if (!(lost.get("events") instanceof Value.LongValue count)
        || count.value() < 1
        || count.value() > LostBlocks.MAX_EVENTS) {
      throw new JsonFieldException(
          "lost.events", "must be an integer within 1.." + LostBlocks.MAX_EVENTS);
    }
    String from = JsonFields.text(lost, "lost", "from", null);
    return new Lost(JsonFields.stamp(from, "lost.from"), count.value());
  }

  private Set<EventMark> marks(JsonToken token) {
    if (token != JsonToken.START_ARRAY) {
      throw new JsonFieldException("marks", "must be an array");
    }
    Set<EventMark> read = EnumSet.noneOf(EventMark.class);
    for (JsonToken t = in.nextToken(); t != JsonToken.END_ARRAY; t = in.nextToken()) {
      read.add(JsonFields.oneOf(EventMark.values(), fields.text(t, "marks"), "marks"));
    }
    return read;
  }
}
