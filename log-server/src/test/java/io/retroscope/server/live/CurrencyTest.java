// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.Incompleteness;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CurrencyTest {
  private static final long SINCE = HlcTimestamp.pack(1_795_200_000_000_000L);
  private static final long REACHED = HlcTimestamp.pack(1_795_200_005_000_000L);

  private final Currency currency = new Currency();

  private static List<Incompleteness> silent(String... nodes) {
    return Stream.of(nodes)
        .<Incompleteness>map(node -> new Incompleteness.Silent(node, SINCE))
        .toList();
  }

  private static Unheard leftOut(String... nodes) {
    return new Unheard(silent(nodes), List.of());
  }

  private static Unheard awaited(Incompleteness... reasons) {
    return new Unheard(List.of(), List.of(reasons));
  }

  private Optional<String> note(Unheard unheard, long nowNanos) {
    return currency.note(unheard, REACHED, nowNanos).map(Currency.Notice::sentence);
  }

  /** The sentence once it has lasted for long enough. */
  private String lasting(Unheard unheard) {
    assertThat(note(unheard, 0)).isEmpty();
    return note(unheard, Currency.PATIENCE_NANOS).orElseThrow();
  }

  @Test
  void note_ofALastingSilence_isOneSentenceAndOneWhenItIsOver() {
    assertThat(note(Unheard.NOTHING, 0)).isEmpty();
    assertThat(note(leftOut("a", "b"), 1)).isEmpty();
    assertThat(note(leftOut("a", "b"), 1 + Currency.PATIENCE_NANOS))
        .contains(
            "not up to date since 2026-11-20T18:40:00.000000Z: nothing has come since then from a,"
                + " b");
    assertThat(note(leftOut("a", "b"), Long.MAX_VALUE)).isEmpty();
    assertThat(note(Unheard.NOTHING, Long.MAX_VALUE)).contains("up to date again");
    assertThat(note(Unheard.NOTHING, Long.MAX_VALUE)).isEmpty();
  }

  @Test
  void note_ofABriefSilence_isNone() {
    assertThat(note(leftOut("a"), 0)).isEmpty();
    assertThat(note(Unheard.NOTHING, 1)).isEmpty();
    assertThat(note(leftOut("a"), Currency.PATIENCE_NANOS)).isEmpty();
  }

  /** Nodes without heartbeats are left out between their lines. */
  @Test
  void note_ofNodesThatAreBrieflySilentInTurn_isNone() {
    for (int i = 0; i < 100; i++) {
      long now = i * Currency.PATIENCE_NANOS / 4;
      assertThat(note(leftOut("n" + i % 10, "n" + (i + 1) % 10), now)).isEmpty();
    }
  }

  @Test
  void note_ofANodeThatWasAwaited_saysThatItIsLeftOut() {
    Unheard waiting = awaited(silent("a").toArray(Incompleteness[]::new));
    assertThat(lasting(waiting)).endsWith("rows wait for a");
    long soon = Currency.PATIENCE_NANOS + 1;
    assertThat(note(leftOut("a"), soon)).isEmpty();
    assertThat(currency.note(leftOut("a"), REACHED, 2 * Currency.PATIENCE_NANOS))
        .contains(
            new Currency.Notice(
                "not up to date since 2026-11-20T18:40:00.000000Z: nothing has come since then from"
                    + " a",
                silent("a")));
    assertThat(currency.note(Unheard.NOTHING, REACHED, soon + Currency.PATIENCE_NANOS))
        .contains(new Currency.Notice("up to date again", List.of()));
  }

  @Test
  void note_ofManyNodes_namesSome() {
    String[] nodes = IntStream.range(0, 30).mapToObj("n%02d"::formatted).toArray(String[]::new);
    assertThat(lasting(leftOut(nodes))).contains("n19 and 10 more").doesNotContain("n20");
  }

  @Test
  void note_whileRowsWait_saysSinceWhenRowsWereComplete() {
    assertThat(lasting(awaited(silent("a", "b").toArray(Incompleteness[]::new))))
        .isEqualTo("not up to date since 2026-11-20T18:40:05.000000Z: rows wait for a, b");
  }

  @Test
  void note_ofMissingBlocks_saysHowManyOnceAlthoughTheirNumberGrows() {
    assertThat(lasting(awaited(new Incompleteness.MissingBlocks("a", SINCE, 3))))
        .isEqualTo(
            "not up to date since 2026-11-20T18:40:05.000000Z: rows wait: 3 blocks of node a after"
                + " 2026-11-20T18:40:00.000000Z have not arrived");
    Unheard more = awaited(new Incompleteness.MissingBlocks("a", SINCE, 4));
    assertThat(note(more, Long.MAX_VALUE)).isEmpty();
    Unheard given = new Unheard(more.awaited(), List.of());
    assertThat(note(given, Long.MAX_VALUE).orElseThrow())
        .endsWith(": 4 blocks of node a after 2026-11-20T18:40:00.000000Z have not arrived")
        .contains("since 2026-11-20T18:40:00.000000Z: 4 blocks");
  }
}
