// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.recordings.file.SealedFileSource;
import io.retroscope.recordings.file.SmallFiles;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** AT LIVE NODES for nodes that stop within the time for which they promised heartbeats. */
class StoppedNodesTest {
  private static final long SECOND = 1_000_000;
  private static final long BEGIN = 1_000 * SECOND;

  @TempDir Path folder;
  private final List<Event> events = new ArrayList<>();

  private void record(long second, EventBody body) {
    String log = body instanceof EventBody.StateChange ? "t" : "";
    events.add(new Event("n1", log, HlcTimestamp.pack(BEGIN + second * SECOND), body));
  }

  private static EventBody a(long number) {
    return new EventBody.StateChange(List.of(QuietRuleTest.set("a", Value.of(number))));
  }

  private static EventBody promise() {
    return new EventBody.Heartbeat(20 * SECOND);
  }

  /** The values of the row at a time, which memory and a file have alike. */
  private List<Value> rowAt(long second) throws IOException {
    String query = "SELECT a, NODES AS n FROM t AT LIVE NODES ON TIME hlc'%d.0';";
    String text = query.formatted(BEGIN + second * SECOND);
    List<Value> inMemory = values(OracleTest.source(events), text);
    try (SealedFileSource file =
        SmallFiles.source(folder.resolve("e" + second + ".rtsf"), events, 5, 9)) {
      assertThat(values(file, text)).as(text).isEqualTo(inMemory);
    }
    return inMemory;
  }

  private static List<Value> values(EventSource source, String text) {
    OracleTest.Result result = new OracleTest.Result(text);
    QueryEngine engine = new QueryEngine(source, QueryLimits.DEFAULT);
    engine.run(engine.prepare(text), result);
    return result.rows().get(0).values();
  }

  @Test
  void cut_betweenAStopAndTheNextStart_isWithoutTheNode() throws IOException {
    record(0, a(1));
    record(0, promise());
    record(1, new EventBody.Stop());
    record(50, new EventBody.Start("r2", HlcTimestamp.MIN_PACKED, "", EventBody.Spill.COMPLETE));
    record(51, a(2));
    record(51, promise());
    record(100, promise());

    assertThat(rowAt(1).get(1)).isEqualTo(Value.setOf(Value.of("n1")));
    assertThat(rowAt(30).get(1)).isEqualTo(Value.setOf());
    assertThat(rowAt(90).get(1)).isEqualTo(Value.setOf(Value.of("n1")));
  }

  @Test
  void cut_afterAWriteWithoutAStart_hasTheNodeAsLongAsItPromises() throws IOException {
    record(0, a(1));
    record(0, promise());
    record(1, new EventBody.Stop());
    record(2, a(2));
    for (int second = 10; second <= 300; second += 10) {
      record(second, promise());
    }

    assertThat(rowAt(250).get(0).toString()).contains("n1", "2");
  }
}
