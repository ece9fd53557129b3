// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.event.Event;
import io.retroscope.rql.client.LocalSession;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.json.EventConsumer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Files of events that are combined: files, folders of files, and the standard input. An event in
 * several of them is included once. Few events are read into memory; more of them are converted
 * into a file of sealed blocks. Used by one thread.
 */
public final class EventFileSet {
  /** The most bytes of files that are read into memory. */
  static final long MAX_MEMORY_BYTES = 64L << 20;

  /** An event takes several times as much memory as its line has bytes. */
  private static final int HEAP_PER_BYTE = 24;

  private static final Comparator<Event> BY_STAMP_AND_NODE =
      Comparator.comparingLong(Event::hlc).thenComparing(Event::node, NaturalOrder.INSTANCE);

  private final List<Path> files;
  private final Settings settings;

  /** A receiver of what happens while files are read. */
  public interface Listener {
    /** A receiver that ignores everything. */
    Listener NONE =
        new Listener() {
          @Override
          public void progress(String name, long readBytes, long totalBytes, long events) {}

          @Override
          public void note(String sentence) {}

          @Override
          public void end() {}
        };

    /**
     * Called now and then.
     *
     * @param name of the input
     * @param totalBytes 0 if it is not known
     */
    void progress(String name, long readBytes, long totalBytes, long events);

    /** Takes a sentence for the user. */
    void note(String sentence);

    /** Called when everything is read, or the reading failed. */
    void end();
  }

  /**
   * How files are read.
   *
   * @param alignment computes the clock offsets from all events, which come in the order of their
   *     stamps
   * @param texts reads texts with vector clocks
   * @param copies where converted copies of large files are kept; empty to remove them at the end
   * @param standardInput what {@code -} is
   * @param maxMemoryBytes of files that are read into memory
   * @param input how formats are found, and texts are read
   */
  public record Settings(
      Function<Iterable<Event>, ClockOffsets> alignment,
      EventFile.ClockText texts,
      Listener listener,
      Optional<ConvertedCopies> copies,
      InputStream standardInput,
      long maxMemoryBytes,
      InputSettings input) {
    /** Settings without other formats, copies and a standard input. */
    public Settings(Function<Iterable<Event>, ClockOffsets> alignment) {
      this(
          alignment,
          EventFile.ClockText.NONE,
          Listener.NONE,
          Optional.empty(),
          InputStream.nullInputStream(),
          usualMemoryBytes(),
          InputSettings.DEFAULT);
    }

    /** The most bytes of files that this process should read into memory. */
    public static long usualMemoryBytes() {
      return Math.min(MAX_MEMORY_BYTES, Runtime.getRuntime().maxMemory() / HEAP_PER_BYTE);
    }
  }

  /**
   * Files that exist, of which nothing is read yet.
   *
   * @param given files; folders, which mean the files in them whose names do not begin with a dot;
   *     and {@code -}
   * @throws NoSuchFileException if one does not exist
   * @throws IOException if a folder cannot be read
   */
  public EventFileSet(List<Path> given, Settings settings) throws IOException {
    this.settings = settings;
    List<Path> all = new ArrayList<>();
    for (Path path : given) {
      if (Files.isDirectory(path)) {
        all.addAll(filesOf(path));
      } else if (Files.exists(path) || EventInput.isStandardInput(path)) {
        all.add(path);
      } else {
        throw new NoSuchFileException(path.toString());
      }
    }
    files = List.copyOf(all);
  }

  /**
   * One file with usual settings: newline-delimited JSON, or the blocks of a sink.
   *
   * @param alignment computes the clock offsets from all events of the file
   * @throws NoSuchFileException if it does not exist
   */
  public static EventFileSet of(Path file, Function<Iterable<Event>, ClockOffsets> alignment)
      throws IOException {
    return new EventFileSet(List.of(file), new Settings(alignment));
  }

