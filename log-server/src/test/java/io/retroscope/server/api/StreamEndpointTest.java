// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.metrics.Metrics;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class StreamEndpointTest {
  /** Room for a few short rows. */
  private static final long QUEUE_BYTES = 1_000;

  private static final int MAX_WRITES = 1_000;
  private static final int ENOUGH_WRITES = 50;

  private final OutgoingEvents events =
      new OutgoingEvents(new QueueRoom(new MemoryBudget(1 << 20), QUEUE_BYTES / 2, () -> 2), 2);
  private final StreamSink slow = sink(".0");
  private final StreamSink other = sink(".1");

  private StreamSink sink(String suffix) {
    StreamSink sink =
        new StreamSink(false, events, suffix, Duration.ZERO, () -> 0, Metrics.unread());
    sink.columns(List.of(new Column("x", false)));
    return sink;
  }

  private static Row row(long micros) {
    return new Row(HlcTimestamp.pack(micros), 0, List.of(Value.of("v")), Optional.empty());
  }

  @Test
  void pump_oneQueryLosesRows_continuesBothUntilTheyEnd() throws Exception {
    for (int i = 0; i < MAX_WRITES; i++) {
      assertThat(slow.row(row(i))).isTrue();
    }
    RowsWhileWritten out = new RowsWhileWritten();

    StreamEndpoint.pump(List.of(slow, other), events, () -> true, out);

    String sent = out.text.toString(StandardCharsets.UTF_8);
    assertThat(sent).containsOnlyOnce("event: lost.0").contains("event: row.1").contains("end.1");
    assertThat(sent.indexOf("event: lost.0")).isGreaterThan(sent.lastIndexOf("event: row.0"));
    assertThat(out.isClosed).isTrue();
  }

  /** The other query has a row whenever one was written, and both end after some. */
  private final class RowsWhileWritten extends OutputStream {
    private final ByteArrayOutputStream text = new ByteArrayOutputStream();
    private boolean isClosed;
    private int writes;

    @Override
    public void write(int b) {
      throw new AssertionError("only whole texts are written");
    }

    @Override
    public void write(byte[] bytes) throws IOException {
      text.write(bytes);
      if (++writes > MAX_WRITES) {
        throw new AssertionError("the answer does not end");
      }
      slow.reached(HlcTimestamp.pack(MAX_WRITES));
      boolean unused = other.row(row(writes));
      if (writes == ENOUGH_WRITES) {
        slow.end();
        other.end();
      }
    }

    @Override
    public void close() {
      isClosed = true;
    }
  }
}
