// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.evaluation.QueryLimits;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class VariableQuestionsTest {
  private static final List<String> NODES = List.of("a", "b", "c");

  /** Blocks of other variables in other orders follow each other; new variables appear late. */
  @Test
  void rows_ofManyBlocks_areThoseOfEachVariableAlone() {
    Random random = new Random(3);
    List<Event> events = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    Map<String, Long> state = new HashMap<>();
    for (int i = 1; i <= 20_000; i++) {
      String variable = "v" + random.nextInt(2 + i / 200);
      String node = NODES.get(random.nextInt(NODES.size()));
      long number = random.nextInt(110);
      Change change = new Change(Operation.SET, variable, Value.of(number));
      events.add(new Event(node, "t", HlcTimestamp.pack(i), new StateChange(List.of(change))));
      state.put(variable + node, number);
      if (NODES.stream().anyMatch(each -> state.getOrDefault(variable + each, 0L) > 100)) {
        expected.add(i + " " + variable);
      }
    }
    QueryEngine engine =
        new QueryEngine(new InMemoryEventSource(events, ClockOffsets.UNKNOWN), QueryLimits.DEFAULT);
    List<String> found = new ArrayList<>();
    engine.run(
        engine.prepare("SELECT NAME(v) FROM t FOR EACH VARIABLE v WHEN EXISTS x IN v : (x > 100);"),
        new RowSink() {
          @Override
          public void columns(List<Column> columns) {}

          @Override
          public boolean row(Row row) {
            Value name = row.values().get(row.values().size() - 1);
            found.add(HlcTimestamp.micros(row.hlc()) + " " + ((Value.StringValue) name).value());
            return true;
          }

          @Override
          public void warning(String message) {}

          @Override
          public void progress(long cuts, long hlc) {}

          @Override
          public boolean cancelled() {
            return false;
          }
        });
    assertThat(found).hasSizeGreaterThan(2_000).isEqualTo(expected);
  }
}
