// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.metrics.Metrics;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StreamAnswerTest {
  /** Room for a few short rows. */
  private static final long QUEUE_BYTES = 1_000;

  private static final int MAX_ROWS = 1_000;
  private static final int WRITES = 50;

  private final OutgoingEvents events =
      new OutgoingEvents(new QueueRoom(new MemoryBudget(1 << 20), QUEUE_BYTES / 2, () -> 2), 2);
  private final StreamSink slow = sink(".0");
  private final StreamSink other = sink(".1");
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final List<String> writes = new ArrayList<>();
  private final Deque<Callback> pending = new ArrayDeque<>();
  private boolean isAdmitted = true;
  private final StreamAnswer answer =
      new StreamAnswer(
          (last, bytes, callback) -> {
            writes.add(WrittenEvents.text(bytes));
            pending.add(callback);
          },
          events,
          List.of(slow, other),
          () -> isAdmitted,
          tasks::add);

  private StreamSink sink(String suffix) {
    StreamSink sink =
        new StreamSink(
            false,
            events,
            suffix,
            new StreamSink.Parts(Duration.ZERO, () -> 0, Metrics.unread(), new RowTexts()));
    sink.columns(List.of(new Column("x", false)));
    return sink;
  }

  private static Row row(long micros) {
    return new Row(HlcTimestamp.pack(micros), 0, List.of(Value.of("v")), Optional.empty());
  }

  private void runTasks() {
    for (int i = 0; !tasks.isEmpty(); i++) {
      assertThat(i).as("tasks without an end").isLessThan(MAX_ROWS);
      tasks.remove().run();
    }
  }

  private void accept() {
    pending.remove().succeeded();
    runTasks();
  }

  @Test
  void write_oneQueryLosesRows_continuesBothUntilTheyEnd() {
    for (int i = 0; i < MAX_ROWS; i++) {
      assertThat(slow.row(row(i))).isTrue();
    }
    runTasks();
    for (int i = 0; i < WRITES; i++) {
      accept();
      slow.reached(HlcTimestamp.pack(MAX_ROWS));
      assertThat(other.row(row(i))).isTrue();
      runTasks();
    }
    slow.end();
    other.end();
    accept();
    accept();

    String sent = String.join("", writes);
    assertThat(sent).containsOnlyOnce("event: lost.0").contains("event: row.1").contains("end.1");
    assertThat(sent.indexOf("event: lost.0")).isGreaterThan(sent.lastIndexOf("event: row.0"));
    assertThat(answer.ended()).isCompleted();
  }

  @Test
  void write_connectionIsBusy_writesWhatWaitsTogetherNext() {
    boolean unused = slow.row(row(1));
    runTasks();
    unused = slow.row(row(2)) && other.row(row(3));
    runTasks();
    assertThat(writes).hasSize(1);
    accept();

    assertThat(writes).hasSize(2);
    assertThat(writes.get(1)).contains("event: row.0").contains("event: row.1");
    accept();
    assertThat(pending).isEmpty();
    assertThat(answer.ended()).isNotDone();
  }

  @Test
  void keepAlive_onlyWhileNothingElseIsWritten_isSent() {
    boolean unused = slow.row(row(1));
    runTasks();
    accept();
    answer.keepAlive();
    runTasks();
    assertThat(writes).hasSize(1);
    answer.keepAlive();
    runTasks();

    assertThat(writes).hasSize(2).last().isEqualTo(": still here\n\n");
    accept();
    assertThat(pending).isEmpty();
  }

  /** A silent stream must not outlive its token either. */
  @Test
  void keepAlive_tokenIsNoLongerValid_endsWithAProblem() {
    isAdmitted = false;
    answer.keepAlive();
    runTasks();
    assertThat(answer.ended()).isNotDone();
    accept();

    assertThat(writes).hasSize(1);
    assertThat(writes.get(0)).contains("event: problem.0").contains("event: problem.1");
    assertThat(answer.ended()).isCompleted();
  }

  /** Otherwise the client would wait for ever, and its query would count as a running one. */
  @Test
  void write_serverFails_endsTheAnswer() {
    AssertionError failure = new AssertionError("a defect");
    StreamAnswer broken =
        new StreamAnswer(
            (last, bytes, callback) -> {
              throw failure;
            },
            events,
            List.of(slow, other),
            () -> true,
            tasks::add);
    boolean unused = slow.row(row(1));

    assertThatThrownBy(this::runTasks).isSameAs(failure);
    runTasks();
    assertThat(broken.ended()).isCompleted();
  }

  @Test
  void write_clientHasDisconnected_endsTheAnswer() {
    boolean unused = slow.row(row(1));
    runTasks();
    pending.remove().failed(new IOException("broken pipe"));
    runTasks();
    unused = slow.row(row(2));
    runTasks();

    assertThat(answer.ended()).isCompleted();
    assertThat(writes).hasSize(1);
  }
}
