// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.blocks.merge.PerBlock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.LogLine;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.cut.Interest;
import io.retroscope.rql.cut.state.BlockNames;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.VariableColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Batches of random rows, against a state to which the same rows are applied one by one. */
class CutBatchTest {
  private static final int CASES = 400;

  @Test
  void batches_ofRandomRows_areThoseOfEachState() {
    int places = 0;
    for (long seed = 0; seed < CASES; seed++) {
      // The first bits of neighbouring seeds are equal.
      places += new Case(new Random(seed * 0x9E3779B97F4A7C15L), "seed " + seed).walk();
    }
    assertThat(places).as("places that were compared").isGreaterThan(20 * CASES);
  }

  /** A state and its place in the rows. */
  private static final class Walked {
    private final CutState state = new CutState(Set.of());
    private final CutBatch batch = new CutBatch(state);
    private final List<VariableColumn> columns = new ArrayList<>();
    private final Rows rows;

    Walked(EventSource source, int followed) {
      for (int i = 0; i < followed; i++) {
        columns.add(state.follow("l", "v" + i));
      }
      rows =
          new Rows(
              source.open().scan(Interest.inAll(Set.of("l")), HlcRange.ALL),
              new PerBlock<>(block -> new BlockNames(state, block)));
    }

    void applyRow() {
      if (state.hlc() != rows.hlc()) {
        state.begin(rows.hlc());
      }
      state.apply(rows.names(), rows.row());
      rows.advance();
    }
  }

  private static final class Case {
    private final Random random;
    private final String what;
    private final EventSource source;
    private final Walked batched;
    private Walked plain;
    private int plainRow;
    private int compared;

    Case(Random random, String what) {
      this.random = random;
      this.what = what;
      source = new InMemoryEventSource(events(random), ClockOffsets.UNKNOWN);
      int followed = 1 + random.nextInt(3);
      batched = new Walked(source, followed);
      plain = new Walked(source, followed);
    }

    private static List<Event> events(Random random) {
      int nodes = 1 + random.nextInt(random.nextBoolean() ? 4 : 20);
      int variables = 1 + random.nextInt(4);
      int changes = 1 + random.nextInt(3);
      int rarity = random.nextBoolean() ? 0 : 1 + random.nextInt(40);
      boolean isWide = random.nextInt(4) == 0;
      List<Event> events = new ArrayList<>();
      long hlc = 1L << 40;
      int node = 0;
      for (int i = 0; i < 200; i++) {
        boolean isTie = i > 0 && node + 1 < nodes && random.nextInt(4) == 0;
        hlc += isTie ? 0 : 1 + random.nextInt(3);
        node = isTie ? node + 1 : random.nextInt(nodes);
        boolean isOther = rarity > 0 && random.nextInt(rarity) == 0;
        List<Change> all = new ArrayList<>();
        for (int j = 0; j < 1 + random.nextInt(changes); j++) {
          Value value = isOther && random.nextBoolean() ? Value.of("t") : number(random, isWide);
          all.add(new Change(Operation.SET, "v" + random.nextInt(variables), value));
        }
        boolean isLine = isOther && random.nextBoolean();
        events.add(
            new Event(
                "n" + node,
                "l",
                hlc,
                isLine ? new LogLine("slow", Map.of()) : new StateChange(all)));
      }
      return events;
    }

    private static Value number(Random random, boolean isWide) {
      return switch (isWide ? random.nextInt(12) : 2) {
        case 0 -> Value.of(Long.MIN_VALUE);
        case 1 -> Value.of(Long.MAX_VALUE);
        default -> Value.of(random.nextInt(6));
      };
    }

    /** Returns the number of places that were compared. */
    int walk() {
      while (batched.rows.has()) {
        CutBatch batch = batched.batch;
        batch.fill(batched.rows);
        int from = batch.placeOf(batched.rows.index());
        int end = batch.placeOf(batch.endRow());
        assertStamps(batch, from, end);
        assertBounds(batch, from, end);
        if (from < end && batch.examine(from, end, 1 + random.nextInt(60))) {
          assertPlaces(batch, from);
          int to = batch.stampEnd(from + random.nextInt(batch.partEnd() - from) + 1, end);
          batch.apply(from, to);
          int first = batched.rows.index();
          int next = to < end ? batched.rows.stampStart(batch.row(to), first) : batch.endRow();
          batched.state.begin(batched.rows.hlc(next - 1));
          batched.rows.moveTo(next);
        } else {
          applyStamp(batched);
        }
        assertSameState();
      }
      return compared;
    }

    private static void applyStamp(Walked walked) {
      long hlc = walked.rows.hlc();
      while (walked.rows.has() && walked.rows.hlc() == hlc) {
        walked.applyRow();
      }
    }

