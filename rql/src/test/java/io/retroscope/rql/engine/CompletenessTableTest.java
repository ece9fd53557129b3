// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.Bearing;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.Completeness;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.EventSource.Overlap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.Incompleteness.Extent;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.engine.live.LoneStream;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.json.IncompletenessJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Walks the table of {@code reference.md}: each kind of incompleteness by each kind of answer. */
class CompletenessTableTest {
  private static final long START_MICROS = 1_795_200_000_000_000L;
  private static final long LAST = hlc(10);
  private static final HlcRange MIDDLE = new HlcRange(hlc(2), hlc(3));

  private static final List<Incompleteness> KINDS =
      List.of(
          new Incompleteness.Lost(new Gap("b", MIDDLE, 3)),
          new Incompleteness.MissingBlocks("b", hlc(4), 2),
          new Incompleteness.Silent("b", hlc(4)),
          new Incompleteness.Unsent("b", MIDDLE),
          new Incompleteness.Quarantined("b", 3, MIDDLE, hlc(900), false),
          new Incompleteness.Damaged(MIDDLE, "block 7 is damaged"),
          new Incompleteness.Removed(hlc(0)),
          new Incompleteness.Forgotten("b", hlc(3)),
          new Incompleteness.CutOff("a.ndjson.gz: its compressed data is cut off"),
          new Incompleteness.Reported("an earlier server has lost block 9"),
          new Incompleteness.Remarked("times without a zone are those of UTC"),
          new Incompleteness.Part(Set.of(), Set.of(), new HlcRange(hlc(1), LAST), false),
          new Incompleteness.Overlapping(new Overlap("b", MIDDLE, false)),
          new Incompleteness.BeforeHistory(hlc(-5), hlc(1)),
          new Incompleteness.AfterEnd(LAST, ""),
          new Incompleteness.Derived(HlcRange.ALL, Set.of("a", "b"), 17),
          new Incompleteness.Ahead(MIDDLE, Set.of("a", "b"), 2_000_000),
          new Incompleteness.Contradicting("a", "b", MIDDLE, 4));

  @Test
  void table_hasEveryKind() throws IOException {
    Set<String> kinds = new TreeSet<>();
    KINDS.forEach(reason -> kinds.add(reason.kind()));
    assertThat(kinds).hasSize(Incompleteness.class.getPermittedSubclasses().length);
    assertThat(table().keySet()).isEqualTo(kinds);
  }

  @TestFactory
  Stream<DynamicTest> answers_overEachKind_areThoseOfTheTable() throws IOException {
    Map<String, List<String>> table = table();
    return KINDS.stream()
        .map(
            reason ->
                DynamicTest.dynamicTest(
                    reason.kind(), () -> check(reason, table.get(reason.kind()))));
  }

  @Test
  void answers_overCompleteEvents_haveNoMark() {
    EventSource whole = source(List.of(), List.of());
    assertThat(run(whole, "SELECT x FROM t;").warnings).isEmpty();
    assertThat(verdict(whole, "")).isEqualTo("holds");
    assertThat(possibly(whole, "")).isEqualTo(BooleanValue.FALSE);
  }

  @Test
  void json_keepsWhatBelongsToFiles() {
    for (Incompleteness reason : KINDS) {
      Incompleteness read = IncompletenessJson.read(IncompletenessJson.text(reason));
      boolean isOfFile =
          Set.of(
                  "cut-off",
                  "reported",
                  "remarked",
                  "part",
                  "overlapping",
                  "after",
                  "unsent",
                  "derived",
                  "ahead",
                  "contradicting")
              .contains(reason.kind());
      assertThat(read)
          .isEqualTo(
              isOfFile ? reason : new Incompleteness.Reported(reason.sentence(), stated(reason)));
    }
  }

  private static Extent stated(Incompleteness reason) {
    HlcRange range =
        reason instanceof Incompleteness.Removed removed
            ? new HlcRange(HlcTimestamp.MIN_PACKED, removed.hlc())
            : reason.range();
    return new Extent(reason.nodes(), range);
  }

