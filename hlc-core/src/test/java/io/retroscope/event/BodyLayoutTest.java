// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.Spill;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BodyLayoutTest {
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
      case HEARTBEAT -> new EventBody.Heartbeat();
      case START -> new EventBody.Start("5f2c", STAMP, "4e1b", Spill.PENDING);
      case STOP -> new EventBody.Stop();
    };
  }

  private static EventBlock block(EventBody body) {
    return new EventBlockBuilder().add(new Event("n", "", STAMP, body)).build();
  }

  private static EventBlock decoded(EventBlock block) throws CorruptBlockException {
    return EventBlockCodec.decodeBlock(EventBlockCodec.encode(block));
  }

  @ParameterizedTest
  @EnumSource
  void read_eachKind_isTheBodyThatWasWritten(EventKind kind) throws CorruptBlockException {
    EventBody body = sample(kind);
    assertThat(body.kind()).isEqualTo(kind);
    EventBlock decoded = decoded(block(body));
    assertThat(decoded.kind(0)).isEqualTo(kind);
    assertThat(decoded.body(0)).isEqualTo(body);
  }

  @ParameterizedTest
  @EnumSource
  void fits_changesOfAnotherKind_areRefused(EventKind kind) throws CorruptBlockException {
    for (EventKind other : EventKind.values()) {
      EventBlock block = block(sample(kind));
      block.columns().kind[0] = other.code();
      if (shape(other).equals(shape(kind))) {
        assertThat(decoded(block).body(0).kind()).isEqualTo(other);
      } else {
        assertThatThrownBy(() -> decoded(block))
            .as("%s as %s", kind, other)
            .isInstanceOf(CorruptBlockException.class)
            .hasMessageContaining("event 0 does not have the changes of a " + other);
      }
    }
  }

  /** Kinds of one shape can only be distinguished by the kind itself. */
  private static String shape(EventKind kind) {
    return switch (kind) {
      case STATE_CHANGE -> "named";
      case LOG_LINE -> "text and named";
      case SEND, RECEIVE -> "two texts";
      case START -> "text, number, text, number";
      case HEARTBEAT, STOP -> "nothing";
    };
  }

  /** Each part of a start is damaged on its own. */
  @Test
  void fits_startWithAWrongPart_isRefused() {
    EventKind kind = EventKind.START;
    assertRefused(kind, columns -> columns.bits[3] = Spill.values().length);
    assertRefused(kind, columns -> columns.bits[3] = -1);
    assertRefused(kind, columns -> columns.type[0] = ValueType.NULL.code());
    assertRefused(kind, columns -> columns.type[1] = ValueType.DOUBLE.code());
    assertRefused(kind, columns -> columns.type[2] = ValueType.NULL.code());
    assertRefused(kind, columns -> columns.type[3] = ValueType.DOUBLE.code());
  }

  @Test
  void fits_messageWithAWrongPart_isRefused() {
    assertRefused(EventKind.SEND, columns -> columns.type[0] = ValueType.NULL.code());
    assertRefused(EventKind.RECEIVE, columns -> columns.type[1] = ValueType.LONG.code());
  }

  @Test
  void fits_lineOrChangeWithoutAName_isRefused() {
    assertRefused(EventKind.LOG_LINE, columns -> columns.name[1] = EventBlock.NO_NAME);
    assertRefused(EventKind.LOG_LINE, columns -> columns.name[0] = 0);
    assertRefused(EventKind.STATE_CHANGE, columns -> columns.name[3] = EventBlock.NO_NAME);
  }

  @Test
  void read_longsOfSeveralVariables_areThoseThatWereWritten() throws CorruptBlockException {
    EventBlockBuilder builder = new EventBlockBuilder();
    for (int i = 0; i < 9; i++) {
      Change change = new Change(Operation.SET, "v" + i % 3, Value.of(100L * (i % 3) - i));
      builder.add(new Event("n", "", STAMP + i, new EventBody.StateChange(List.of(change))));
    }
    EventBlock block = builder.build();
    assertThat(block.writesLongsOnly()).isTrue();
    assertThat(decoded(block).events()).isEqualTo(block.events());
  }

  @Test
  void fits_longsOfWhichOneHasNoName_areRefused() throws CorruptBlockException {
    EventBody sets =
        new EventBody.StateChange(List.of(new Change(Operation.SET, "a", Value.of(4))));
    Event event = new Event("n", "", STAMP, sets);
    for (int row = 0; row < 3; row++) {
      EventBlock block = new EventBlockBuilder().add(event).add(event).add(event).build();
      assertThat(decoded(block).events()).isEqualTo(block.events());
      block.columns().name[row] = EventBlock.NO_NAME;
      assertThatThrownBy(() -> decoded(block))
          .isInstanceOf(CorruptBlockException.class)
          .hasMessageContaining("event " + row + " does not have the changes of a STATE_CHANGE");
    }
  }

  @Test
  void fits_additionOrRemovalOfNoSet_isRefused() {
    assertRefused(EventKind.STATE_CHANGE, columns -> columns.type[1] = ValueType.NULL.code());
    assertRefused(EventKind.STATE_CHANGE, columns -> columns.type[2] = ValueType.NULL.code());
  }

  private interface Damage {
    void to(BlockColumns columns);
  }

  private static void assertRefused(EventKind kind, Damage damage) {
    EventBlock block = block(sample(kind));
    damage.to(block.columns());
    assertThatThrownBy(() -> decoded(block))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessageContaining("event 0 does not have the changes of a " + kind);
  }
}