    /** Makes the plain state that after the rows before one. */
    private void catchUp(int row) {
      if (row < plainRow) {
        plain = new Walked(source, plain.columns.size());
        plainRow = 0;
      }
      while (plainRow < row) {
        assertThat(plain.rows.has()).isTrue();
        plain.applyRow();
        plainRow++;
      }
    }

    private void assertSameState() {
      catchUp(batched.rows.has() ? batched.rows.index() : 200);
      for (int i = 0; i < plain.columns.size(); i++) {
        VariableColumn expected = plain.columns.get(i);
        VariableColumn column = batched.columns.get(i);
        for (int node = 0; node < plain.state.nodes().size(); node++) {
          assertThat(column.at(node)).as(what).isEqualTo(expected.at(node));
          if (expected.isSet(node)) {
            assertThat(column.changedAt(node)).as(what).isEqualTo(expected.changedAt(node));
          }
        }
      }
    }

    private void assertStamps(CutBatch batch, int from, int end) {
      int to = from + random.nextInt(end - from + 1);
      long stamps = 0;
      for (int place = from; place < to; place++) {
        boolean isFirst =
            place == from
                || batched.rows.hlc(batch.row(place)) != batched.rows.hlc(batch.row(place - 1));
        stamps += isFirst ? 1 : 0;
      }
      assertThat(batch.countStamps(from, to)).as(what).isEqualTo((int) stamps);
    }

    /** Bounds hold at each place. */
    private void assertBounds(CutBatch batch, int from, int end) {
      int to = from + random.nextInt(end - from + 1);
      for (VariableColumn column : batched.columns) {
        long[] memory = new long[2];
        for (int node = 0; node < batched.state.nodes().size(); node++) {
          int at = node;
          if (column.isPacked(at)) {
            QuietRule rule =
                () -> {
                  long[] own = batch.of(column).at(at, memory).clone();
                  long[] all = batch.of(column).all(memory);
                  assertThat(own[0]).as(what).isBetween(all[0], own[1]);
                  assertThat(own[1]).as(what).isLessThanOrEqualTo(all[1]);
                  assertThat(column.number(at)).as(what).isBetween(own[0], own[1]);
                  return QuietRule.UNKNOWN;
                };
            assertThat(batch.isQuietInRange(rule, from, to)).isFalse();
          }
        }
      }
    }

    private void assertPlaces(CutBatch batch, int from) {
      int places = batch.partEnd() - from;
      batch.truths(
          new QuietRule() {
            @Override
            public int truths() {
              return UNKNOWN;
            }

            @Override
            public void evaluate(CutBatch ofPlaces, byte[] to) {
              for (int place = 0; place < places; place++) {
                catchUp(batch.row(from + place) + 1);
                for (int i = 0; i < plain.columns.size(); i++) {
                  assertPlace(plain.columns.get(i), batched.columns.get(i), place);
                }
              }
            }
          });
    }

    private void assertPlace(VariableColumn expected, VariableColumn column, int place) {
      String where = what + ", place " + place;
      CutBatch batch = batched.batch;
      long[] memory = new long[2];
      long atLeastTwo = 0;
      for (int node = 0; node < plain.state.nodes().size(); node++) {
        if (expected.isPacked(node)) {
          long number = expected.number(node);
          atLeastTwo += number >= 2 ? 1 : 0;
          assertThat(batch.of(column).at(node, memory)[place]).as(where).isEqualTo(number);
        }
      }
      if (expected.isAllPacked()) {
        assertThat(batch.of(column).mins(memory)[place]).as(where).isEqualTo(expected.min());
        assertThat(batch.of(column).maxs(memory)[place]).as(where).isEqualTo(expected.max());
        assertThat(countOf(column, batch)[place]).as(where).isEqualTo(atLeastTwo);
        compared++;
      }
    }

    /** At how many nodes the number is at least 2, at each place. */
    private static long[] countOf(VariableColumn column, CutBatch batch) {
      long[] before = new long[column.packedCount()];
      batch.of(column).copyOfNodes(true, before);
      long[] written = new long[batch.of(column).writeCount()];
      batch.of(column).copyWritten(written);
      long[] counts = new long[batch.size()];
      batch.of(column).count(truths(before), truths(written), counts);
      return counts;
    }

    private static byte[] truths(long[] numbers) {
      byte[] truths = new byte[numbers.length];
      for (int i = 0; i < numbers.length; i++) {
        truths[i] = (byte) (numbers[i] >= 2 ? QuietRule.TRUE : QuietRule.FALSE);
      }
      return truths;
    }
  }
}
