package io.retroscope.server.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class CurrencyTest {
  private static final long SINCE = HlcTimestamp.pack(1_795_200_000_000_000L);

  private final Currency currency = new Currency();

  private static NavigableMap<String, Long> missing(String... nodes) {
    NavigableMap<String, Long> all = new TreeMap<>();
    for (String node : nodes) {
      all.put(node, SINCE);
    }
    return all;
  }

  @Test
  void note_ofALastingSilence_isOneSentenceAndOneWhenItIsOver() {
    assertThat(currency.note(missing(), 0)).isEmpty();
    assertThat(currency.note(missing("b", "a"), 1)).isEmpty();
    assertThat(currency.note(missing("b", "a"), 1 + Currency.PATIENCE_NANOS))
        .contains(
            "not up to date since 2026-11-20T18:40:00.000000Z: nothing has come since then from a,"
                + " b");
    assertThat(currency.note(missing("b", "a"), Long.MAX_VALUE)).isEmpty();
    assertThat(currency.note(missing(), Long.MAX_VALUE)).contains("up to date again");
    assertThat(currency.note(new TreeMap<>(Map.of()), Long.MAX_VALUE)).isEmpty();
  }

  @Test
  void note_ofABriefSilence_isNone() {
    assertThat(currency.note(missing("a"), 0)).isEmpty();
    assertThat(currency.note(missing(), 1)).isEmpty();
    assertThat(currency.note(missing("a"), Currency.PATIENCE_NANOS)).isEmpty();
  }

  @Test
  void note_ofManyNodes_namesSome() {
    String[] nodes = new String[30];
    for (int i = 0; i < nodes.length; i++) {
      nodes[i] = "n%02d".formatted(i);
    }
    assertThat(currency.note(missing(nodes), 0)).isEmpty();
    assertThat(currency.note(missing(nodes), Currency.PATIENCE_NANOS).orElseThrow())
        .contains("n19 and 10 more")
        .doesNotContain("n20");
  }
}
