// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.Incompleteness;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The sentences about a live query that is not up to date, because it leaves nodes out or waits for
 * them, and is again. Used by one thread.
 */
final class Currency {
  /** Shorter delays are not reported, because a node that joins is briefly left out. */
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final int MAX_NAMED = 20;

  /** What was reported. */
  private Set<Topic> reported = Set.of();

  /** When what is not known began to differ from what was reported. */
  private long sinceNanos;

  private boolean differs;

  /** What a sentence is about, without the numbers in it, which may change often. */
  private record Topic(boolean isAwaited, String kind, Set<String> nodes) {
    static Topic of(Incompleteness reason, boolean isAwaited) {
      return new Topic(isAwaited, reason.kind(), reason.nodes());
    }
  }

  /**
   * Takes what is not known now.
   *
   * @param reachedHlc packed, up to which rows have been sent
   * @return the notice; empty if it is reported already, or too new
   */
  Optional<String> note(Unheard unheard, long reachedHlc, long nowNanos) {
    Set<Topic> topics = topics(unheard);
    if (topics.equals(reported)) {
      differs = false;
      return Optional.empty();
    }
    sinceNanos = differs ? sinceNanos : nowNanos;
    differs = true;
    if (nowNanos - sinceNanos < PATIENCE_NANOS && !unheard.isEmpty()) {
      return Optional.empty();
    }
    differs = false;
    reported = topics;
    return Optional.of(unheard.isEmpty() ? "up to date again" : sentence(unheard, reachedHlc));
  }

  private static Set<Topic> topics(Unheard unheard) {
    Set<Topic> topics = new HashSet<>();
    unheard.leftOut().forEach(reason -> topics.add(Topic.of(reason, false)));
    unheard.awaited().forEach(reason -> topics.add(Topic.of(reason, true)));
    return topics;
  }

  private static String sentence(Unheard unheard, long reachedHlc) {
    long since =
        Stream.concat(
                unheard.leftOut().stream().map(reason -> reason.range().from()),
                unheard.awaited().stream().map(reason -> reachedHlc))
            .mapToLong(Long::longValue)
            .min()
            .orElseThrow();
    List<String> parts = new ArrayList<>();
    silent(unheard.leftOut())
        .ifPresent(names -> parts.add("nothing has come since then from " + names));
    silent(unheard.awaited()).ifPresent(names -> parts.add("rows wait for " + names));
    others(unheard.leftOut()).forEach(parts::add);
    others(unheard.awaited()).forEach(reason -> parts.add("rows wait: " + reason));
    return "not up to date since %s: %s"
        .formatted(HlcTimestamp.isoMicros(HlcTimestamp.micros(since)), String.join("; ", parts));
  }

  /** The names of the silent nodes. */
  private static Optional<String> silent(List<Incompleteness> reasons) {
    List<String> all =
        reasons.stream()
            .filter(Incompleteness.Silent.class::isInstance)
            .flatMap(reason -> reason.nodes().stream())
            .toList();
    int more = all.size() - MAX_NAMED;
    String names = String.join(", ", all.subList(0, Math.min(all.size(), MAX_NAMED)));
    return all.isEmpty()
        ? Optional.empty()
        : Optional.of(names + (more > 0 ? " and %d more".formatted(more) : ""));
  }

  private static List<String> others(List<Incompleteness> reasons) {
    List<String> all =
        reasons.stream()
            .filter(reason -> !(reason instanceof Incompleteness.Silent))
            .map(Incompleteness::sentence)
            .toList();
    int more = all.size() - MAX_NAMED;
    return more <= 0
        ? all
        : Stream.concat(all.stream().limit(MAX_NAMED), Stream.of(more + " more nodes")).toList();
  }
}
