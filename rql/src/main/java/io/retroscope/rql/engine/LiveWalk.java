package io.retroscope.rql.engine;

import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.diagnostic.RqlException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/** A STREAM query in progress; its walk continues as the watermark moves. Used by one thread. */
public final class LiveWalk implements AutoCloseable {
  private final QueryWalk walk;
  private final RunningQueries.Ticket ticket;
  private final Map<String, Long> missingSince = new HashMap<>();
  private boolean finished;
  private boolean closed;

  LiveWalk(QueryWalk walk, RunningQueries.Ticket ticket) {
    this.walk = walk;
    this.ticket = ticket;
  }

  /**
   * Walks from the present position up to the watermark and sends the rows found.
   *
   * @param view holds every event up to the watermark; read during this call only
   * @param watermark never below an earlier one
   * @return whether the query continues; false after its LIMIT or if its sink wants no more rows
   * @throws RqlException if a cut cannot be evaluated, or KILL QUERY has ended the query
   */
  public boolean advance(EventSource.View view, Watermark watermark) {
    if (finished) {
      return false;
    }
    letBackIn(view, watermark);
    for (String node : watermark.missing()) {
      missingSince.putIfAbsent(node, walk.position());
    }
    walk.setSilent(watermark.missing());
    finished = !StackGuard.guarded(walk.text(), () -> walk.advance(view, watermark.hlc()));
    ticket.checkAlive();
    return !finished;
  }

  /** The number of cuts so far. */
  public long cuts() {
    return walk.figures().cuts();
  }

  /** The place at which the stream can be resumed after the rows so far. */
  public StreamPlace place() {
    return walk.place();
  }

  /** Applies the events that a node recorded while it was left out to the cuts from now on. */
  private void letBackIn(EventSource.View view, Watermark watermark) {
    Iterator<Map.Entry<String, Long>> nodes = missingSince.entrySet().iterator();
    while (nodes.hasNext()) {
      Map.Entry<String, Long> left = nodes.next();
      if (!watermark.missing().contains(left.getKey())) {
        walk.catchUp(view, left.getKey(), new HlcRange(left.getValue(), walk.position()));
        nodes.remove();
      }
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      finished = true;
      walk.close();
      ticket.close();
    }
  }
}
