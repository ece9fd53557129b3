// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.LostBlocks;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.QuarantineSelection;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.EncodedFrame;
import io.retroscope.server.store.run.Incarnation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Evaluates claims while nodes crash, hang, lose blocks, are cut off, step their clocks or run
 * fast, and again when everything has arrived: a verdict without a mark must not change. {@code
 * -Dclaims.seed} replays the histories from one seed on, and {@code -Dclaims.count} is the number
 * of those of the slow test, {@code -Dclaims.step} that of the claims in each of 15 steps.
 */
class FalseClaimsTest {
  /** The histories of one store that run at the same time: the watermark waits for all. */
  private static final int TOGETHER = 1;

  /** The runs of one store, after which another one begins: a query reads the zones of all. */
  private static final int RUNS = 2;

  private static final long IDLE_MICROS = 1_000_000;
  private static final long STEP_MICROS = 500_000;
  private static final int STEPS = 18;
  private static final int CLAIMS_OF_A_STEP = Integer.getInteger("claims.step", 2);
  private static final String UNKNOWN_NAME = "unknown";
  private static final long LOST_AFTER_MICROS = 40_000_000;

  @TempDir Path directory;

  /**
   * The claims of a run.
   *
   * @param unmarked the number of verdicts without a mark
   * @param wrong those of them that changed
   * @param unnoticed the number of verdicts that would have changed if silent nodes and missing
   *     blocks were ignored
   */
  private record Claims(int asked, int unmarked, List<String> wrong, int unnoticed) {
    Claims and(Claims more) {
      wrong.addAll(more.wrong);
      return new Claims(
          asked + more.asked, unmarked + more.unmarked, wrong, unnoticed + more.unnoticed);
    }
  }

  @Test
  void verdictsWithoutAMark_areTheSameWhenEverythingHasArrived() throws Exception {
    Claims claims = claims(30);
    assertThat(claims.wrong()).isEmpty();
    assertThat(claims.unmarked()).as("of %d", claims.asked()).isGreaterThan(claims.asked() / 5);
    assertThat(claims.unnoticed()).as("wrong without the marks").isGreaterThan(15);
  }

  @Test
  @Tag("slow")
  void verdictsWithoutAMark_inManyHistories_areTheSameWhenEverythingHasArrived() throws Exception {
    int histories = Integer.getInteger("claims.count", 10_000);
    Claims claims = claims(histories);
    assertThat(claims.wrong()).isEmpty();
    assertThat(claims.unnoticed()).as("wrong without the marks").isGreaterThan(histories / 10);
  }

  private Claims claims(int histories) throws Exception {
    long first = Long.getLong("claims.seed", 0);
    Claims all = new Claims(0, 0, new ArrayList<>(), 0);
    int perStore = TOGETHER * RUNS;
    for (long seed = first; seed < first + histories; seed += perStore) {
      try (OneServer server = new OneServer(directory.resolve("store" + seed))) {
        for (long own = seed; own < Math.min(first + histories, seed + perStore); own += TOGETHER) {
          all = all.and(server.run(own));
        }
      }
    }
    System.getLogger("claims")
        .log(
            System.Logger.Level.INFO,
            "{0} asked, {1} without a mark; {2} wrong without the marks",
            all.asked(),
            all.unmarked(),
            all.unnoticed());
    return all;
  }

  /** A store, its watermark and its engine, with clocks that the test moves. */
  private static final class OneServer implements AutoCloseable {
    private final AtomicLong nowMicros = new AtomicLong(FaultyHistory.START_MICROS);
    private final EventStore store;
    private final WatermarkTracker watermarks;
    private final QueryEngine engine;

    OneServer(Path folder) {
      store = EventStore.open(folder, StoreOptions.DEFAULT, nowMicros::get);
      watermarks =
          new WatermarkTracker(
              () -> nowMicros.get() * 1_000, nowMicros::get, IDLE_MICROS * 1_000, List.of());
      store.addListener(watermarks);
      engine =
          new QueryEngine(
              () -> store.open(ClockOffsets.UNKNOWN, Map::of),
              new QueryLimits(1_000_000, 1_000_000, 100_000, 1_000_000, IDLE_MICROS),
              new ServerPresent(nowMicros::get, watermarks),
              new NodeAdministration(store::forget, watermarks));
    }

    /** A claim, its verdict, and the one that ignores missing events. */
    private record Asked(
        FaultyHistory history, String claim, Verdict verdict, Verdict ignoring, int step) {}

