package io.retroscope.rql.engine;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/** The statements that run now, for SHOW QUERIES. Thread-safe. */
final class RunningQueries {
  private final AtomicLong lastId = new AtomicLong();
  private final Map<Long, String> texts = new ConcurrentSkipListMap<>();

  /** A statement is about to run. */
  Ticket enter(String text) {
    return new Ticket(lastId.incrementAndGet(), text);
  }

  /** The texts of what runs, by number, in the order in which they began. */
  Map<Long, String> texts() {
    return texts;
  }

  /** Held while a statement runs. */
  final class Ticket implements AutoCloseable {
    private final long id;
    private final String text;

    private Ticket(long id, String text) {
      this.id = id;
      this.text = text;
    }

    void begin() {
      texts.put(id, text);
    }

    @Override
    public void close() {
      texts.remove(id);
    }
  }
}