  @Test
  void json_keepsTheEventsThatAReasonConcerns() {
    Extent input = new Extent(Set.of("b", "c"), MIDDLE);
    for (Incompleteness reason : KINDS) {
      Incompleteness within = reason.within(input);
      Set<String> ofInputs = Set.of("cut-off", "reported", "remarked", "part");
      assertThat(!within.equals(reason))
          .as(reason.kind())
          .isEqualTo(ofInputs.contains(reason.kind()));
      if (ofInputs.contains(reason.kind())) {
        assertThat(within.nodes()).isEqualTo(input.nodes());
        assertThat(within.range().from()).isEqualTo(MIDDLE.from());
        assertThat(IncompletenessJson.read(IncompletenessJson.text(within))).isEqualTo(within);
        assertThat(within.within(Extent.ALL)).isEqualTo(within);
        assertThat(within.concerns(scope(hlc(4), "b"))).isEqualTo(within.lasts());
        assertThat(within.concerns(scope(hlc(2), "b"))).isTrue();
        assertThat(within.concerns(scope(hlc(4), "a"))).isFalse();
        assertThat(within.concerns(scope(hlc(1), "b"))).isFalse();
      }
    }
  }

  /** The cuts of a stamp, of which one node counts. */
  private static Completeness.Scope scope(long from, String node) {
    HlcRange range = new HlcRange(from, from);
    return new Completeness.Scope(range, node::equals, Set.of());
  }

  private static void check(Incompleteness reason, List<String> row) {
    String onTime = onTime(reason);
    EventSource source = sourceOf(reason);
    boolean isBefore = reason instanceof Incompleteness.BeforeHistory;
    String ofRows = isBefore ? " ON TIME hlc'1.0' TO hlc'2.0'" : onTime;
    assertThat(!run(source, "SELECT x FROM t" + ofRows + ";").warnings.isEmpty())
        .as("SELECT: %s", row.get(2))
        .isEqualTo(row.get(2).startsWith("warning"));
    if (row.get(3).startsWith("warning")) {
      assertThat(stream(source).warnings)
          .as("STREAM")
          .anyMatch(text -> text.contains(part(reason)));
    }
    assertThat(verdict(source, onTime)).as("verdict").isEqualTo(row.get(4));
    assertThat(possibly(source, onTime).equals(NullValue.NULL))
        .as("POSSIBLY: %s", row.get(5))
        .isEqualTo(row.get(5).equals("NULL"));
    if (!isBefore && !(reason instanceof Incompleteness.AfterEnd)) {
      assertThat(explained(source)).as("EXPLAIN CUT").contains(reason.sentence());
    }
    Bearing bearing = Bearing.of(reason);
    assertThat(bearing == Bearing.UNDECIDES).isEqualTo(row.get(4).equals("inconclusive"));
    assertThat(bearing == Bearing.BORDERLINE).isEqualTo(row.get(4).equals("borderline"));
  }

  /** The sentences of an explanation of the last cut. */
  private static String explained(EventSource source) {
    String rql =
        "EXPLAIN CUT hlc'%s' OF SELECT x FROM t WHEN x@a >= 0;".formatted(HlcTimestamp.text(LAST));
    StringBuilder sentences = new StringBuilder();
    run(source, rql).rows.forEach(row -> sentences.append(row.values().get(1)).append('\n'));
    return sentences.toString();
  }

  /** A part of the sentence that STREAM has in its own words. */
  private static String part(Incompleteness reason) {
    return reason instanceof Incompleteness.Lost ? "of node b are lost" : reason.sentence();
  }

  private static String onTime(Incompleteness reason) {
    if (reason instanceof Incompleteness.BeforeHistory before) {
      return range(before.fromHlc(), LAST);
    }
    return reason instanceof Incompleteness.AfterEnd ? range(hlc(1), hlc(60)) : "";
  }

  private static String range(long from, long to) {
    return " ON TIME hlc'%s' TO hlc'%s'".formatted(HlcTimestamp.text(from), HlcTimestamp.text(to));
  }

