// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.slice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Note;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.state.CutOrigin;
import io.retroscope.rql.cut.walk.EventWarning;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.SourceRange;
import io.retroscope.rql.engine.run.CutRow;
import io.retroscope.rql.evaluation.EvaluationException;
import io.retroscope.rql.plan.TimeWindow;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Tests that items of slices and requests for them pass through bytes unchanged. */
class SliceBytesTest {
  private static final List<Value> VALUES =
      List.of(
          new Value.NullValue(),
          Value.of(true),
          Value.of(false),
          Value.of(Long.MIN_VALUE),
          Value.of(-0.5),
          Value.of("Grüße"),
          new Value.DurationValue(-7),
          new Value.TimestampValue(1L << 60),
          new Value.SetValue(List.of(Value.of(1), Value.of("a"))),
          new Value.StructValue(Map.of("x", new Value.SetValue(List.of()))));

  /** Those of the query's process: n1 is behind by 100. */
  private static final ClockOffsets CLOCKS =
      new ClockOffsets() {
        @Override
        public Optional<String> referenceNode() {
          return Optional.of("n2");
        }

        @Override
        public Optional<Offset> offset(String node, long hlc) {
          return node.equals("n1")
              ? Optional.of(new Offset(100, OptionalLong.of(90), OptionalLong.of(110)))
              : Optional.of(new Offset(0, OptionalLong.of(0), OptionalLong.of(0)));
        }
      };

  private static final SliceTimes ALIGNED = SliceTimes.by(CLOCKS);

  private static final Set<String> NODES = Set.of("n1", "n2");

  private static final List<SliceItem> ITEMS = items(SliceTimes.elsewhere());

  private static List<SliceItem> items(SliceTimes times) {
    CutOrigin one = new CutOrigin();
    one.add("n1", 4);
    CutOrigin several = new CutOrigin();
    several.add("n1", 905);
    several.add("n2", 1_000);
    CutRow row =
        new CutRow(
            7,
            0,
            times.of(7, several),
            VALUES,
            Optional.of(new Note("piano", 60, 100, 250_000, -0.5)),
            new TreeSet<>());
    return List.of(
        new SliceItem.Holds(7, true, new SliceItem.MaybeRow(row, null), NODES),
        new SliceItem.StillHolds(8, 5, NODES),
        new SliceItem.Warns(new EventWarning("n1", 8, "was ignored")),
        new SliceItem.Progress(6, 8),
        new SliceItem.Ends(9, true, times.of(9, one), SliceItem.MaybeRow.NONE, Set.of()),
        new SliceItem.Finished(10, 12, 9, Set.of("n3")));
  }

  /** The times are made by the clocks of the reader. */
  @Test
  void items_ofAllKinds_areReadAsTheyWereWritten() throws CorruptBlockException {
    SliceBytes.Writer writer = new SliceBytes.Writer();
    SliceBytes.Reader reader = new SliceBytes.Reader(CLOCKS);
    for (int batch = 0; batch < 2; batch++) {
      assertThat(reader.items(writer.bytes(ITEMS))).isEqualTo(items(ALIGNED));
    }
  }

  /** The items of cuts that follow each other are joined if they share the nodes. */
  @Test
  void nodes_ofSeveralItems_areOneSet() throws CorruptBlockException {
    List<SliceItem> read =
        new SliceBytes.Reader(CLOCKS).items(new SliceBytes.Writer().bytes(ITEMS.subList(0, 2)));
    assertThat(((SliceItem.OfCut) read.get(0)).valued())
        .isSameAs(((SliceItem.OfCut) read.get(1)).valued());
  }

  @Test
  void failures_withPlaceAndNodes_areShownAsBefore() throws CorruptBlockException {
    EvaluationException failure =
        new EvaluationException(ErrorCode.TOO_MANY_VARIABLES, 7)
            .at(new SourceRange(3, 9))
            .withHelp("name some");
    SliceItem item = new SliceItem.Fails(7, failure, NODES);
    SliceItem.Fails read =
        (SliceItem.Fails)
            new SliceBytes.Reader(CLOCKS)
                .items(new SliceBytes.Writer().bytes(List.of(item)))
                .get(0);
    assertThat(read.failure().parts()).isEqualTo(failure.parts());
    assertThat(read.failure().inCut(" in a cut")).isEqualTo(failure.inCut(" in a cut"));
  }

  @Test
  void request_isReadAsItWasWritten() throws CorruptBlockException {
    SliceRequest request =
        new SliceRequest(
            "SELECT x FROM l",
            "[x]",
            new TimeWindow(new HlcRange(1, 90), false),
            new HlcRange(5, 9));
    byte[] bytes = request.toBytes();
    assertThat(SliceRequest.of(bytes)).isEqualTo(request);
    bytes[0]++;
    assertThatThrownBy(() -> SliceRequest.of(bytes))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessageContaining("version");
  }

  /** Whatever arrives, reading ends with items or with the exception for damage. */
  @Test
  void damagedAnswers_anyBytes_failAsDamage() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    SliceAnswer.Sending sending = new SliceAnswer.Sending(out);
    ITEMS.forEach(sending::add);
    sending.end(true, new WalkFigures(1, 2, 3, 4));
    byte[] whole = out.toByteArray();
    List<SliceItem> received = new ArrayList<>();
    assertThat(receive(whole, received)).isEqualTo(new WalkFigures(1, 2, 3, 4));
    assertThat(received).isEqualTo(items(ALIGNED));
    for (int length = 0; length < whole.length; length++) {
      byte[] beginning = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> receive(beginning, new ArrayList<>()))
          .as("the first %d bytes", length)
          .isInstanceOf(IOException.class);
    }
    Random random = new Random(20261128);
    int broken = 0;
    for (int i = 0; i < 3_000; i++) {
      byte[] damaged = Arrays.copyOf(whole, 1 + random.nextInt(whole.length));
      damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
      try {
        WalkFigures unused = receive(damaged, new ArrayList<>());
      } catch (IOException e) {
        broken++;
      }
    }
    assertThat(broken).isGreaterThan(2_000);
  }

  private static WalkFigures receive(byte[] answer, List<SliceItem> to) throws IOException {
    return SliceAnswer.receive(new ByteArrayInputStream(answer), CLOCKS, to::add);
  }
}