  private static List<Path> filesOf(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      List<Path> found =
          entries
              .filter(Files::isRegularFile)
              .filter(file -> !file.getFileName().toString().startsWith("."))
              .sorted(Comparator.comparing(Path::toString, NaturalOrder.INSTANCE))
              .toList();
      if (found.isEmpty()) {
        throw new EventFileException(folder + ": is a folder without files");
      }
      return found;
    }
  }

  /** The files' names without their folders, for messages. */
  public String names() {
    return files.stream()
        .map(file -> EventInput.isStandardInput(file) ? "standard input" : shortName(file))
        .collect(Collectors.joining(", "));
  }

  private static String shortName(Path file) {
    return String.valueOf(file.getFileName());
  }

  /** A source that reads the files when it is first opened. */
  public LazyEventSource source() {
    return new LazyEventSource(this);
  }

  /** A session over the events, which are read when a statement first needs one. */
  public LocalSession session(QueryLimits limits) {
    LazyEventSource source = source();
    return new LocalSession(names(), source, source, limits);
  }

  /**
   * Passes on all events in the order of the files; those in several files are repeated.
   *
   * @throws EventFileException if a file has another format, with the place and the reason
   * @throws IOException if one cannot be read, or if the consumer throws it
   */
  public void readAll(EventConsumer consumer) throws IOException {
    AscendingStamps stamps = new AscendingStamps(consumer);
    read(stamps, (name, readBytes) -> {});
    if (!stamps.ascend()) {
      check();
    }
  }

  /** A receiver of the progress of reading. */
  private interface Step {
    void at(String name, long readBytes);
  }

  /** Reads the files whose events have stamps one after another, then the others together. */
  private void read(EventConsumer consumer, Step step) throws IOException {
    long before = 0;
    FileRuns runs = new FileRuns();
    try (UnstampedFiles unstamped = new UnstampedFiles(settings.input)) {
      for (Path file : files) {
        try (EventInput in = EventInput.open(file, settings.standardInput)) {
          EventFile.Kind kind = EventFile.kind(in, settings.input);
          if (settings.input.derives(kind)) {
            unstamped.add(in, kind);
            continue;
          }
          long base = before;
          FileRuns.OneFile events = runs.file(consumer);
          EventFile.read(
              in,
              kind,
              settings.texts,
              events,
              () -> step.at(shortName(file), base + in.readBytes()));
          events.end();
          before += in.readBytes();
        }
      }
      long base = before;
      unstamped.give(consumer, readBytes -> step.at(names(), base + readBytes));
      unstamped.unmatched().forEach(settings.listener::note);
      for (Incompleteness reason : runs.reasons()) {
        consumer.incomplete(reason);
      }
    }
  }

  /**
   * Reads all events, and keeps none.
   *
   * @throws EventFileException if two of them contradict each other, with both places
   * @throws IOException if a file cannot be read
   */
  public void check() throws IOException {
    if (files.stream().allMatch(Files::isRegularFile)) {
      open().closing().close();
    }
  }

  /** An open source, and how to close it. */
  record Opened(EventSource source, Closing closing) {}

  /** Closes a source. */
  interface Closing {
    void close() throws IOException;
  }

  Opened open() throws IOException {
    if (files.size() == 1 && Files.isRegularFile(files.get(0))) {
      try (EventInput in = EventInput.open(files.get(0), settings.standardInput)) {
        EventFile.Kind kind = EventFile.kind(in, settings.input);
        if (kind == EventFile.Kind.SEALED && !in.isCompressed()) {
          return opened(SealedFileSource.open(files.get(0), settings.alignment));
        }
      }
    }
    boolean areKept = settings.copies.isPresent() && files.stream().allMatch(Files::isRegularFile);
    long size = 0;
    for (Path file : files) {
      size += Files.isRegularFile(file) ? Files.size(file) : 0;
    }
    boolean isLarge = size > settings.maxMemoryBytes;
    Conversion conversion = new Conversion(areKept && isLarge ? key() : Optional.empty(), size);
    if (isLarge && areKept) {
      Optional<Opened> copy = conversion.openCopy();
      if (copy.isPresent()) {
        return copy.get();
      }
    }
    try {
      return conversion.run(isLarge ? 0 : settings.maxMemoryBytes);
    } catch (StampClash.Found e) {
      throw new EventFileException(places(e.clash()).sentence(), e);
    } finally {
      settings.listener.end();
    }
  }

  private EventPlaces places(StampClash clash) throws IOException {
    EventPlaces places = new EventPlaces(clash);
    for (Path file : files) {
      if (Files.isRegularFile(file) && !places.isComplete()) {
        try (EventInput in = EventInput.open(file, settings.standardInput)) {
          EventFile.read(in, settings.input, settings.texts, places);
        }
      }
    }
    return places;
  }

  private static Opened opened(SealedFileSource source) {
    return new Opened(source, source::close);
  }

  private Optional<String> key() throws IOException {
    return Optional.of(ConvertedCopies.key(files, settings.input.fingerprint()));
  }

  private Opened inMemory(EventCollector read) {
    List<Event> distinct = distinct(read.events());
    List<Event> ordered = new ArrayList<>(distinct);
    ordered.sort(Comparator.comparingLong(Event::hlc));
    EventSource source =
        new InMemoryEventSource(
            distinct,
            new LinkedHashSet<>(read.gaps()),
            new LinkedHashSet<>(read.reasons()),
            settings.alignment.apply(ordered));
    return new Opened(source, () -> {});
  }

  private static List<Event> distinct(List<Event> events) {
    events.sort(BY_STAMP_AND_NODE);
    StampClash.Check check = new StampClash.Check();
    List<Event> distinct = new ArrayList<>(events.size());
    for (Event event : events) {
      if (check.isNew(event)) {
        distinct.add(event);
      }
    }
    return distinct;
  }

  /** One reading of all files. */
  private final class Conversion implements EventGathering.Beginning {
    private final Optional<String> key;
    private final long totalBytes;
    private Optional<Path> draft = Optional.empty();

    Conversion(Optional<String> key, long totalBytes) {
      this.key = key;
      this.totalBytes = totalBytes;
    }

    /** Opens the copy of an earlier reading; a damaged one is made again. */
    Optional<Opened> openCopy() throws IOException {
      Optional<Path> copy = key.flatMap(known -> settings.copies.flatMap(all -> all.find(known)));
      if (copy.isEmpty()) {
        return Optional.empty();
      }
      try {
        return Optional.of(opened(SealedFileSource.openWhole(copy.get(), settings.alignment)));
      } catch (EventFileException damaged) {
        Files.deleteIfExists(copy.get());
        return Optional.empty();
      }
    }

    Opened run(long maxMemoryBytes) throws IOException {
      try (EventGathering gathering = new EventGathering(maxMemoryBytes, this)) {
        read(
            gathering,
            (name, readBytes) ->
                settings.listener.progress(name, readBytes, totalBytes, gathering.eventCount()));
        if (gathering.memory().isPresent()) {
          return inMemory(gathering.memory().get());
        }
        return convert(gathering);
      }
    }

    @Override
    public SealedConversion begin() throws IOException {
      Path path = draftPath();
      draft = Optional.of(path);
      path.toFile().deleteOnExit(); // also when Ctrl-C ends the process
      SealedConversion.runsFile(path).toFile().deleteOnExit();
      return new SealedConversion(path);
    }

    private Path draftPath() throws IOException {
      if (key.isPresent() && settings.copies.isPresent()) {
        try {
          return settings.copies.get().draft(key.get());
        } catch (IOException e) {
          settings.listener.note(
              "no copy is kept, because %s cannot be written"
                  .formatted(settings.copies.get().folder()));
        }
      }
      Path folder = Files.createTempDirectory("retroscope");
      folder.toFile().deleteOnExit();
      return folder.resolve("events.rtsf");
    }

    private Opened convert(EventGathering gathering) throws IOException {
      gathering.finish();
      Path path = draft.orElseThrow();
      Optional<Path> kept = keep(path);
      SealedFileSource source = SealedFileSource.open(kept.orElse(path), settings.alignment);
      if (kept.isEmpty()) {
        return new Opened(
            source,
            () -> {
              source.close();
              Files.deleteIfExists(path);
            });
      }
      settings.listener.note(
          "converted %s into %s, which later commands use; \"retroscope cache clear\" removes it"
              .formatted(names(), kept.get()));
      return opened(source);
    }

    private Optional<Path> keep(Path path) throws IOException {
      boolean isDraft =
          settings.copies.filter(all -> all.folder().equals(path.getParent())).isPresent();
      // A file that was changed while it was read has another key now.
      if (!isDraft || key.isEmpty() || !key.equals(key())) {
        return Optional.empty();
      }
      return settings.copies.orElseThrow().keep(path, key.get());
    }

    @Override
    public EventFileException failed(IOException e) {
      return new EventFileException(
          "%s cannot be converted into %s: %s; XDG_CACHE_HOME names another folder"
              .formatted(names(), draft.map(Path::getParent).orElse(Path.of("")), e.getMessage()),
          e);
    }
  }
}
