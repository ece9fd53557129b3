package io.retroscope.server.live;

import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.diagnostic.RqlException;

/** Receives a live result, and how it ended. Called by the thread of its query. */
public interface LiveSink extends RowSink {
  /** For how long rows are held because of fast clocks; see {@link WatermarkTracker#heldMicros}. */
  void held(long micros);

  /** The query has seen all that it asked for: its LIMIT was reached. */
  void end();

  /** A cut could not be evaluated; nothing more comes. */
  void failed(RqlException reason);

  /** The server failed; nothing more comes. */
  void broken(String reason);

  /** The server goes down; once it is back, the query may be asked again from where it was. */
  void goingDown();
}
