// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.lines;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.cut.state.CutTime;
import io.retroscope.rql.json.JsonValues;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Log lines as JSON objects: {@code {"time":"2026-11-20T18:40:00.000431Z","uncertaintyMicros":120,
 * "clock":"zk2","hlc":"1795200000000431.0","pt":1795200000000120,"node":"web1","log":"app",
 * "message":"timeout","fields":{"level":"WARN"}}}. Unknown values are null; {@code fields} is
 * omitted if there are none, and {@code late} if it is false.
 */
public final class LineJson {
  private LineJson() {}

  /** A line as one JSON object, without a line end. */
  public static String text(AlignedLine line) {
    Map<String, Value> object = new LinkedHashMap<>();
    Event event = line.event();
    object.put("time", Value.of(HlcTimestamp.isoMicros(line.time().micros())));
    object.put("uncertaintyMicros", orNull(line.time().uncertaintyMicros()));
    object.put("clock", line.clock().<Value>map(Value::of).orElse(NullValue.NULL));
    object.put("hlc", Value.of(HlcTimestamp.text(event.hlc())));
    object.put("pt", event.hasPhysical() ? Value.of(event.physicalMicros()) : NullValue.NULL);
    object.put("node", Value.of(event.node()));
    object.put("log", Value.of(event.log()));
    object.put("message", Value.of(line.line().message()));
    if (!line.line().fields().isEmpty()) {
      object.put("fields", new StructValue(line.line().fields()));
    }
    if (line.late()) {
      object.put("late", Value.of(true));
    }
    return JsonValues.text(new StructValue(object));
  }

  /**
   * The line in an object.
   *
   * @throws IllegalArgumentException if it contains none; the message contains the reason
   */
  public static AlignedLine read(StructValue object) {
    Map<String, Value> fields =
        object.fields().get("fields") instanceof StructValue its ? its.fields() : Map.of();
    OptionalLong reading = number(object, "pt");
    Event event =
        new Event(
            text(object, "node"),
            text(object, "log"),
            HlcTimestamp.parse(text(object, "hlc")),
            reading.orElse(Event.NO_PHYSICAL),
            Event.NO_SEQUENCE,
            Set.of(),
            new EventBody.LogLine(text(object, "message"), fields));
    Instant time = Instant.parse(text(object, "time"));
    return new AlignedLine(
        event,
        new CutTime(
            ChronoUnit.MICROS.between(Instant.EPOCH, time), number(object, "uncertaintyMicros")),
        object.fields().get("clock") instanceof StringValue clock
            ? Optional.of(clock.value())
            : Optional.empty(),
        object.fields().get("late") instanceof BooleanValue late && late.value());
  }

  private static Value orNull(OptionalLong number) {
    return number.isPresent() ? Value.of(number.getAsLong()) : NullValue.NULL;
  }

  private static OptionalLong number(StructValue object, String name) {
    return object.fields().get(name) instanceof LongValue number
        ? OptionalLong.of(number.value())
        : OptionalLong.empty();
  }

  private static String text(StructValue object, String name) {
    if (object.fields().get(name) instanceof StringValue text) {
      return text.value();
    }
    throw new IllegalArgumentException("a log line without " + name);
  }
}
