// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.answer.Note;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.diagnostic.SourceRange;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The contract of every session, regardless of its target. */
@Timeout(60)
abstract class SessionContract {
  static final List<Event> EVENTS =
      List.of(
          set("zk2", 1_000, "r1", Value.of(1)),
          set("zk10", 2_000, "r1", Value.of(1)),
          set("zk2", 3_000, "r1", Value.of(2)),
          set("zk2", 4_000, "r1", Value.of(3)),
          set("zk10", 9_000, "r1", Value.of(3)),
          set("zk2", 10_000, "name", Value.of("x")));

  private final CollectingSink sink = new CollectingSink();
  private Session session;

  /** Opens a session over {@link #EVENTS}. */
  abstract Session open() throws IOException;

  @BeforeEach
  void begin() throws IOException {
    session = open();
  }

  @AfterEach
  void end() {
    session.close();
  }

  @Test
  void run_query_givesColumnsAndRows() throws IOException {
    session.run("SELECT r1, SPREAD(r1) AS lag FROM setd WHEN SPREAD(r1) >= 2;", sink);

    assertThat(sink.columnNames()).containsExactly("hlc", "time", "uncertaintyMicros", "r1", "lag");
    assertThat(sink.rows).hasSize(1);
    assertThat(sink.rows.get(0).hlc()).isEqualTo(HlcTimestamp.pack(4_000));
    assertThat(sink.rows.get(0).values())
        .contains(new TimestampValue(HlcTimestamp.pack(4_000)), Value.of(2));
    StructValue r1 = (StructValue) sink.rows.get(0).values().get(3);
    assertThat(r1.fields().keySet()).containsExactly("zk2", "zk10");
  }

  @Test
  void run_durationsAndTimestamps_keepTheirTypes() throws IOException {
    session.run("SELECT Time() AS t, Age(r1) AS age FROM setd WHEN r1@zk2 = 2", sink);

    assertThat(sink.rows.get(0).values())
        .contains(
            new TimestampValue(HlcTimestamp.pack(3_000)),
            new StructValue(Map.of("zk2", new DurationValue(0), "zk10", new DurationValue(1_000))));
  }

  @Test
  void run_noRows_stillGivesColumns() throws IOException {
    session.run("SELECT r1 FROM setd WHEN FALSE", sink);

    assertThat(sink.columnNames()).endsWith("r1");
    assertThat(sink.rows).isEmpty();
  }

  @Test
  void run_play_givesEachRowItsNote() throws IOException {
    session.run("SELECT r1 FROM setd WHEN SPREAD(r1) >= 2 PLAY woodblock NOTE 61", sink);

    assertThat(sink.rows.get(0).note().map(Note::note)).contains(61);
  }

  @Test
  void run_sinkWantsNoMore_ends() throws IOException {
    CollectingSink one = new CollectingSink(1);

    session.run("SELECT r1 FROM setd", one);

    assertThat(one.rows).hasSize(1);
  }

  @Test
  void run_otherStatements_areAnswered() throws IOException {
    session.run("SHOW LOGS", sink);
    assertThat(sink.rows)
        .singleElement()
        .satisfies(r -> assertThat(r.values()).contains(Value.of("setd")));

    CollectingSink value = new CollectingSink();
    session.run("5 + 4 * 3;", value);
    assertThat(value.columnNames()).containsExactly("value");
    assertThat(value.rows.get(0).values()).containsExactly(Value.of(17));
  }

  @Test
  void run_wrongStatement_throwsEveryErrorAtItsPlace() {
    String statement = "SELECT rr FROM setd WHEN qq = 1";

    RqlException error =
        catchThrowableOfType(RqlException.class, () -> session.run(statement, sink));

    assertThat(error.text()).isEqualTo(statement);
    assertThat(error.diagnostics())
        .extracting(d -> d.range())
        .containsExactly(new SourceRange(7, 9), new SourceRange(25, 27));
    assertThat(error.diagnostics().get(0).help()).isPresent();
  }

  @Test
  void run_failureInACut_throwsAfterTheRowsBeforeIt() {
    RqlException error =
        catchThrowableOfType(
            RqlException.class, () -> session.run("SELECT 6 / (3 - r1@zk2) FROM setd", sink));

    assertThat(sink.rows).hasSize(3);
    assertThat(error.diagnostics()).hasSize(1);
  }

  @Test
  void catalog_events_namesLogsVariablesNodesAndExtent() throws IOException {
    assertThat(session.catalog())
        .isEqualTo(
            new Catalog(
                List.of(new LogDescription("setd", List.of("name", "r1"), 6)),
                List.of(
                    new NodeDescription(
                        "zk2", 4, HlcTimestamp.pack(1_000), HlcTimestamp.pack(10_000)),
                    new NodeDescription(
                        "zk10", 2, HlcTimestamp.pack(2_000), HlcTimestamp.pack(9_000)))));
  }

  private static Event set(String node, long micros, String variable, Value value) {
    return new Event(
        node,
        "setd",
        HlcTimestamp.pack(micros),
        new EventBody.StateChange(
            List.of(new EventBody.Change(EventBody.Operation.SET, variable, value))));
  }
}