    Claims run(long seed) throws IOException {
      List<FaultyHistory> histories = new ArrayList<>();
      long start = nowMicros.get() + 1_000_000;
      for (int i = 0; i < TOGETHER; i++) {
        histories.add(new FaultyHistory(seed + i, start));
      }
      List<Asked> asked = new ArrayList<>();
      for (int step = 1; step <= STEPS; step++) {
        nowMicros.set(start + step * STEP_MICROS);
        List<EncodedFrame> frames = new ArrayList<>();
        for (FaultyHistory history : histories) {
          frames.addAll(history.until(nowMicros.get()));
        }
        send(frames);
        for (FaultyHistory history : histories) {
          for (String claim :
              step > 3 ? history.claims(nowMicros.get(), CLAIMS_OF_A_STEP) : List.<String>of()) {
            asked.add(new Asked(history, claim, ask(claim, false), ask(claim, true), step));
          }
        }
      }
      settle(histories);
      return compare(asked);
    }

    private Claims compare(List<Asked> asked) {
      int unmarked = 0;
      int unnoticed = 0;
      List<String> wrong = new ArrayList<>();
      for (Asked one : asked) {
        Verdict later = ask(one.claim(), true);
        unmarked += one.verdict().isMarked() ? 0 : 1;
        unnoticed += one.ignoring().isChangedTo(later) ? 1 : 0;
        if (one.verdict().isChangedTo(later)) {
          wrong.add(
              "-Dclaims.seed=%d, at step %d: %s was %s, is %s%n%s"
                  .formatted(
                      one.history().seed(),
                      one.step(),
                      one.claim(),
                      one.verdict(),
                      later,
                      one.history()));
        }
      }
      return new Claims(asked.size(), unmarked, wrong, unnoticed);
    }

    private void send(List<EncodedFrame> frames) {
      if (!frames.isEmpty()) {
        store.append(new Submission.Frames(frames)).join();
      }
      watermarks.advance();
    }

    /** Sends the kept blocks, and waits until the rest counts as lost. */
    private void settle(List<FaultyHistory> histories) throws IOException {
      List<EncodedFrame> frames = new ArrayList<>();
      for (FaultyHistory history : histories) {
        frames.addAll(history.rest());
      }
      send(frames);
      store.releaseQuarantined(new QuarantineSelection(Set.of(), HlcRange.ALL));
      for (int gaps = 0; gaps < 20; gaps++) {
        nowMicros.addAndGet(LOST_AFTER_MICROS);
        watermarks.advance();
        for (Incarnation run : watermarks.stuck()) {
          LostBlocks lost = run.missingAsLost();
          send(List.of(new EncodedFrame(lost, EventBlockCodec.encode(lost))));
        }
      }
      nowMicros.addAndGet(1_000_000_000L);
    }

    private Verdict ask(String claim, boolean ignoring) {
      Verdict verdict = new Verdict();
      QueryEngine asked = ignoring ? engine.assumingComplete() : engine;
      try {
        asked.run(asked.prepare(claim), verdict);
      } catch (RqlException e) {
        verdict.verdict = UNKNOWN_NAME;
        verdict.reason = String.valueOf(e.getMessage());
      }
      return verdict;
    }

    @Override
    public void close() {
      store.close();
    }
  }

  /** The row of a verdict. */
  private static final class Verdict implements RowSink {
    private List<Column> columns = List.of();
    private String verdict = "";
    private String reason = "";
    private final List<String> warnings = new ArrayList<>();

    /** Whether it has no mark, and is another one now. */
    boolean isChangedTo(Verdict later) {
      return !isMarked() && !verdict.equals(later.verdict);
    }

    boolean isMarked() {
      return verdict.equals("inconclusive") || !reason.isEmpty();
    }

    @Override
    public void columns(List<Column> columns) {
      this.columns = columns;
    }

    @Override
    public boolean row(Row row) {
      for (int i = 0; i < columns.size(); i++) {
        String name = columns.get(i).name();
        if (row.values().get(i) instanceof StringValue text) {
          verdict = name.equals("verdict") ? text.value() : verdict;
          reason = name.equals("reason") ? text.value() : reason;
        }
      }
      assertThat(row.values().get(0)).isNotEqualTo(NullValue.NULL);
      return true;
    }

    @Override
    public void warning(String message) {
      warnings.add(message);
    }

    @Override
    public String toString() {
      return verdict + " (" + reason + ") " + warnings;
    }
  }

  /** The text of a stamp in RQL. */
  static String literal(long micros) {
    return "hlc'" + HlcTimestamp.text(HlcTimestamp.pack(micros)) + "'";
  }
}