  /** Events of two nodes of which a reason is true. */
  private static EventSource sourceOf(Incompleteness reason) {
    if (reason instanceof Incompleteness.Lost lost) {
      return source(List.of(lost.gap()), List.of());
    }
    if (reason instanceof Incompleteness.Overlapping
        || reason instanceof Incompleteness.MissingBlocks
        || reason instanceof Incompleteness.Silent) {
      return new KnownSource(source(List.of(), List.of()), reason);
    }
    boolean isOfRange =
        reason instanceof Incompleteness.BeforeHistory || reason instanceof Incompleteness.AfterEnd;
    return source(List.of(), isOfRange ? List.of() : List.of(reason));
  }

  private static EventSource source(List<Gap> losses, List<Incompleteness> reasons) {
    List<Event> events = new ArrayList<>();
    for (int second = 1; second <= 10; second++) {
      events.add(write("a", second));
      events.add(write("b", second));
    }
    return new InMemoryEventSource(events, losses, reasons, ClockOffsets.UNKNOWN);
  }

  private static Event write(String node, int second) {
    EventBody.Change change =
        new EventBody.Change(EventBody.Operation.SET, "x", Value.of(second % 3));
    return new Event(node, "t", hlc(second), new EventBody.StateChange(List.of(change)));
  }

  private static long hlc(int second) {
    return HlcTimestamp.pack(START_MICROS + second * 1_000_000L);
  }

  private static final class Collected implements RowSink {
    private final List<String> warnings = new ArrayList<>();
    private final List<Row> rows = new ArrayList<>();
    private List<Column> columns = List.of();

    @Override
    public void columns(List<Column> columns) {
      this.columns = columns;
    }

    @Override
    public boolean row(Row row) {
      rows.add(row);
      return true;
    }

    @Override
    public void warning(String message) {
      warnings.add(message);
    }

    Value value(String name) {
      for (int i = 0; i < columns.size(); i++) {
        if (columns.get(i).name().equals(name)) {
          return rows.get(0).values().get(i);
        }
      }
      throw new AssertionError(name);
    }
  }

  private static Collected run(EventSource source, String statement) {
    QueryEngine engine = new QueryEngine(source, QueryLimits.DEFAULT);
    Collected sink = new Collected();
    engine.run(engine.prepare(statement), sink);
    return sink;
  }

  private static Collected stream(EventSource source) {
    QueryEngine engine = new QueryEngine(source, QueryLimits.DEFAULT);
    Collected sink = new Collected();
    String from = HlcTimestamp.text(hlc(1));
    try (EventSource.View view = source.open();
        LoneStream walk =
            LoneStream.open(
                engine,
                engine.prepare("SELECT STREAM x FROM t ON TIME hlc'" + from + "';"),
                view,
                new Watermark(LAST, new TreeSet<>()),
                sink)) {
      assertThat(walk).isNotNull();
    }
    return sink;
  }

  private static String verdict(EventSource source, String onTime) {
    Collected found = run(source, "NEVER MAX(x) > 5 FROM t" + onTime + ";");
    String verdict = ((Value.StringValue) found.value("verdict")).value();
    if (verdict.equals("holds") && found.value("borderline").equals(BooleanValue.TRUE)) {
      return "borderline";
    }
    return verdict.equals("holds") && !found.warnings.isEmpty() ? "warning" : verdict;
  }

  private static Value possibly(EventSource source, String onTime) {
    return run(source, "POSSIBLY MAX(x) > 5 FROM t" + onTime + ";").value("possibly");
  }

  /** The cells of each row of the table, by the kind. */
  private static Map<String, List<String>> table() throws IOException {
    String page = Files.readString(Path.of("../docs/rql/reference.md"));
    String section = page.substring(page.indexOf("## Completeness"), page.indexOf("## Names"));
    Map<String, List<String>> rows = new LinkedHashMap<>();
    for (String line : section.lines().filter(text -> text.startsWith("| `")).toList()) {
      List<String> cells = Arrays.stream(line.split("\\|")).skip(1).map(String::strip).toList();
      if (cells.size() == 6) {
        rows.put(cells.get(0).replace("`", ""), cells);
      }
    }
    return rows;
  }
}
