// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.Sighting;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.engine.completeness.AdvanceCaveats;
import io.retroscope.rql.engine.live.LiveTrack.Entry;
import io.retroscope.rql.evaluation.QueryLimits;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * STREAM queries that advance together as the watermark moves: those that use the same values share
 * one walk. Used by one thread.
 *
 * <p>Each query gets the rows, the warnings and the error of a group of its own.
 */
public final class LiveGroup {
  /** The number of walks from which on it pays to look at the events first. */
  private static final int MANY_WALKS = 4;

  /** The longest advance that is looked at. */
  private static final long SHORT_MICROS = 1_000_000;

  private final QueryLimits limits;

  /** The walks by what their queries have in common; one that is resumed begins another. */
  private final Map<LiveShape, List<LiveTrack>> tracks = new LinkedHashMap<>();

  private final List<LiveWalk> waiting = new ArrayList<>();
  private final Map<String, Long> firstSeen = new HashMap<>();
  private List<Sighting> arrivals = List.of();
  private long position = HlcTimestamp.MIN_PACKED;

  /** The reasons for warnings in the last advance; null if no query needed them. */
  private AdvanceCaveats.@Nullable Facts facts;

  /** Creates a group without queries. */
  public LiveGroup(QueryLimits limits) {
    this.limits = limits;
  }

  /** Adds a query, which begins with the next advance. */
  public void add(LiveWalk query) {
    waiting.add(query);
  }

  /**
   * Walks from the present position up to the watermark; the queries send the rows found.
   *
   * @param view holds every event up to the watermark; read during this call only
   * @param watermark never below an earlier one
   */
  public void advance(EventSource.View view, Watermark watermark) {
    if (isNodeNew(view)) {
      tracks.keySet().forEach(shape -> amend(shape, LiveWalk::firstAmendable, view, watermark));
    }
    // No query may join a walk that was not continued for want of others.
    tracks.values().forEach(alike -> alike.removeIf(track -> !track.isWanted()));
    tracks.values().removeIf(List::isEmpty);
    admit();
    long until = watermark.hlc();
    WrittenVariables written = written(view, until);
    AdvanceCaveats now =
        new AdvanceCaveats(view, new HlcRange(Math.min(position, until), until), facts);
    for (List<LiveTrack> alike : tracks.values()) {
      alike.forEach(track -> track.walkTo(view, watermark, until, now, written));
    }
    facts = now.facts();
    position = Math.max(position, watermark.hlc());
  }

  /** Reads the events of a short advance once, if that may save many walks from reading them. */
  private @Nullable WrittenVariables written(EventSource.View view, long until) {
    long micros = HlcTimestamp.micros(until) - HlcTimestamp.micros(position);
    if (tracks.size() < MANY_WALKS || position >= until || micros > SHORT_MICROS) {
      return null;
    }
    Set<String> logs = new HashSet<>();
    tracks.keySet().forEach(shape -> logs.addAll(shape.input().logs()));
    return WrittenVariables.in(view, logs, new HlcRange(position + 1, until));
  }

  /** Lets the queries that wait join a walk of their kind, or begin one together. */
  private void admit() {
    Map<LiveShape, List<Entry>> others = new LinkedHashMap<>();
    waiting.removeIf(LiveWalk::isFinished);
    for (LiveWalk query : waiting) {
      Entry entry = query.entry();
      joinable(query.shape(), entry)
          .ifPresentOrElse(
              track -> track.join(entry),
              () -> others.computeIfAbsent(query.shape(), shape -> new ArrayList<>()).add(entry));
    }
    waiting.clear();
    others.forEach(
        (shape, entries) ->
            tracks
                .computeIfAbsent(shape, key -> new ArrayList<>())
                .add(new LiveTrack(shape, entries, limits)));
  }

  /** A walk that has not passed anything that a query needs, and that receives all of it. */
  private Optional<LiveTrack> joinable(LiveShape shape, Entry entry) {
    long readsFrom = entry.plan().readsFrom();
    // A state keeps those that receive its new variables, even if their queries have ended.
    boolean isOpen = readsFrom > position && shape.input().forEach().isEmpty();
    return tracks.getOrDefault(shape, List.of()).stream()
        .filter(track -> isOpen && track.readsFrom() <= readsFrom)
        .findFirst();
  }

  /** The number of walks that its queries share. */
  public int walkCount() {
    return tracks.values().stream().mapToInt(List::size).sum();
  }

  /** The walks. */
  Stream<LiveTrack> tracks() {
    return tracks.values().stream().flatMap(List::stream);
  }

  /** Whether a node is new that is in cuts that were walked without it. */
  private boolean isNodeNew(EventSource.View view) {
    List<Sighting> all = view.arrivals();
    boolean isNew = false;
    if (all != arrivals) {
      arrivals = all;
      for (Sighting seen : all) {
        @Nullable Long before = firstSeen.put(seen.node(), seen.hlc());
        isNew |= seen.hlc() <= position && (before == null || before > seen.hlc());
      }
    }
    return isNew;
  }

  /**
   * Sends what an event that came late changes in the rows that were sent.
   *
   * @param view holds the event
   * @param watermark the present one
   * @param interest of the queries to which the event matters
   * @param lateHlc packed, the lowest stamp of such an event
   */
  public void amend(
      EventSource.View view, Watermark watermark, LateInterest interest, long lateHlc) {
    waiting.stream()
        .filter(query -> query.interest().equals(interest))
        .forEach(query -> query.noteLate(lateHlc));
    for (LiveShape shape : tracks.keySet()) {
      amend(
          shape,
          query -> query.interest().equals(interest) ? lateHlc : LateInterest.NONE,
          view,
          watermark);
    }
  }

  /** Walks the queries of a shape again, all of them together. */
  private void amend(
      LiveShape shape, ToLongFunction<LiveWalk> late, EventSource.View view, Watermark watermark) {
    List<LiveTrack> alike = tracks.getOrDefault(shape, List.of());
    List<LiveWalk> all =
        alike.stream()
            .filter(LiveTrack::isWanted)
            .flatMap(track -> track.queries().stream())
            .toList();
    all.forEach(query -> query.noteLate(late.applyAsLong(query)));
    if (all.stream().noneMatch(query -> late.applyAsLong(query) <= position)) {
      return;
    }
    // Those to which the event is not late are walked again as well: their walk is the same.
    List<Entry> entries =
        all.stream().map(query -> query.amend(late.applyAsLong(query), position)).toList();
    LiveTrack again = new LiveTrack(shape, entries, limits);
    alike.clear();
    alike.add(again);
    AdvanceCaveats ofAll = new AdvanceCaveats(view, new HlcRange(position, position), null);
    again.walkTo(view, watermark, position, ofAll, null);
    all.forEach(LiveWalk::endAmendment);
  }
}
