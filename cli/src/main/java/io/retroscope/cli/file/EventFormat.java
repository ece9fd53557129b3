package io.retroscope.cli.file;

import io.retroscope.rql.file.EventFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/** A file format for events. */
public enum EventFormat {
  /** One JSON object per line. */
  NDJSON,
  /** Blocks as written by a sink. */
  RETROSCOPE,
  /** Text with vector clocks, matched by a regular expression. */
  SHIVIZ;

  /** The apparent format of a file. */
  public static EventFormat recognise(Path file) throws IOException {
    return switch (EventFile.kind(file)) {
      case NDJSON -> NDJSON;
      case BLOCKS -> RETROSCOPE;
      case SEALED ->
          throw new InputException(
              file.toString(), "is a file of sealed blocks: export writes it as NDJSON");
      case OTHER -> SHIVIZ;
    };
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
