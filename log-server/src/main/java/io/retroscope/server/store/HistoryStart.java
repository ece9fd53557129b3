package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a store's history begins since retention has removed what came before.
 *
 * @param lastBlock the highest id of the blocks that were removed
 * @param hlc packed, the highest stamp in them
 */
record HistoryStart(long lastBlock, long hlc) {
  static final String FILE = "HISTORY";

  private static final Pattern TEXT = Pattern.compile("begins after block (\\d+), stamp (\\S+)");

  /** What a data directory says. */
  static Optional<HistoryStart> read(Path directory) {
    Path file = directory.resolve(FILE);
    try {
      if (!Files.exists(file)) {
        return Optional.empty();
      }
      Matcher text = TEXT.matcher(Files.readString(file).strip());
      if (!text.matches()) {
        throw new StoreDamageException(file + " is damaged: it does not say where history begins");
      }
      return Optional.of(
          new HistoryStart(Long.parseLong(text.group(1)), HlcTimestamp.parse(text.group(2))));
    } catch (IOException | IllegalArgumentException e) {
      throw new StoreException("cannot read " + file + ": " + e.getMessage(), e);
    }
  }

  /** Writes it durably, before what it speaks of is removed. */
  void write(Path directory) {
    Path file = directory.resolve(FILE);
    try {
      DataDirectory.writeDurably(
          file, "begins after block %d, stamp %s\n".formatted(lastBlock, HlcTimestamp.text(hlc)));
    } catch (IOException e) {
      throw new StoreException("cannot write " + file + ": " + e.getMessage(), e);
    }
  }

  HistoryStart or(HistoryStart other) {
    return new HistoryStart(Math.max(lastBlock, other.lastBlock), Math.max(hlc, other.hlc));
  }

  String sentence() {
    return "history begins at %s: what was recorded before was removed by retention, and what it set is not known"
        .formatted(new HlcTimestamp(hlc));
  }
}
