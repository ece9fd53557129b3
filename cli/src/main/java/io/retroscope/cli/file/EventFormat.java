package io.retroscope.cli.file;

import io.retroscope.rql.client.EventFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/** A format in which files hold events. */
public enum EventFormat {
  /** One JSON object a line. */
  NDJSON,
  /** Blocks as a sink writes them. */
  RETROSCOPE,
  /** Text with vector clocks, matched by a regular expression. */
  SHIVIZ;

  /** What a file seems to hold. */
  public static EventFormat recognise(Path file) throws IOException {
    return switch (EventFile.kind(file)) {
      case NDJSON -> NDJSON;
      case BLOCKS -> RETROSCOPE;
      case OTHER -> SHIVIZ;
    };
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
