// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.parser.RqlParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class LocalSessionTest extends SessionContract {
  @Override
  Session open() {
    return new LocalSession(
        "events", new InMemoryEventSource(EVENTS, ClockOffsets.UNKNOWN), QueryLimits.DEFAULT);
  }

  @Test
  void run_stream_isRefusedWithHelp() throws IOException {
    try (Session session = open()) {
      assertThatThrownBy(() -> session.run("SELECT STREAM r1 FROM setd", new CollectingSink()))
          .isInstanceOfSatisfying(
              RqlException.class, e -> assertThat(e.diagnostics().get(0).help()).isPresent());
    }
  }

  @Test
  void run_sourceThatCannotBeRead_isAProblemOfTheSource() {
    EventSource unreadable =
        () -> {
          throw new UncheckedIOException(new IOException("the disk is gone"));
        };
    try (Session session = new LocalSession("events", unreadable, QueryLimits.DEFAULT)) {
      Session.Task task =
          new Session.Task(new RqlParser().read("SELECT r1 FROM setd"), new CollectingSink());
      assertThatThrownBy(() -> session.run(task.statement(), task.sink()))
          .isInstanceOfSatisfying(
              ProblemException.class, e -> assertThat(e.isOfStatement()).isFalse())
          .hasMessageContaining("the disk is gone");
      assertThatThrownBy(() -> session.runTogether(List.of(task)))
          .isInstanceOf(ProblemException.class)
          .hasMessageContaining("the disk is gone");
    }
  }

  @Test
  void close_closesTheSource() {
    int[] closed = {0};
    Session session =
        new LocalSession(
            "events",
            new InMemoryEventSource(EVENTS, ClockOffsets.UNKNOWN),
            () -> closed[0]++,
            QueryLimits.DEFAULT);
    assertThat(closed).containsExactly(0);

    session.close();

    assertThat(closed).containsExactly(1);
  }
}
