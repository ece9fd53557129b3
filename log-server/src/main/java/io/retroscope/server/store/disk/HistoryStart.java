// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.disk;

import io.retroscope.clock.HlcTimestamp;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * The begin of a store's history after retention has removed earlier blocks.
 *
 * @param lastBlock the highest id of the removed blocks
 * @param hlc packed, the highest stamp in them
 */
public record HistoryStart(long lastBlock, long hlc) {
  public static final String FILE = "HISTORY";

  private static final Pattern TEXT =
      Pattern.compile("(begins after block (\\d+), stamp ([0-9.]+))(?:, checksum ([0-9a-f]{8}))?");

  /** Reads the begin of history from a data directory; empty if nothing was removed. */
  public static Optional<HistoryStart> read(Path directory) {
    Path file = directory.resolve(FILE);
    try {
      if (!Files.exists(file)) {
        return Optional.empty();
      }
      Matcher text = TEXT.matcher(DataDirectory.text(file).strip());
      boolean whole = text.matches();
      String checksum = whole ? checksum(text.group(1)) : "";
      if (!whole || !Objects.requireNonNullElse(text.group(4), checksum).equals(checksum)) {
        throw new StoreDamageException(file + " is damaged: it does not say where history begins");
      }
      return Optional.of(
          new HistoryStart(Long.parseLong(text.group(2)), HlcTimestamp.parse(text.group(3))));
    } catch (IOException | IllegalArgumentException e) {
      throw new StoreException("cannot read " + file + ": " + e.getMessage(), e);
    }
  }

  /** Writes it durably. Must be called before the blocks are removed. */
  public void write(Path directory) {
    Path file = directory.resolve(FILE);
    try {
      String text = "begins after block %d, stamp %s".formatted(lastBlock, HlcTimestamp.text(hlc));
      DataDirectory.writeDurably(file, text + ", checksum " + checksum(text) + "\n");
    } catch (IOException e) {
      throw new StoreException("cannot write " + file + ": " + e.getMessage(), e);
    }
  }

  /** Older programs wrote no checksum. */
  private static String checksum(String text) {
    CRC32C crc = new CRC32C();
    crc.update(text.getBytes(StandardCharsets.US_ASCII));
    return String.format(Locale.ROOT, "%08x", crc.getValue());
  }

  public HistoryStart or(HistoryStart other) {
    return new HistoryStart(Math.max(lastBlock, other.lastBlock), Math.max(hlc, other.hlc));
  }
}
