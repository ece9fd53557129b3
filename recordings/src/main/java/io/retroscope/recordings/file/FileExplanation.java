// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.recordings.document.DocumentFormat;
import io.retroscope.recordings.textlog.FormatException;
import io.retroscope.recordings.textlog.TextLog;
import io.retroscope.recordings.textlog.TextLogExplanation;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** How a file is read, for users. */
public final class FileExplanation {
  private FileExplanation() {}

  /**
   * Explains a file in several lines.
   *
   * @throws IOException if it cannot be read
   */
  public static List<String> lines(Path file, InputSettings settings) throws IOException {
    byte[] sample;
    EventFile.Kind kind;
    String name;
    try (EventInput in = EventInput.open(file, InputStream.nullInputStream())) {
      kind = EventFile.kind(in, settings);
      sample = EventFile.sample(in);
      name = in.name();
    }
    return switch (kind) {
      case NDJSON -> List.of(name + ": is read as events of Retroscope (ndjson)");
      case BLOCKS -> List.of(name + ": is read as blocks of Retroscope (retroscope)");
      case SEALED -> List.of(name + ": is read as sealed blocks of Retroscope (retroscope)");
      case CLOCKS -> List.of(name + ": is read as a text with vector clocks (shiviz)");
      case UNKNOWN -> List.of(TextLog.unknown(name, sample, settings.texts()));
      case DOCUMENT -> {
        DocumentFormat format = settings.documentFormat(name, sample);
        yield List.of("%s: format %s: %s".formatted(name, format.option(), format.title()));
      }
      case LOG -> TextLogExplanation.lines(log(file, name, sample, settings), sample);
    };
  }

  private static TextLog log(Path file, String name, byte[] sample, InputSettings settings)
      throws IOException {
    Optional<TextLog> found = EventFile.recognize(name, sample, settings);
    TextLog log =
        found.orElseThrow(
            () -> new EventFileException(TextLog.unknown(name, sample, settings.texts())));
    if (log.leavesOut()) {
      long lastMicros = Files.getLastModifiedTime(file).to(TimeUnit.MICROSECONDS);
      try (EventInput in = EventInput.open(file, InputStream.nullInputStream())) {
        log = log.anchored(in.bytes(), lastMicros);
      }
    }
    try {
      return log.of(TextLog.nodes(List.of(name), settings.texts()).getOrDefault(name, name));
    } catch (FormatException e) {
      throw new EventFileException(e.reason(), e);
    }
  }
}
