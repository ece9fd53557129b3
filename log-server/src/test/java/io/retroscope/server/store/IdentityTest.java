// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.NOW_MICROS;
import static io.retroscope.server.store.StoreFixture.block;
import static io.retroscope.server.store.StoreFixture.frame;
import static io.retroscope.server.store.StoreFixture.frames;
import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.lines;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.server.store.run.StoreConflictException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that an event is identified by its node, incarnation and stamp, whatever its source. */
@Timeout(60)
class IdentityTest {
  private static final HlcRange ALL = HlcRange.ALL;

  @TempDir Path directory;
  private EventStore store;

  @BeforeEach
  void open() {
    store = StoreFixture.open(directory);
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void append_linesThenBlock_storesTheNewEvents() {
    store.append(lines(x(10, 1), x(20, 2))).join();

    assertThat(
            store
                .append(frames(block("i", 1, hlc(30), List.of(x(10, 1), x(15, 5), x(20, 2)))))
                .join())
        .isEqualTo(new Receipt(1, 2, 0));
    assertThat(stored()).containsExactly(x(10, 1), x(15, 5).of("i"), x(20, 2));
  }

  @Test
  void append_blockThenLines_storesTheNewEvents() {
    store.append(frames(block("i", 1, hlc(30), List.of(x(10, 1), x(20, 2))))).join();

    assertThat(store.append(lines(x(10, 1), x(15, 5), x(20, 2).of("i"))).join())
        .isEqualTo(new Receipt(1, 2, 0));
    assertThat(stored()).hasSize(3);
  }

  @Test
  void append_twoNumberedBlocksOfARunWithOneEvent_storesItOnce() {
    Submission together =
        frames(
            block("i", 1, hlc(30), List.of(x(10, 1), x(20, 2))),
            block("i", 2, hlc(30), List.of(x(20, 2), x(25, 3))));

    assertThat(store.append(together).join()).isEqualTo(new Receipt(3, 1, 0));
    assertThat(store.append(frames(block("i", 3, hlc(30), List.of(x(25, 3))))).join())
        .isEqualTo(new Receipt(0, 1, 0));
    close();
    open();
    assertThat(store.append(frames(block("i", 4, hlc(30), List.of(x(10, 1))))).join())
        .isEqualTo(new Receipt(0, 1, 0));
    assertThat(stored()).hasSize(3);
  }

  @Test
  void append_blockThatRepeatsAStampWithinItself_isRefused() {
    EventBlockBuilder twice = new EventBlockBuilder().incarnation("i", 1);
    twice.add(x(10, 1)).add(x(10, 2));

    assertRefused(frames(frame(twice.build())));
  }

  @Test
  void append_otherContentOnAnyWay_isRefused() {
    store.append(lines(x(10, 1))).join();
    store.append(frames(block("i", 1, hlc(30), List.of(x(20, 2))))).join();

    assertRefused(frames(block("i", 2, hlc(30), List.of(x(10, 7)))));
    assertRefused(frames(block("i", 2, hlc(30), List.of(x(20, 7)))));
    assertRefused(lines(x(20, 7)));
    assertRefused(lines(x(20, 7).of("i")));
    assertRefused(lines(x(10, 7).of("j")));
    assertRefused(lines(x(30, 1).of("i"), x(30, 2).of("i")));
    assertThat(stored()).hasSize(2);
  }

  @Test
  void append_unnumberedBlock_isComparedToo() {
    store.append(lines(x(10, 1))).join();
    EventBlockBuilder made = new EventBlockBuilder().incarnation("i", 0);

    assertThat(store.append(frames(frame(made.add(x(10, 1)).build()))).join())
        .isEqualTo(new Receipt(0, 1, 0));
  }

  @Test
  void query_stampOfTwoRuns_laterStartedHoldsAndItWarns() {
    for (List<String> order : List.of(List.of("old", "new"), List.of("new", "old"))) {
      close();
      store = StoreFixture.open(directory.resolve(order.get(0)));
      for (String run : order) {
        long start = run.equals("old") ? 10 : 20;
        long value = run.equals("old") ? 1 : 2;
        store
            .append(frames(block(run, 1, hlc(50), List.of(start(start, run), x(30, value)))))
            .join();
      }

      store.append(lines(set("m", "l", hlc(36), "x", 7))).join();

      assertThat(stored()).as("%s", order).hasSize(5);
      Answer answer = query("SELECT x FROM l");
      assertThat(answer.rows.get(answer.rows.size() - 1)).as("%s", order).contains("2");
      assertThat(answer.warnings)
          .as("%s", order)
          .anyMatch(w -> w.contains("the event of the later run is used"));
      // The state at the start of the range depends on both events, whichever block is read first.
      Answer at = query("SELECT x FROM l ON TIME hlc'35.0' TO hlc'36.0'");
      assertThat(at.rows.get(0)).as("%s", order).contains("n=LongValue[value=2]");
      assertThat(at.warnings).as("%s", order).anyMatch(w -> w.contains("later run is used"));
    }
  }

  @Test
  void quarantine_repeatedLinesAndBlocks_doNotPileUp() {
    long future = NOW_MICROS + 61_000_000;
    assertThat(store.append(lines(x(future, 1))).join()).isEqualTo(new Receipt(1, 0, 1));
    assertThat(store.append(lines(x(future, 1))).join()).isEqualTo(new Receipt(0, 1, 0));
    close();
    open();
    assertThat(store.append(lines(x(future, 1), x(future, 1))).join())
        .isEqualTo(new Receipt(0, 2, 0));
    assertThat(store.append(frames(block("i", 1, hlc(5), List.of(x(future, 1))))).join())
        .isEqualTo(new Receipt(0, 1, 0));
    assertRefused(lines(x(future, 2)));
    assertThat(store.figures().quarantinedCount()).isEqualTo(1);
  }

  @Test
  void releaseQuarantined_storesTheChosenEvents() {
    long future = NOW_MICROS + 61_000_000;
    store.append(frames(block("i", 1, hlc(5), List.of(x(future, 1), x(future + 9, 2))))).join();
    store.append(lines(set("m", "l", hlc(future), "x", 3))).join();

    QuarantineSelection first =
        new QuarantineSelection(Set.of("n"), new HlcRange(HlcTimestamp.MIN_PACKED, hlc(future)));
    assertThat(store.releaseQuarantined(first)).isEqualTo(new Receipt(1, 0, 0));
    assertThat(stored()).containsExactly(x(future, 1).of("i"));
    assertThat(store.quarantined())
        .extracting(q -> q.node() + q.eventCount())
        .containsExactlyInAnyOrder("n1", "m1");
    close();
    open();
    assertThat(store.figures().quarantinedCount()).isEqualTo(2);
    assertThat(store.releaseQuarantined(first)).isEqualTo(new Receipt(0, 0, 0));
    assertThat(store.releaseQuarantined(everything())).isEqualTo(new Receipt(2, 0, 0));
    assertThat(store.figures().quarantinedCount()).isZero();
    assertThat(stored()).hasSize(3);
  }

  @Test
  void releaseQuarantined_knownOrContradicted_isNotStoredTwice() {
    long[] now = {NOW_MICROS};
    close();
    store = EventStore.open(directory, StoreOptions.DEFAULT, () -> now[0]);
    long future = NOW_MICROS + 61_000_000;
    store.append(lines(x(future, 1), x(future + 1, 1))).join();
    now[0] += 100_000_000;
    // Its stamp is accepted now, so it is stored although a copy is in quarantine.
    assertThat(store.append(lines(x(future, 1), x(future + 1, 9))).join())
        .isEqualTo(new Receipt(2, 0, 0));
    assertThat(warnings()).anyMatch(w -> w.contains("2 events of n are in quarantine"));

    assertThat(store.releaseQuarantined(everything())).isEqualTo(new Receipt(0, 1, 1));
    assertThat(store.figures().quarantinedCount()).isEqualTo(1);
    assertThat(store.purgeQuarantined(everything())).isEqualTo(new Receipt(1, 0, 0));
    assertThat(store.figures().quarantinedCount()).isZero();
    assertThat(warnings()).isEmpty();
    assertThat(stored()).containsExactly(x(future, 1), x(future + 1, 9));
  }

  @Test
  void purgeQuarantined_sentAgain_isQuarantinedAgain() {
    long future = NOW_MICROS + 61_000_000;
    store.append(lines(x(future, 1))).join();
    assertThat(store.purgeQuarantined(everything())).isEqualTo(new Receipt(1, 0, 0));

    // Another content as well: nothing is left that could contradict it.
    assertThat(store.append(lines(x(future, 2))).join()).isEqualTo(new Receipt(1, 0, 1));
    assertThat(store.figures().quarantinedCount()).isEqualTo(1);
  }

  private static QuarantineSelection everything() {
    return new QuarantineSelection(Set.of(), ALL);
  }

  private void assertRefused(Submission submission) {
    assertThatThrownBy(() -> store.append(submission).join())
        .hasCauseInstanceOf(StoreConflictException.class)
        .hasMessageContaining("has another event at");
  }

  private List<Event> stored() {
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      List<Event> events = new ArrayList<>();
      view.scan(Set.of("l"), ALL).forEachRemaining(events::add);
      return events;
    }
  }

  private List<String> warnings() {
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      return view.warnings(ALL);
    }
  }

  private Answer query(String statement) {
    EventSource source = () -> store.open(ClockOffsets.UNKNOWN);
    QueryEngine engine = new QueryEngine(source, QueryLimits.DEFAULT);
    Answer answer = new Answer();
    engine.run(engine.prepare(statement), answer);
    return answer;
  }

  private static final class Answer implements RowSink {
    private final List<String> rows = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      return rows.add(row.values().toString());
    }

    @Override
    public void warning(String message) {
      warnings.add(message);
    }
  }

  private static Event x(long micros, long value) {
    return set("n", "l", hlc(micros), "x", value);
  }

  private static Event start(long micros, String run) {
    return new Event(
        "n",
        "",
        hlc(micros),
        new EventBody.Start(run, HlcTimestamp.MIN_PACKED, "", Spill.COMPLETE));
  }
}
