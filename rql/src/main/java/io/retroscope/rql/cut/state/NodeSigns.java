// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.state;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.Presence;
import io.retroscope.rql.cut.Presence.Stay;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The stamps at which the nodes of a walk were last seen, by an event or a heartbeat in any log.
 * Used by one thread.
 *
 * <p>Within a {@link Stay} a node counts as seen at every stamp, because the history does not keep
 * its heartbeats one by one.
 */
public final class NodeSigns {
  private static final long NEVER = CutTimers.NEVER;

  private final Predicate<String> counts;
  private boolean isFollowed;
  private @Nullable View view;
  private final Map<String, Presence> presences = new HashMap<>();
  private long now = Long.MIN_VALUE;
  private long nextChange = NEVER;

  /** The stamp at which the last change was noticed. */
  private long changedAt = NEVER;

  /**
   * Creates signs without a view, in which no node was seen.
   *
   * @param counts whether a node is part of the cuts
   */
  NodeSigns(Predicate<String> counts) {
    this.counts = counts;
  }

  /** Follows the nodes, in a walk that has not begun. */
  public void follow() {
    isFollowed = true;
  }

  /**
   * Continues in a view.
   *
   * @param next holds every sighting up to the stamps of the next cuts
   * @param position packed, the stamp up to which the walk has come; at first, the last one of
   *     which no cut matters
   */
  public void continueIn(View next, long position) {
    if (isFollowed && next != view) {
      boolean isFirst = view == null;
      view = next;
      presences.clear();
      for (Presence presence : next.presences()) {
        if (counts.test(presence.node())) {
          presences.put(presence.node(), presence);
        }
      }
      // At the end of what came before, all comparisons are decided at once.
      nextChange =
          isFirst && position > HlcTimestamp.MIN_PACKED
              ? position
              : changeAfter(Math.max(now, position));
    }
  }

  /** Moves to the stamp of a cut. */
  void moveTo(long stamp) {
    now = stamp;
  }

  /**
   * The last stamp up to another one at which a node was seen. After the present cut, a node that
   * is seen there counts as seen until that changes.
   *
   * @param hlc packed
   * @return {@code hlc} while the node is seen, and before it ever was
   */
  public long last(String node, long hlc) {
    Presence presence = presences.get(node);
    Optional<Stay> stay = presence == null ? Optional.empty() : presence.latest(Math.min(hlc, now));
    boolean isSeen = stay.isEmpty() || stay.get().to() >= Math.min(hlc, now + 1);
    return isSeen ? hlc : stay.get().to();
  }

  /**
   * The packed stamp after which the silence of another node begins, or at which it ends; {@link
   * CutTimers#NEVER} if none is known.
   */
  public long nextChange() {
    return nextChange;
  }

  /**
   * Returns whether a silence begins or ends at the present stamp, or has since the last stamp at
   * which this was called. All calls at one stamp return the same.
   */
  public boolean takeChange() {
    if (nextChange <= now) {
      changedAt = now;
      nextChange = changeAfter(now);
    }
    return changedAt == now;
  }

  private long changeAfter(long hlc) {
    long next = NEVER;
    for (Presence presence : presences.values()) {
      long end = presence.latest(hlc).map(Stay::to).orElse(hlc);
      Iterator<Stay> later = presence.from(hlc + 1);
      if (end > hlc) {
        next = Math.min(next, end);
      } else if (later.hasNext()) {
        next = Math.min(next, later.next().from());
      }
    }
    return next;
  }
}
