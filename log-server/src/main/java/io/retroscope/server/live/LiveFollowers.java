// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.live.LateInterest;
import io.retroscope.rql.engine.live.LiveGroup;
import io.retroscope.rql.engine.live.LiveStart;
import io.retroscope.rql.engine.live.LiveWalk;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * STREAM queries that follow the watermark together, one turn after the other: all read one view in
 * each turn, and those that use the same values share a walk. Used by one thread.
 *
 * <p>History ends and live begins at one watermark. The watermark is read before the view is
 * opened, so the view contains every event up to it, and all later events are above it, or late.
 */
public final class LiveFollowers implements AutoCloseable {
  private final StreamingQuery.Parts parts;
  private final LiveGroup group;
  private final List<LiveFollower> followers = new ArrayList<>();

  /** The late events that have not been taken, by the queries to which they matter. */
  private final Map<LateInterest, LateArrivals> arrivals = new HashMap<>();

  private Watermark reached = new Watermark(HlcTimestamp.MIN_PACKED, new TreeMap<>());

  /** Creates an empty collection. */
  public LiveFollowers(StreamingQuery.Parts parts) {
    this.parts = parts;
    this.group = parts.engine().newLiveGroup();
  }

  /**
   * Adds a query, which begins with the next step.
   *
   * @throws RqlException if it cannot be followed
   * @throws PartitionException if a partition cannot be read now
   */
  public LiveFollower open(PreparedQuery query, LiveSink sink, LiveStart start) {
    Optional<StreamPlace> resumed = start.resumed();
    LiveWalk walk;
    try (EventSource.View view = parts.source().open()) {
      walk = parts.engine().openLive(query, view, start, sink, group);
    }
    LateArrivals late = arrivals.computeIfAbsent(walk.interest(), this::listen);
    resumed.ifPresent(place -> late.announce(place.hlc()));
    LiveFollower follower = new LiveFollower(this, parts, sink, walk, late);
    followers.add(follower);
    resumed.ifPresent(follower::resume);
    return follower;
  }

  private LateArrivals listen(LateInterest interest) {
    LateArrivals late = new LateArrivals(parts.clock());
    parts.late().add(late);
    parts.watermarks().lanes().forEach(lane -> late.known(lane.incarnation()));
    late.announce(reached.hlc());
    late.setInterest(interest);
    return late;
  }

  /** The number of queries. */
  public int size() {
    return followers.size();
  }

  /** The number of walks that the queries share. */
  public int walkCount() {
    return group.walkCount();
  }

  /**
   * Sends the new rows of all queries up to a watermark. The error of one of them is that of no
   * other. If a partition cannot be read, nothing is sent but notices that name it, and the next
   * step tries again.
   *
   * @param next never below an earlier one
   * @throws PartitionException if that begins in the middle: then each continues from its place
   */
  public void step(Watermark next) {
    boolean isBack = !next.missing().containsAll(reached.missing());
    LiveStep step = new LiveStep(parts, next, next.hlc() > reached.hlc());
    Map<LateInterest, Long> due = takeLate(isBack);
    if (step.moved() || !due.isEmpty() || followers.stream().anyMatch(LiveFollower::isNew)) {
      arrivals.values().forEach(late -> late.announce(next.hlc()));
      EventSource.View opened;
      try {
        opened = parts.source().open();
      } catch (PartitionException e) {
        hold(step, due, String.valueOf(e.getMessage()));
        return;
      }
      try (EventSource.View view = opened) {
        reached = next;
        due.forEach((interest, lowest) -> amend(view, interest, lowest));
        group.advance(view, next);
      }
      followers.forEach(LiveFollower::checkRead);
    }
    reached = next;
    for (LiveFollower follower : List.copyOf(followers)) {
      follower.stepped(step);
    }
  }

  /** Leaves everything to the next step. */
  private void hold(LiveStep step, Map<LateInterest, Long> due, String reason) {
    arrivals.forEach(
        (interest, late) -> late.untake(due.getOrDefault(interest, LateInterest.NONE)));
    List.copyOf(followers).forEach(follower -> follower.held(step, reason));
  }

  /**
   * @param atOnce whether a node counts again, so that the next rows depend on its late events
   */
  private Map<LateInterest, Long> takeLate(boolean atOnce) {
    Map<LateInterest, Long> due = new LinkedHashMap<>();
    arrivals.forEach(
        (interest, late) -> {
          long lowest = late.take(atOnce);
          if (lowest != LateInterest.NONE) {
            due.put(interest, lowest);
          }
        });
    return due;
  }

  private void amend(EventSource.View view, LateInterest interest, long lowest) {
    long began = parts.clock().nanos();
    group.amend(view, reached, interest, lowest);
    LateArrivals late = arrivals.get(interest);
    if (late != null) {
      late.took(parts.clock().nanos() - began);
    }
  }

  void remove(LiveFollower follower) {
    followers.remove(follower);
    LateArrivals late = follower.late();
    if (followers.stream().noneMatch(other -> other.late() == late)) {
      parts.late().remove(late);
      arrivals.values().remove(late);
    }
  }

  @Override
  public void close() {
    List.copyOf(followers).forEach(LiveFollower::close);
  }
}
