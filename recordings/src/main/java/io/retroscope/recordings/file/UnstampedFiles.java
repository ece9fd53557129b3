// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.recordings.document.DocumentException;
import io.retroscope.recordings.document.DocumentFormat;
import io.retroscope.recordings.document.Documents;
import io.retroscope.recordings.textlog.FormatException;
import io.retroscope.recordings.textlog.TextLog;
import io.retroscope.recordings.textlog.Vocabulary;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.json.EventConsumer;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/** The files of a set whose events have no stamps, until all of them are known. */
final class UnstampedFiles implements Closeable {
  private final InputSettings settings;

  /** The text logs, by the names of their files. */
  private final Map<String, TextLog> logs = new LinkedHashMap<>();

  private final Vocabulary vocabulary = Vocabulary.learning();
  private final Documents documents;
  private long documentBytes;

  /** The paths of all other files by their names. */
  private final Map<String, Path> paths = new LinkedHashMap<>();

  private final List<Path> copies = new ArrayList<>();

  UnstampedFiles(InputSettings settings) {
    this.settings = settings;
    documents = new Documents(settings.texts().log());
  }

  /** Adds a file; the standard input is copied, because files are read more than once. */
  void add(EventInput in, EventFile.Kind kind) throws IOException {
    byte[] sample = EventFile.sample(in);
    if (kind == EventFile.Kind.DOCUMENT) {
      addDocument(in, settings.documentFormat(in.name(), sample));
      return;
    }
    boolean isCopied = !Files.isRegularFile(in.path());
    paths.put(in.name(), isCopied ? copy(in) : in.path());
    if (kind == EventFile.Kind.LOG) {
      logs.put(
          in.name(),
          EventFile.recognize(in.name(), sample, settings)
              .orElseThrow(
                  () ->
                      new EventFileException(
                          TextLog.unknown(in.name(), sample, settings.texts()))));
    }
  }

  private void addDocument(EventInput in, DocumentFormat format) throws IOException {
    try {
      documents.add(in.name(), format, in.bytes());
    } catch (DocumentException e) {
      throw new EventFileException(in.name() + ":" + e.reason(), e);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    documentBytes += in.readBytes();
  }

  private Path copy(EventInput in) throws IOException {
    Path copy = Files.createTempFile("retroscope", ".log");
    copy.toFile().deleteOnExit();
    copies.add(copy);
    Files.copy(in.bytes(), copy, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    return copy;
  }

  /**
   * Passes on the events of all files.
   *
   * @param progress takes the number of bytes read so far
   */
  void give(EventConsumer consumer, LongConsumer progress) throws IOException {
    if (paths.isEmpty() && documents.isEmpty()) {
      return;
    }
    List<ReadableFile> files = new ArrayList<>();
    Map<String, String> nodes = nodes();
    for (Map.Entry<String, Path> file : paths.entrySet()) {
      TextLog log = logs.get(file.getKey());
      files.add(
          log == null
              ? ndjson(file.getKey(), file.getValue())
              : text(log.of(nodes.getOrDefault(file.getKey(), file.getKey())), file.getValue()));
    }
    warnOfZones(consumer);
    new DerivedEvents(files, documents, vocabulary, () -> progress.accept(read(files)))
        .give(consumer);
  }

  /** After {@link #give}: a sentence for each expression that no line matched. */
  List<String> unmatched() {
    return logs.isEmpty() ? List.of() : vocabulary.unmatched(settings.texts().rules());
  }

  private long read(List<ReadableFile> files) {
    return documentBytes + files.stream().mapToLong(ReadableFile::readBytes).sum();
  }

  private Map<String, String> nodes() {
    try {
      return TextLog.nodes(List.copyOf(logs.keySet()), settings.texts());
    } catch (FormatException e) {
      throw new EventFileException(e.reason(), e);
    }
  }

  private static ReadableFile ndjson(String name, Path path) throws IOException {
    return new ReadableFile(name, path, true, bytes -> new NdjsonReadings(name, bytes));
  }

  private ReadableFile text(TextLog log, Path path) throws IOException {
    TextLog whole = log.leavesOut() ? anchored(log, path) : log;
    return new ReadableFile(
        log.path(), path, !log.rules().isEmpty(), bytes -> whole.open(bytes, vocabulary));
  }

  private TextLog anchored(TextLog log, Path path) throws IOException {
    boolean isCopied = copies.contains(path);
    long lastMicros =
        isCopied ? settings.nowMicros() : Files.getLastModifiedTime(path).to(TimeUnit.MICROSECONDS);
    try (EventInput in = EventInput.open(path, InputStream.nullInputStream())) {
      return log.anchored(in.bytes(), lastMicros);
    }
  }

  /** Warns if only some of the files say which zone their times have. */
  private void warnOfZones(EventConsumer consumer) throws IOException {
    List<String> without =
        logs.values().stream().filter(log -> !log.hasZone()).map(TextLog::path).toList();
    if (!without.isEmpty() && without.size() < logs.size()) {
      consumer.incomplete(
          new Incompleteness.Remarked(
              "%s: times without a zone are read as UTC, but other files name their zone: --zone sets it"
                  .formatted(without.get(0))));
    }
  }

  @Override
  public void close() throws IOException {
    for (Path copy : copies) {
      Files.deleteIfExists(copy);
    }
  }
}
