package io.retroscope.cli.file;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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

  private static final int SAMPLE_BYTES = 4096;
  private static final String BLOCK_MAGIC = "RTSB";

  /** What the beginning of a file looks like, or else what its name says. */
  public static EventFormat recognise(Path file) throws IOException {
    byte[] sample;
    try (InputStream in = Files.newInputStream(file)) {
      sample = in.readNBytes(SAMPLE_BYTES);
    }
    String text = new String(sample, StandardCharsets.UTF_8).replace("\uFEFF", "").stripLeading();
    if (text.startsWith(BLOCK_MAGIC)) {
      return RETROSCOPE;
    }
    return text.isEmpty() || text.startsWith("{") || isNamedNdjson(file) ? NDJSON : SHIVIZ;
  }

  private static boolean isNamedNdjson(Path file) {
    return file.toString().matches(".*\\.(ndjson|jsonl)");
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
