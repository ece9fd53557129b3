// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.alert;

import io.retroscope.clock.HlcTimestamp;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The edges of one alert, and the episodes that they form. Edges come and go in any order, as late
 * events change them; the episodes depend only on the edges that are present. Used by one thread.
 */
public final class AlertTimeline {
  private final String alert;
  private final long keepMicros;
  private final Map<String, NavigableSet<Edge>> byItem = new TreeMap<>();
  private final Map<Long, List<Edge>> byDigest = new HashMap<>();
  private int size;

  /**
   * Creates a timeline without edges.
   *
   * @param keepMicros how long after a fall an episode continues if the predicate rises again
   */
  public AlertTimeline(String alert, long keepMicros) {
    this.alert = alert;
    this.keepMicros = keepMicros;
  }

  /** Adds an edge. */
  public void add(Edge edge) {
    if (byItem.computeIfAbsent(edge.item(), item -> new TreeSet<>()).add(edge)) {
      byDigest.computeIfAbsent(edge.digest(), digest -> new ArrayList<>()).add(edge);
      size++;
    }
  }

  /** Removes and returns the edges of a row that was taken back. */
  public List<Edge> retract(long digest) {
    List<Edge> removed = List.copyOf(byDigest.getOrDefault(digest, List.of()));
    removed.forEach(this::remove);
    return removed;
  }

  private void remove(Edge edge) {
    NavigableSet<Edge> edges = byItem.get(edge.item());
    if (edges != null && edges.remove(edge)) {
      size--;
      if (edges.isEmpty()) {
        byItem.remove(edge.item());
      }
      List<Edge> same = byDigest.getOrDefault(edge.digest(), List.of());
      if (same.size() <= 1) {
        byDigest.remove(edge.digest());
      } else {
        same.remove(edge);
      }
    }
  }

  /** The number of edges. */
  public int size() {
    return size;
  }

  /** The episodes, by item and then by stamp. */
  public List<AlertEpisode> episodes() {
    List<AlertEpisode> all = new ArrayList<>();
    byItem.values().forEach(edges -> addEpisodes(edges, all));
    return all;
  }

  private void addEpisodes(NavigableSet<Edge> edges, List<AlertEpisode> all) {
    Optional<Edge> rise = Optional.empty();
    Optional<Edge> fall = Optional.empty();
    for (Edge edge : edges) {
      if (edge.kind() == Edge.Kind.FALL) {
        fall = rise.isPresent() ? Optional.of(edge) : fall;
      } else if (rise.isEmpty()) {
        rise = Optional.of(edge);
      } else if (fall.isPresent()) {
        if (micros(edge) - micros(fall.get()) > keepMicros) {
          all.add(AlertEpisode.of(alert, rise.get(), fall));
          rise = Optional.of(edge);
        }
        fall = Optional.empty();
      }
    }
    Optional<Edge> end = fall;
    rise.ifPresent(begin -> all.add(AlertEpisode.of(alert, begin, end)));
  }

  private static long micros(Edge edge) {
    return HlcTimestamp.micros(edge.hlc());
  }

  /**
   * Removes the edges of episodes that are over and can no longer change.
   *
   * @param hlc packed: no edge that was found at or below it will be taken back or added
   * @param kept the episodes that are not removed
   * @return the episodes that were removed
   */
  public Set<String> forget(long hlc, Set<String> kept) {
    Set<String> forgotten = new HashSet<>();
    for (NavigableSet<Edge> edges : List.copyOf(byItem.values())) {
      List<AlertEpisode> episodes = new ArrayList<>();
      addEpisodes(edges, episodes);
      Iterator<AlertEpisode> oldest = episodes.iterator();
      boolean goesOn = true;
      while (goesOn && oldest.hasNext()) {
        AlertEpisode episode = oldest.next();
        List<Edge> own =
            episode.fall().isEmpty()
                ? List.of()
                : List.copyOf(edges.headSet(episode.fall().get(), true));
        goesOn =
            !kept.contains(episode.id())
                && episode.isOver(hlc, keepMicros)
                && own.stream().allMatch(edge -> edge.found() <= hlc);
        if (goesOn) {
          own.forEach(this::remove);
          forgotten.add(episode.id());
        }
      }
    }
    return forgotten;
  }
}
