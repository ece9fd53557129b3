// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.rql.json.NdjsonException;
import io.retroscope.rql.json.NdjsonReader;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.LineBlock;
import io.retroscope.server.store.Submission.NumberedEvent;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Lines as columns have the events, the line numbers and the errors of lines as objects. */
class LineCollectorTest {
  private static final String[] BODIES = {
    "\"log\":\"l\",\"set\":{\"x\":%d}",
    "\"log\":\"m\",\"set\":{\"x\":%d,\"y\":\"text\",\"z\":null,\"d\":2.5,\"b\":true}",
    "\"log\":\"l\",\"message\":\"line %d\",\"fields\":{\"a\":1}",
    "\"log\":\"l\",\"send\":{\"to\":\"b\",\"id\":\"%d\"}",
    "\"log\":\"l\",\"receive\":{\"from\":\"b\",\"id\":\"%d\"}",
    "\"heartbeat\":true,\"promise\":%d",
    "\"log\":\"l\",\"set\":{\"members\":[%d,2],\"s\":{\"t\":1}}",
    "\"log\":\"l\",\"add\":{\"s\":[%d]},\"set\":{\"x\":1}",
    "\"log\":\"l\",\"message\":\"gr\u00fcn %d\"",
    "\"log\":\"l\",\"message\":\"a\\\"%d\"",
    "\"stop\":true",
  };

  /** Each is an error in a line. */
  private static final String[] MISTAKES = {
    "\"log\":\"l\",\"set\":{\"x\":1,\"x\":2}",
    "\"log\":\"l\",\"set\":{}",
    "\"log\":\"l\"",
    "\"set\":{\"x\":1}",
    "\"log\":\"l\",\"unknown\":1,\"set\":{\"x\":1}",
    "\"log\":\"l\",\"set\":{\"x\":99999999999999999999}",
    "\"log\":\"l\",\"set\":{\"x\":1",
    "\"log\":\"l\",\"seq\":0,\"set\":{\"x\":1}",
    "\"log\":\"l\",\"message\":\"m\",\"set\":{\"x\":1}",
  };

  private int inColumns;
  private int asObjects;
  private int errors;

  private static Submission.Lines read(byte[] text) {
    try (MemoryBudget.Charge charge = new MemoryBudget(256 << 20).charge()) {
      return (Submission.Lines)
          new BatchReader(NdjsonReader.Limits.BATCH)
              .read(Optional.empty(), Optional.empty(), text, charge);
    }
  }

  private static List<NumberedEvent> plain(byte[] text) throws IOException {
    NdjsonReader reader =
        new NdjsonReader(new ByteArrayInputStream(text), NdjsonReader.Limits.BATCH);
    List<NumberedEvent> events = new ArrayList<>();
    for (Optional<Event> event = reader.next(); event.isPresent(); event = reader.next()) {
      events.add(new NumberedEvent(reader.lineNumber(), event.get()));
    }
    return events;
  }

  @Test
  void read_randomLines_hasTheEventsOrTheErrorOfPlainReading() throws IOException {
    for (int seed = 1; seed <= 3_000; seed++) {
      byte[] text = text(new Random(seed)).getBytes(StandardCharsets.UTF_8);
      String expected;
      List<NumberedEvent> events = List.of();
      try {
        events = plain(text);
        expected = "none";
      } catch (NdjsonException e) {
        expected = e.getMessage();
        errors++;
      }
      try {
        Submission.Lines lines = read(text);
        assertThat("none").as("seed " + seed).isEqualTo(expected);
        check(lines, events, "seed " + seed);
      } catch (BadBatchException e) {
        assertThat(e.getMessage()).as("seed " + seed).isEqualTo(expected);
      }
    }
    assertThat(inColumns).isGreaterThan(500);
    assertThat(asObjects).isGreaterThan(500);
    assertThat(errors).isGreaterThan(200);
  }

  private void check(Submission.Lines lines, List<NumberedEvent> events, String seed) {
    List<NumberedEvent> read = new ArrayList<>(lines.events());
    read.sort(Comparator.comparingLong(NumberedEvent::number));
    assertThat(read).as(seed).isEqualTo(events);
    inColumns += lines.blocks().isEmpty() ? 0 : 1;
    asObjects += lines.blocks().isEmpty() ? 1 : 0;
    for (LineBlock block : lines.blocks()) {
      assertThat(block.rows().size()).isBetween(1, LineBlock.MAX_EVENTS);
      // What the store makes of the objects.
      EventBlockBuilder builder = new EventBlockBuilder();
      block.rows().events().forEach(builder::add);
      EventBlock made = builder.build();
      assertThat(EventBlockCodec.encode(block.rows()))
          .as(seed)
          .isEqualTo(EventBlockCodec.encode(made));
    }
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    boolean mistakes = random.nextInt(6) == 0;
    boolean ordered = random.nextInt(3) > 0;
    long micros = 1_000;
    for (int i = random.nextInt(30); i >= 0; i--) {
      micros += ordered ? 1 + random.nextInt(3) : random.nextInt(8) - 2;
      String run = !ordered && random.nextInt(20) == 0 ? "\"incarnation\":\"i\"," : "";
      String[] bodies = mistakes && random.nextInt(10) == 0 ? MISTAKES : BODIES;
      text.append("{\"node\":\"n")
          .append(random.nextInt(3))
          .append("\",")
          .append(run)
          .append("\"hlc\":")
          .append(micros)
          .append(random.nextInt(3) == 0 ? ",\"pt\":" + micros + ",\"seq\":7," : ",")
          .append(bodies[random.nextInt(bodies.length)].formatted(1 + random.nextInt(5)))
          .append(random.nextInt(40) == 0 ? "}\r\n\n" : "}\n");
    }
    return text.toString();
  }

  @Test
  void read_moreLinesThanABlockHolds_hasSeveralBlocks() {
    StringBuilder text = new StringBuilder();
    int count = 2 * LineBlock.MAX_EVENTS + 5;
    for (int i = 1; i <= count; i++) {
      text.append("{\"node\":\"n\",\"log\":\"l\",\"hlc\":%d,\"set\":{\"x\":%d}}\n".formatted(i, i));
    }
    Submission.Lines lines = read(text.toString().getBytes(StandardCharsets.UTF_8));
    assertThat(lines.blocks())
        .extracting(block -> block.rows().size())
        .containsExactly(4096, 4096, 5);
    assertThat(lines.lines()).isEmpty();
    assertThat(lines.blocks().get(2).numbers()).startsWith(2L * LineBlock.MAX_EVENTS + 1);
  }
}
