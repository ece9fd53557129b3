package io.retroscope.rql.json;

import io.retroscope.event.Event;
import io.retroscope.rql.cut.EventSource.Gap;
import java.io.IOException;

/** Takes events one by one, and the news that some are lost. */
public interface EventConsumer {
  /** Takes the next event. */
  void event(Event event) throws IOException;

  /** Takes notice of a loss, which may be told of before or after the events around it. */
  void gap(Gap gap) throws IOException;

  /** Takes a sentence that every answer over these events must carry. */
  void warning(String sentence) throws IOException;
}
