// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.Incompleteness;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The sentences about a live query that is not up to date, because it leaves nodes out or waits for
 * them, and is again. Used by one thread.
 */
final class Currency {
  /**
   * Shorter delays are not reported: a node that joins is briefly left out, and one that sends
   * lines now and then is left out between them.
   */
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final int MAX_NAMED = 20;

  /** Since when each thing that is not known has been so. */
  private final Map<Cause, Long> sinceNanos = new HashMap<>();

  /** The last report, and its time. */
  private Set<Topic> reported = Set.of();

  private long reportedNanos;

  /**
   * A sentence for the client.
   *
   * @param reasons the reasons for doubt; none if the rows are up to date again
   */
  record Notice(String sentence, List<Incompleteness> reasons) {}

  /** The reasons without their numbers, which may change often. */
  private record Cause(String kind, Set<String> nodes) {
    static Cause of(Incompleteness reason) {
      return new Cause(reason.kind(), reason.nodes());
    }
  }

  /** What a part of a sentence is about. */
  private record Topic(Cause cause, boolean isAwaited) {}

  /**
   * Takes the reasons of now. Lasting ones are reported, and changes of it at most every {@link
   * #PATIENCE_NANOS}; its end at once.
   *
   * @param reachedHlc packed, up to which rows have been sent
   */
  Optional<Notice> note(Unheard unheard, long reachedHlc, long nowNanos) {
    if (unheard.isEmpty() && sinceNanos.isEmpty() && reported.isEmpty()) {
      return Optional.empty();
    }
    Unheard lasting = lasting(unheard, nowNanos);
    Set<Topic> topics = topics(lasting);
    boolean isChange = !topics.isEmpty() && !reported.isEmpty();
    boolean isSoon = isChange && nowNanos - reportedNanos < PATIENCE_NANOS;
    if (topics.equals(reported) || isSoon) {
      return Optional.empty();
    }
    reported = topics;
    reportedNanos = nowNanos;
    return Optional.of(
        new Notice(
            lasting.isEmpty() ? "up to date again" : sentence(lasting, reachedHlc),
            lasting.reasons()));
  }

  private Unheard lasting(Unheard unheard, long nowNanos) {
    sinceNanos
        .keySet()
        .retainAll(unheard.reasons().stream().map(Cause::of).collect(Collectors.toSet()));
    return new Unheard(lasting(unheard.leftOut(), nowNanos), lasting(unheard.awaited(), nowNanos));
  }

  private List<Incompleteness> lasting(List<Incompleteness> reasons, long nowNanos) {
    return reasons.stream()
        .filter(reason -> nowNanos - since(reason, nowNanos) >= PATIENCE_NANOS)
        .toList();
  }

  private long since(Incompleteness reason, long nowNanos) {
    return sinceNanos.computeIfAbsent(Cause.of(reason), cause -> nowNanos);
  }

  private static Set<Topic> topics(Unheard unheard) {
    Set<Topic> topics = new HashSet<>();
    unheard.leftOut().forEach(reason -> topics.add(new Topic(Cause.of(reason), false)));
    unheard.awaited().forEach(reason -> topics.add(new Topic(Cause.of(reason), true)));
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
