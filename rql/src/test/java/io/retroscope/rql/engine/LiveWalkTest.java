package io.retroscope.rql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.golden.EventNotation;
import io.retroscope.rql.print.ValueText;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class LiveWalkTest {
  private static final EventNotation LOG =
      log("1ms a t x=1", "1ms b t x=1", "5ms a t x=2", "9ms a t x=3");

  private final Rows sink = new Rows();

  @Test
  void advance_withoutASilentNode_namesItInEveryRow() {
    try (LiveWalk walk = open(LOG, "SELECT STREAM x FROM t;", 0)) {
      advance(walk, LOG, 1_000);
      advance(walk, LOG, 9_000, "b");
    }
    assertThat(sink.of("missing"))
        .containsExactly(NullValue.NULL, Value.setOf(Value.of("b")), Value.setOf(Value.of("b")));
    assertThat(sink.texts("x")).containsExactly("{a: 1, b: 1}", "{a: 2, b: 1}", "{a: 3, b: 1}");
  }

  @Test
  void advance_withANodeThatIsBack_holdsWhatItRecordedMeanwhile() {
    EventNotation whole =
        log(
            "1ms a t x=1",
            "1ms b t x=1",
            "4ms b t x=7",
            "5ms a t x=2",
            "9ms a t x=3",
            "12ms a t x=4");
    try (LiveWalk walk = open(LOG, "SELECT STREAM x FROM t;", 0)) {
      advance(walk, LOG, 2_000);
      advance(walk, LOG, 9_000, "b");
      advance(walk, whole, 20_000);
    }
    assertThat(sink.texts("x"))
        .containsExactly("{a: 1, b: 1}", "{a: 2, b: 1}", "{a: 3, b: 1}", "{a: 4, b: 7}");
    assertThat(sink.of("missing").get(3)).isEqualTo(NullValue.NULL);
  }

  @Test
  void advance_withAGlobal_staysMarkedAfterANodeWasMissing() {
    String query = "SELECT STREAM g, x FROM t COMPUTE GLOBAL g AND g := SUM(x);";
    try (LiveWalk walk = open(LOG, query, 0)) {
      advance(walk, LOG, 2_000);
      advance(walk, LOG, 6_000, "b");
      advance(walk, LOG, 9_000);
    }
    assertThat(sink.of("missing"))
        .containsExactly(NullValue.NULL, Value.setOf(Value.of("b")), Value.setOf(Value.of("b")));
  }

  @Test
  void advance_afterTheLimit_saysThatItEnded() {
    EventNotation log = log("1ms a t x=1", "2ms a t x=2", "3ms a t x=3");
    try (LiveWalk walk = open(log, "SELECT STREAM x FROM t LIMIT 2;", 0)) {
      assertThat(advance(walk, log, 1_000)).isTrue();
      assertThat(advance(walk, log, 3_000)).isFalse();
      assertThat(advance(walk, log, 4_000)).isFalse();
    }
    assertThat(sink.rows).hasSize(2);
  }

  @Test
  void openLive_fromNowOn_leavesOutWhatWasBefore() {
    EventNotation log = log("1ms a t x=1", "2ms b t x=2", "3ms a t x=3");
    try (LiveWalk walk = open(log, "SELECT STREAM x FROM t;", 2_500)) {
      assertThat(sink.rows).isEmpty();
      advance(walk, log, 3_000);
    }
    assertThat(sink.texts("x")).containsExactly("{a: 3, b: 2}");
  }

  @Test
  void openLive_withEdgesThatHold_risesAtOnce() {
    EventNotation log = log("1ms a t x=1", "2ms b t x=5");
    open(log, "SELECT STREAM x FROM t WHEN SPREAD(x) > 1 EMIT EDGES;", 2_500).close();
    assertThat(sink.of("edge")).containsExactly(Value.of("rise"));
    assertThat(sink.rows.get(0).hlc()).isEqualTo(HlcTimestamp.pack(2_500));
  }

  @Test
  void openLive_ofAQueryThatIsNoStream_isRefused() {
    assertThatThrownBy(() -> open(LOG, "SELECT x FROM t;", 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("SELECT x FROM t;");
  }

  private LiveWalk open(EventNotation log, String query, long micros) {
    QueryEngine engine = new QueryEngine(log.source(), QueryLimits.DEFAULT);
    try (EventSource.View view = log.source().open()) {
      return engine.openLive(engine.prepare(query), view, watermark(micros), sink);
    }
  }

  private static boolean advance(LiveWalk walk, EventNotation log, long micros, String... missing) {
    try (EventSource.View view = log.source().open()) {
      return walk.advance(view, watermark(micros, missing));
    }
  }

  private static Watermark watermark(long micros, String... missing) {
    return new Watermark(HlcTimestamp.pack(micros), new TreeSet<>(List.of(missing)));
  }

  private static EventNotation log(String... lines) {
    return EventNotation.read(List.of(lines));
  }

  /** A sink that keeps the rows. */
  static final class Rows implements RowSink {
    final List<Row> rows = new ArrayList<>();
    private List<String> names = List.of();

    @Override
    public void columns(List<Column> columns) {
      names = columns.stream().map(Column::name).toList();
    }

    @Override
    public boolean row(Row row) {
      return rows.add(row);
    }

    @Override
    public void warning(String message) {}

    List<Value> of(String column) {
      return rows.stream().map(row -> row.values().get(names.indexOf(column))).toList();
    }

    List<String> texts(String column) {
      return of(column).stream().map(ValueText::of).toList();
    }
  }
}
