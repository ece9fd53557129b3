package io.retroscope.cli.file;

import io.retroscope.event.Event;
import java.io.IOException;

/** Takes events one by one. */
@FunctionalInterface
public interface EventConsumer {
  /** Takes the next one. */
  void accept(Event event) throws IOException;
}
