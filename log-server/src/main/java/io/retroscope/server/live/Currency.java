package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The sentences about a live query that is not up to date because nodes are silent, and is again.
 * Used by one thread.
 */
final class Currency {
  /** Shorter silences are not reported, because a node that joins is briefly left out. */
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final int MAX_NAMED = 20;

  /** The nodes that were reported, with the stamps up to which they are known. */
  private NavigableMap<String, Long> reported = new TreeMap<>();

  /** When the missing nodes began to differ from those that were reported. */
  private long sinceNanos;

  private boolean differs;

  /**
   * Takes the nodes that are missing now.
   *
   * @return the notice; empty if it is reported already, or too new
   */
  Optional<String> note(NavigableMap<String, Long> missing, long nowNanos) {
    if (missing.keySet().equals(reported.keySet())) {
      differs = false;
      return Optional.empty();
    }
    sinceNanos = differs ? sinceNanos : nowNanos;
    differs = true;
    if (nowNanos - sinceNanos < PATIENCE_NANOS && !missing.isEmpty()) {
      return Optional.empty();
    }
    differs = false;
    reported = new TreeMap<>(missing);
    return Optional.of(missing.isEmpty() ? "up to date again" : sentence(missing));
  }

  private static String sentence(NavigableMap<String, Long> missing) {
    long since = missing.values().stream().mapToLong(Long::longValue).min().orElseThrow();
    List<String> named = missing.keySet().stream().limit(MAX_NAMED).toList();
    int more = missing.size() - named.size();
    return "not up to date since %s: nothing has come since then from %s%s"
        .formatted(
            HlcTimestamp.isoMicros(HlcTimestamp.micros(since)),
            String.join(", ", named),
            more == 0 ? "" : " and %d more".formatted(more));
  }
}
