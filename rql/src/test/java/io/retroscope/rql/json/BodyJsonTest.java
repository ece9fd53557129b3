// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.event.EventKind;
import io.retroscope.event.Value;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class BodyJsonTest {
  private static final long STAMP = HlcTimestamp.pack(1_795_200_000_000_000L);
  private static final Value SET_OF_ONE = Value.setOf(Value.of(1));

  /** A body that has every part of its kind. */
  private static EventBody sample(EventKind kind) {
    return switch (kind) {
      case STATE_CHANGE ->
          new EventBody.StateChange(
              List.of(
                  new Change(Operation.SET, "a", Value.of(4)),
                  new Change(Operation.ADD, "b", SET_OF_ONE),
                  new Change(Operation.REMOVE, "c", SET_OF_ONE),
                  new Change(Operation.UNSET, "d", Value.NullValue.NULL)));
      case LOG_LINE -> new EventBody.LogLine("timeout", Map.of("ms", Value.of(1_200)));
      case SEND -> new EventBody.Send("b", "m1");
      case RECEIVE -> new EventBody.Receive("a", "m1");
      case HEARTBEAT -> new EventBody.Heartbeat(5_000_000);
      case START -> new EventBody.Start("5f2c", STAMP, "4e1b", Spill.PENDING);
      case STOP -> new EventBody.Stop();
    };
  }

  private static String line(EventKind kind) {
    String log = kind.isOfNode() ? "" : "l";
    return NdjsonWriter.line(new Event("n", log, STAMP, sample(kind)));
  }

  private static EventBody body(String line) throws IOException {
    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
    NdjsonReader reader =
        new NdjsonReader(new ByteArrayInputStream(bytes), NdjsonReader.Limits.FILE);
    Optional<Event> event = reader.next();
    return event.orElseThrow().body();
  }

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -0.0})
  void read_numberThatJsonDoesNotHave_isTheOneWritten(double number) throws IOException {
    Value value = Value.of(number);
    EventBody state =
        new EventBody.StateChange(
            List.of(
                new Change(Operation.SET, "x", value),
                new Change(Operation.SET, "struct", new Value.StructValue(Map.of("f", value))),
                new Change(Operation.ADD, "set", Value.setOf(value))));
    EventBody line = new EventBody.LogLine("m", Map.of("f", value, "text", Value.of("NaN")));

    assertThat(body(NdjsonWriter.line(new Event("n", "l", STAMP, state)))).isEqualTo(state);
    assertThat(body(NdjsonWriter.line(new Event("n", "l", STAMP, line)))).isEqualTo(line);
  }

  @ParameterizedTest
  @EnumSource
  void read_eachKind_isTheBodyThatWasWritten(EventKind kind) throws IOException {
    assertThat(body(line(kind))).isEqualTo(sample(kind));
  }

  /** The first kind's line, with the fields of the second one's body added. */
  private static String both(EventKind first, EventKind second) {
    String added = line(second).replaceFirst(".*?\"hlc\":\"[0-9.]*\",", "");
    return line(first)
            .replaceFirst("}$", ",")
            .replace("{\"node\":\"n\",\"hlc\"", "{\"node\":\"n\",\"log\":\"l\",\"hlc\"")
        + added;
  }

  @ParameterizedTest
  @EnumSource
  void read_fieldsOfTwoKinds_areRefused(EventKind kind) {
    for (EventKind other : EventKind.values()) {
      if (other != kind) {
        assertThatThrownBy(() -> body(both(kind, other)))
            .as(both(kind, other))
            .isInstanceOf(NdjsonException.class)
            .hasMessageContaining("cannot be combined with");
      }
    }
  }

  @Test
  void read_changesAfterOneAnother_namesTheFirst() {
    String line =
        "{\"node\":\"n\",\"log\":\"l\",\"hlc\":1,\"set\":{\"a\":1},\"add\":{\"b\":[1]},"
            + "\"stop\":true}";
    assertThatThrownBy(() -> body(line)).hasMessageContaining("combined with \"set\"");
  }

  @Test
  void read_noBody_namesTheFieldsOfEveryKind() {
    assertThatThrownBy(() -> body("{\"node\":\"n\",\"log\":\"l\",\"hlc\":1}"))
        .hasMessageContaining(
            "one of set, add, remove, unset, message, send, receive, heartbeat, start, stop, lost");
  }
}
