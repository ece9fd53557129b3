// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.recordings.document.DocumentFormat;
import io.retroscope.recordings.textlog.TextLogSettings;
import java.util.Optional;

/**
 * How the format of files is found, and how files without stamps are read. Immutable.
 *
 * @param forced the kind of all files; empty to find it by their content
 * @param document the format of all documents; empty to find it by their content
 * @param derives whether the stamps of NDJSON are derived again
 * @param allowsGaps whether events may be missing in texts with vector clocks
 * @param texts how text logs are read
 * @param nowMicros the present time, for the standard input, in microseconds since 1970
 */
public record InputSettings(
    Optional<EventFile.Kind> forced,
    Optional<DocumentFormat> document,
    boolean derives,
    boolean allowsGaps,
    TextLogSettings texts,
    long nowMicros) {
  /** All formats by their content; stamps as they are. */
  public static final InputSettings DEFAULT =
      new InputSettings(
          Optional.empty(), Optional.empty(), false, false, TextLogSettings.DEFAULT, 0);

  /** A text that differs if the same files may have other events with other settings. */
  String fingerprint() {
    return equals(DEFAULT)
        ? ""
        : forced
            + "\n"
            + document
            + "\n"
            + derives
            + "\n"
            + allowsGaps
            + "\n"
            + texts.fingerprint();
  }

  /**
   * The format of a document.
   *
   * @param sample its first bytes
   */
  DocumentFormat documentFormat(String name, byte[] sample) {
    return document
        .or(() -> DocumentFormat.recognize(sample))
        .orElseThrow(() -> new EventFileException(name + ": is no document of a known format"));
  }

  /** Whether the stamps of a file are derived. */
  public boolean derives(EventFile.Kind kind) {
    return kind == EventFile.Kind.LOG
        || kind == EventFile.Kind.DOCUMENT
        || (derives && kind == EventFile.Kind.NDJSON);
  }
}
